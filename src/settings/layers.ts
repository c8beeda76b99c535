/** Checks one layer of settings: flags, environment variables, or the config file. */
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { findNear } from "../print/near.js";
import type { ConfigFile } from "./file.js";
import { isPublicKey } from "./keys.js";
import { at, isList, mistakesInNames, type SettingKind, STDIN } from "./kinds.js";
import { flagOf, variableOf } from "./names.js";
import { describeMistake } from "./options.js";
import { type GivenSettings, isKey, LISTING_KEYS, SETTING_KEYS, type SettingKey, settingOf } from "./settings.js";

export interface Layer {
  values: GivenSettings;
  /** The name of a setting in messages: `--port`, `port in FILE`. */
  nameOf(key: string): string;
  mistakes: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

/** Checks flags, given by key: texts, or booleans for flags without a value. @param wanted the settings that the verb uses. */
export function flagLayer(flags: Values, cwd: string, wanted: readonly SettingKey[]): Layer {
  return check(flags, wanted, cwd, flagOf, fromText);
}

/** The value of a variable that Kubernetes and Docker set for a service: `ROLLCALL_PORT=tcp://10.0.0.1:80`. */
const INJECTED = /^(tcp|udp|sctp):\/\//;

/** Checks environment variables. An empty one counts as unset, as in Compose files. Others with the prefix are ignored. */
export function variableLayer(env: Values, cwd: string, wanted: readonly SettingKey[]): Layer {
  const given = wanted.map((key) => [key, env[variableOf(key)]] as const);
  const set = given.filter(([, text]) => text && !INJECTED.test(String(text)));
  return check(Object.fromEntries(set), wanted, cwd, variableOf, fromText);
}

/** Checks the values of the config file. Unknown keys are mistakes. */
export function fileLayer({ name, folder, values }: ConfigFile, wanted: readonly SettingKey[]): Layer {
  // `$schema` is for editors.
  const { $schema: _, ...given } = values;
  const layer = check(given, wanted, folder, (key) => `${key} in ${name}`, fromFile);
  return { ...layer, mistakes: [...findUnknown(given, SETTING_KEYS, layer.nameOf), ...layer.mistakes] };
}

/** A sentence for each key that is not a setting. */
function findUnknown(given: Values, known: readonly string[], nameOf: Layer["nameOf"]): string[] {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const near = findNear(key, known);
    const advice = near === undefined ? 'remove it, or see "rollcall build --help".' : `did you mean ${near}?`;
    return `${nameOf(key)} is not a setting; ${advice}`;
  });
}

type Listings = Readonly<Record<string, Values>>;

/** Checks the settings of each listing of a site. @param key of the setting that has them. */
function checkListings(listings: Listings, key: SettingKey, nameOf: Layer["nameOf"], folder: string) {
  const mistakes = mistakesInNames(Object.keys(listings)).map((mistake) => `${nameOf(key)}: ${mistake}`);
  const values = Object.entries(listings).map(([name, given]) => {
    const layer = check(given, LISTING_KEYS, folder, (own) => nameOf(`${key}.${name}.${own}`), fromFile);
    mistakes.push(...findUnknown(given, LISTING_KEYS, layer.nameOf), ...layer.mistakes);
    return [name, layer.values] as const;
  });
  return { values: Object.fromEntries(values), mistakes };
}

/** @param read parses a value. */
function check(
  given: Values,
  wanted: readonly SettingKey[],
  folder: string,
  nameOf: Layer["nameOf"],
  read: (key: SettingKey, value: unknown) => unknown,
): Layer {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (!isKey(key) || !wanted.includes(key)) continue;
    const setting = settingOf(key);
    const { data, error } = setting.schema.safeParse(read(key, value));
    if (error) mistakes.push(describeMistake(nameOf(key), value, setting, error));
    else if (setting.kind === "listings") {
      const checked = checkListings(data as Listings, key, nameOf, folder);
      values[key] = checked.values;
      mistakes.push(...checked.mistakes);
    } else values[key] = resolved(setting.kind, data, folder);
  }
  return { values, nameOf, mistakes };
}

/** Resolves a path relative to the layer's folder; returns any other value unchanged. */
function resolved(kind: SettingKind, value: unknown, folder: string): unknown {
  const isPath = kind === "path" || (kind === "input" && value !== STDIN);
  if (isPath && typeof value === "string") return at(folder, value);
  if (kind !== "keys" || !Array.isArray(value)) return value;
  return value.map((item) => (isPublicKey(item) ? item : at(folder, item)));
}

const list = (text: string) => text.split(",").flatMap((item) => item.trim() || []);

/** Parsers of texts by kind. A text that cannot be parsed is returned unchanged, for the schema to refuse. */
const READERS: Record<SettingKind, (text: string) => unknown> = {
  text: (text) => text,
  path: (text) => text,
  input: (text) => text,
  number: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text) => BOOLEANS[text] ?? text,
  list,
  keys: list,
  gates: list,
  listings: (text) => parseAs(z.unknown(), text) ?? text,
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function fromText(key: SettingKey, value: unknown): unknown {
  return typeof value === "string" ? READERS[settingOf(key).kind](value) : value;
}

/** Parses lists written as `"br,gzip"`. Other values of the file have their JSON types. */
function fromFile(key: SettingKey, value: unknown): unknown {
  const { kind } = settingOf(key);
  return isList(kind) ? fromText(key, value) : value;
}
