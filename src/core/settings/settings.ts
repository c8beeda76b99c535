/** The settings by key, and the types of their values. */
import * as z from "zod";
import type { ContractFile } from "../contract/file/form.js";
import { OF_FILE, type Setting, type VerbName } from "./kinds.js";
import { SETTINGS } from "./table.js";

type Rows = typeof SETTINGS;
export type SettingKey = keyof Rows;
type Value<K extends SettingKey> = z.infer<Rows[K]["schema"]>;
type Defaulted = { [K in SettingKey]: "default" extends keyof Rows[K] ? K : never }[SettingKey];

export type GivenSettings = { [K in SettingKey]?: Value<K> };
/** Resolved settings, in which those with a default are never undefined. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

type DataKey = { [K in SettingKey]: Rows[K] extends { decidesData: true } ? K : never }[SettingKey];
/** The settings that change the content of pages or artifacts. They can be sent to a worker thread. */
export type DataSettings = { [K in DataKey]: Exclude<GivenSettings[K], undefined> } & { contract: ContractFile };

type VerbsOf<Row> =
  | (Row extends { verbs: readonly (infer Verb)[] } ? Verb : never)
  | (Row extends { readBy: readonly (infer Verb)[] } ? Verb : never);
type OptionKey<Verb> = {
  [K in SettingKey]: Rows[K] extends { isOfCommand: true } ? never : Verb extends VerbsOf<Rows[K]> ? K : never;
}[SettingKey];
type Input<Schema> =
  z.input<Schema> extends infer Type ? (Type extends (infer Item)[] ? readonly Item[] : Type) : never;

/** Options that are settings, as a program gives them. */
export type OptionsOf<K extends SettingKey> = { [N in K]?: Input<Rows[N]["schema"]> | undefined };

/** The options of a verb that are settings, as a program gives them. */
export type OptionsFor<Verb extends VerbName> = OptionsOf<OptionKey<Verb>>;

/** Options in which settings with a default are never undefined. */
export type Complete<Options> = Omit<Options, Defaulted> & {
  [K in keyof Options & Defaulted]-?: Exclude<Options[K], undefined>;
};

/** The settings that each listing of a site may have for itself. */
export const LISTING_KEYS = [
  "contract",
  "table",
  "query",
  "pageSize",
  "bulk",
  "csv",
  "parquet",
  "lookup",
  "views",
  "changes",
  "skipInvalid",
  "maxAdded",
  "maxRemoved",
  "maxChanged",
  "maxField",
] as const satisfies readonly SettingKey[];

/** The settings of one listing of a site. */
export type SettingsOfListing = OptionsOf<(typeof LISTING_KEYS)[number]>;

/** The settings of how text files are read: of all of them, and of each. */
export const TEXT_KEYS = ["sourceFormat", "separator", "quote", "encoding", "files"] as const;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The settings that a verb reads, from flags or not. */
export function keysOf(verb: VerbName): SettingKey[] {
  return SETTING_KEYS.filter((key) => {
    const { verbs, readBy = [] } = settingOf(key);
    return verbs.includes(verb) || readBy.includes(verb);
  });
}

/** The settings that are options of a verb's function. */
export function optionKeys(verb: VerbName): SettingKey[] {
  return keysOf(verb).filter((key) => !settingOf(key).isOfCommand);
}

/** Picks the options of a verb's function. */
export function optionsOf<Verb extends VerbName>(verb: Verb, settings: Settings): Pick<Settings, OptionKey<Verb>> {
  return Object.fromEntries(optionKeys(verb).map((key) => [key, settings[key]])) as Pick<Settings, OptionKey<Verb>>;
}

/** Adds the defaults of a verb's settings to options. */
export function withDefaults<Verb extends VerbName, Options extends object>(
  verb: Verb,
  options: Options,
): Options & Pick<Settings, OptionKey<Verb> & Defaulted> {
  const completed = { ...options } as Record<string, unknown>;
  for (const key of optionKeys(verb)) completed[key] ??= settingOf(key).default;
  return completed as ReturnType<typeof withDefaults<Verb, Options>>;
}

const DATA_KEYS: ReadonlySet<string> = new Set(SETTING_KEYS.filter((key) => settingOf(key).decidesData));

/** Picks the settings that change the content of pages or artifacts. */
export function dataOf(all: DataSettings): DataSettings {
  return Object.fromEntries(Object.entries(all).filter(([key]) => DATA_KEYS.has(key))) as DataSettings;
}

/** The row of a setting. */
export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key];
}

/** Makes config.schema.json, by which editors complete and check a config file. It refers to contract.schema.json. */
export function configSchema(): Record<string, unknown> {
  const properties = SETTING_KEYS.map((key) => {
    const { schema, help, default: value } = settingOf(key);
    const contract = key === "contract" && { anyOf: [{ type: "string" }, { $ref: "contract.schema.json" }] };
    const files = key === "files" && { type: "object", additionalProperties: schemaOfFile() };
    const form = { ...formOf(schema), ...contract, ...files };
    return [key, { ...form, description: help, ...(value !== undefined && { default: value }) }];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The settings of Rollcall",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}

function schemaOfFile(): Record<string, unknown> {
  const properties = Object.entries(OF_FILE).map(([key, { schema, allowed }]) => [
    key,
    { ...formOf(schema), description: allowed },
  ]);
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

function formOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...form } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return form;
}
