/** The one table of settings. Flags, variables, config keys, help, defaults and types all come from it. */
import type { z } from "zod";
import { flagOf } from "./names.js";
import type { Setting } from "./setting.js";
import { BUILD } from "./table/build.js";
import { DIFF } from "./table/diff.js";
import { HOSTS } from "./table/hosts.js";
import { PUBLISH } from "./table/publish.js";
import { SERVE } from "./table/serve.js";
import { TALK } from "./table/talk.js";
import { VERIFY } from "./table/verify.js";

/** In the order of help. */
export const SETTINGS = {
  ...BUILD,
  ...SERVE,
  ...DIFF,
  ...HOSTS,
  ...PUBLISH,
  ...VERIFY,
  ...TALK,
} satisfies Record<string, Setting>;

export type Key = keyof typeof SETTINGS;
type Value<K extends Key> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Defaulted = { [K in Key]: "default" extends keyof (typeof SETTINGS)[K] ? K : never }[Key];

/** What every source may give, checked. */
export type GivenSettings = { [K in Key]?: Value<K> };
/** What a verb gets: those with a default are always there. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

export const KEYS = Object.keys(SETTINGS) as Key[];

/** Some rows of the table, for who takes these settings as options. */
export function pick<K extends Key>(...keys: readonly K[]): Pick<typeof SETTINGS, K> {
  return Object.fromEntries(keys.map((key) => [key, SETTINGS[key]])) as Pick<typeof SETTINGS, K>;
}

/** The table's row as every setting has it. */
export function settingOf(key: Key): Setting {
  return SETTINGS[key];
}

/** `--page-size`, or what the table says instead. */
export function flagFor(key: string): string {
  return (isKey(key) ? settingOf(key).flag : undefined) ?? flagOf(key);
}

export function isKey(name: string): name is Key {
  return Object.hasOwn(SETTINGS, name);
}

/** Settings that answer one question in two ways: no place gives both, and one of a higher place replaces the other. */
export const EITHER_OR: readonly (readonly [Key, Key])[] = [["table", "query"]];
