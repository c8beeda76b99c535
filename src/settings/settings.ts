/** The settings by key, and the types of their values. */
import { z } from "zod";
import type { ContractFile } from "../contract/file/form.js";
import type { Setting } from "./kinds.js";
import { SETTINGS } from "./table.js";

export type SettingKey = keyof typeof SETTINGS;
type Value<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Defaulted = { [K in SettingKey]: "default" extends keyof (typeof SETTINGS)[K] ? K : never }[SettingKey];

export type GivenSettings = { [K in SettingKey]?: Value<K> };
/** Resolved settings, in which those with a default are never undefined. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

type DataKey = { [K in SettingKey]: (typeof SETTINGS)[K] extends { decidesData: true } ? K : never }[SettingKey];
/** The settings that change the content of pages or artifacts. They can be sent to a worker thread. */
export type DataSettings = { [K in DataKey]: Exclude<GivenSettings[K], undefined> } & { contract: ContractFile };

/** The type of a verb's options that are settings. */
export type OptionsOf<K extends SettingKey> = { [N in K]?: GivenSettings[N] | undefined };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** Picks rows of the table of settings. */
export function pick<K extends SettingKey>(...keys: readonly K[]): Pick<typeof SETTINGS, K> {
  return Object.fromEntries(keys.map((key) => [key, SETTINGS[key]])) as Pick<typeof SETTINGS, K>;
}

/** Picks the settings that change the content of pages or artifacts. */
export function dataOf(all: DataSettings): DataSettings {
  const picked = Object.entries(all).filter(([key]) => isKey(key) && settingOf(key).decidesData);
  return Object.fromEntries(picked) as DataSettings;
}

/** The row of a setting. */
export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key];
}

/** Whether a name is that of a setting. */
export function isKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** Settings of how a source is read and published. A diff with a source has them too. */
export const SOURCE_SETTINGS = [
  "pageSize",
  "table",
  "query",
  "sourceFormat",
  "separator",
  "quote",
  "encoding",
  "contract",
  "defaultAvatar",
  "links",
  "skipInvalid",
  "lookup",
  "explorer",
  "workers",
] as const;
export type SourceSetting = (typeof SOURCE_SETTINGS)[number];
/** Settings of a diff with a source, from variables and the config file. */
export const SOURCE_KEYS = ["baseUrl", ...SOURCE_SETTINGS] as const;

/** Picks the settings of how a source is read and published. */
export function sourceSettings(settings: GivenSettings): OptionsOf<SourceSetting> {
  return Object.fromEntries(SOURCE_SETTINGS.map((key) => [key, settings[key]]));
}

/** Makes config.schema.json, by which editors complete and check a config file. It refers to contract.schema.json. */
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
