/** The settings by key, and the types of their values. */
import { z } from "zod";
import type { ContractFile } from "../contract/file/form.js";
import type { Setting } from "./kinds.js";
import { SETTINGS } from "./table.js";

export type SettingKey = keyof typeof SETTINGS;
type Value<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Defaulted = { [K in SettingKey]: "default" extends keyof (typeof SETTINGS)[K] ? K : never }[SettingKey];

export type GivenSettings = { [K in SettingKey]?: Value<K> };
/** What a verb gets: those with a default are always there. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

type DataKey = { [K in SettingKey]: (typeof SETTINGS)[K] extends { decidesData: true } ? K : never }[SettingKey];
/** The settings that decide what pages and artifacts hold. They can be sent to another thread. */
export type DataSettings = { [K in DataKey]: Exclude<GivenSettings[K], undefined> } & { contract: ContractFile };

/** The type of a verb's options that are settings. The table says what they mean, their ranges and their defaults. */
export type OptionsOf<K extends SettingKey> = { [N in K]?: GivenSettings[N] | undefined };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function pick<K extends SettingKey>(...keys: readonly K[]): Pick<typeof SETTINGS, K> {
  return Object.fromEntries(keys.map((key) => [key, SETTINGS[key]])) as Pick<typeof SETTINGS, K>;
}

/** The settings of a build that decide data, and no others. */
export function dataOf(all: DataSettings): DataSettings {
  const picked = Object.entries(all).filter(([key]) => isKey(key) && settingOf(key).decidesData);
  return Object.fromEntries(picked) as DataSettings;
}

export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key];
}

export function isKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** How a source is read and published: the settings that a diff with a source has, too. */
export const SOURCE_SETTINGS = [
  "pageSize",
  "table",
  "query",
  "contract",
  "defaultAvatar",
  "links",
  "skipInvalid",
  "lookup",
  "explorer",
  "workers",
] as const;
export type SourceSetting = (typeof SOURCE_SETTINGS)[number];
/** The settings by which a diff publishes a source, from variables and the config file. */
export const SOURCE_KEYS = ["baseUrl", ...SOURCE_SETTINGS] as const;

/** config.schema.json of the package, by which editors complete and check a config file. It stands beside contract.schema.json. */
export function configSchema(): Record<string, unknown> {
  const properties = SETTING_KEYS.map((key) => {
    const { schema, help, default: value } = settingOf(key);
    const { $schema: _, ...form } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    const contract = key === "contract" && { anyOf: [{ type: "string" }, { $ref: "contract.schema.json" }] };
    return [key, { ...form, ...contract, description: help, ...(value !== undefined && { default: value }) }];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The settings of Rollcall",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}
