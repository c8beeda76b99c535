/** What two snapshots differ in besides their users. */
import type { Diff, SideFacts } from "../diff/change.js";
import { number } from "../print/numbers.js";

export interface SettingChange {
  name: string;
  old: string;
  new: string;
}

const SETTINGS: readonly (readonly [name: string, value: (side: SideFacts) => string])[] = [
  ["base URL", ({ baseUrl }) => baseUrl],
  ["page size", ({ pageSize }) => number(pageSize)],
  ["links", ({ links }) => links],
];

/** Base URL, page size and links style, as far as they differ: they change every page, but no user. */
export function settingChanges({ old, new: now }: Diff): SettingChange[] {
  return SETTINGS.map(([name, value]) => ({ name, old: value(old), new: value(now) })).filter(
    (change) => change.old !== change.new,
  );
}
