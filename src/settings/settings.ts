/** The one table of settings. Flags, variables, config keys, help, defaults and types all come from it. */
import type { z } from "zod";
import type { Setting } from "./setting.js";
import { ADAPT } from "./table/adapt.js";
import { BUILD } from "./table/build.js";
import { DIFF } from "./table/diff.js";
import { PUBLISH } from "./table/publish.js";
import { SERVE } from "./table/serve.js";
import { TALK } from "./table/talk.js";
import { VERIFY } from "./table/verify.js";

/** In the order of help. */
export const SETTINGS = {
  ...BUILD,
  ...SERVE,
  ...DIFF,
  ...ADAPT,
  ...PUBLISH,
  ...VERIFY,
  ...TALK,
} satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;
type Value<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Defaulted = { [K in SettingKey]: "default" extends keyof (typeof SETTINGS)[K] ? K : never }[SettingKey];

/** What every source may give, checked. */
export type GivenSettings = { [K in SettingKey]?: Value<K> };
/** What a verb gets: those with a default are always there. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** Some rows of the table, for who takes these settings as options. */
export function pick<K extends SettingKey>(...keys: readonly K[]): Pick<typeof SETTINGS, K> {
  return Object.fromEntries(keys.map((key) => [key, SETTINGS[key]])) as Pick<typeof SETTINGS, K>;
}

/** The table's row as every setting has it. */
export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key];
}

export function isKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** Settings that answer one question in two ways: no place gives both, and one of a higher place replaces the other. */
export const EITHER_OR: readonly (readonly [SettingKey, SettingKey])[] = [["table", "query"]];
