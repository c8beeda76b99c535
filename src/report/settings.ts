/** What two snapshots differ in besides their users. */
import type { Diff, SideFacts } from "../diff/change.js";
import { number } from "../print/numbers.js";

export interface SettingChange {
  name: string;
  old: string;
  new: string;
}

const SETTINGS: readonly (readonly [name: string, value: (side: SideFacts) => string | undefined])[] = [
  ["base URL", ({ baseUrl }) => baseUrl],
  ["page size", ({ pageSize }) => number(pageSize)],
  ["links", ({ links }) => links],
];

/** Base URL, page size and links style, as far as they are known to differ: they change every page, but no user. */
export function settingChanges({ old, new: now }: Diff): SettingChange[] {
  return SETTINGS.flatMap(([name, value]) => {
    const [before, after] = [value(old), value(now)];
    const isKnown = before !== undefined && after !== undefined;
    return isKnown && before !== after ? [{ name, old: before, new: after }] : [];
  });
}
