/** Checks one layer of settings: flags, environment variables, or the config file. */
import { findNear } from "../print/near.js";
import type { ConfigFile } from "./file.js";
import { isPublicKey } from "./keys.js";
import { at, type SettingKind, STDIN } from "./kinds.js";
import {
  CONFIG_FLAG,
  CONFIG_VARIABLE,
  DEBUG_VARIABLE,
  flagOf,
  PASSWORD_VARIABLE,
  VARIABLE_PREFIX,
  variableOf,
} from "./names.js";
import { describeMistake } from "./options.js";
import { type GivenSettings, isKey, SETTING_KEYS, type SettingKey, settingOf } from "./settings.js";

export interface Layer {
  values: GivenSettings;
  /** The name of a setting in messages: `--port`, `port in FILE`. */
  nameOf(key: string): string;
  mistakes: readonly string[];
}

/** Checks flags, given by key: texts, or booleans for flags without a value. */
export function flagLayer(flags: Given, cwd: string, wanted: readonly SettingKey[]): Layer {
  return check({ given: flags, wanted, folder: cwd, nameOf: flagOf, known: SETTING_KEYS.map(flagOf) });
}

/** Variables that are not settings. */
const NO_SETTINGS: readonly string[] = [DEBUG_VARIABLE, PASSWORD_VARIABLE];

/**
 * Checks environment variables. An empty one counts as unset, as in Compose files. Other programs may use the prefix too, so an
 * unknown name is a mistake only if it is near a known one.
 */
export function variableLayer(env: Given, cwd: string, wanted: readonly SettingKey[]): Layer {
  const keys = new Map<string, string>(SETTING_KEYS.map((key) => [variableOf(key), key]));
  const known = [...keys.keys(), DEBUG_VARIABLE, CONFIG_VARIABLE, PASSWORD_VARIABLE];
  const given: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(VARIABLE_PREFIX) || NO_SETTINGS.includes(name) || !text) continue;
    const isInjected = INJECTED.some((pattern) => pattern.test(`${name}=${text}`));
    if (!isInjected && findNear(name, known)) given[keys.get(name) ?? name] = text;
  }
  const nameOf = (key: string) => (isKey(key) ? variableOf(key) : key);
  return check({ given, wanted, folder: cwd, nameOf, known });
}

/** Checks the values of the config file. */
export function fileLayer({ name, folder, values }: ConfigFile, wanted: readonly SettingKey[]): Layer {
  // `$schema` is for editors.
  const { $schema: _, ...given } = values;
  return check({ given, wanted, folder, nameOf: (key) => `${key} in ${name}`, known: SETTING_KEYS, read: fromFile });
}

type Given = Readonly<Record<string, unknown>>;

interface Unchecked extends Pick<Layer, "nameOf"> {
  given: Given;
  /** The settings that the verb uses. Others are allowed, and not checked. */
  wanted: readonly SettingKey[];
  folder: string;
  known: readonly string[];
  /** Parses a value; by default as text of a flag or variable. */
  read?: (key: SettingKey, value: unknown) => unknown;
}

function check({ given, wanted, folder, nameOf, known, read = fromText }: Unchecked): Layer {
  const values: Record<string, unknown> = {};
  const unknown = Object.keys(given).filter((key) => !isKey(key));
  const mistakes = describeUnknown(unknown, nameOf, known);
  for (const [key, value] of Object.entries(given)) {
    if (!isKey(key) || !wanted.includes(key)) continue;
    const { kind, schema } = settingOf(key);
    const { data, error } = schema.safeParse(read(key, value));
    if (error) mistakes.push(describeMistake(nameOf(key), value, settingOf(key), error));
    else values[key] = resolved(kind, data, folder);
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

/** A sentence for each unknown name with a near known one, and one sentence for all others. */
function describeUnknown(unknown: readonly string[], nameOf: Layer["nameOf"], known: readonly string[]) {
  const nearest = (key: string) => findNear(key, known);
  const sentences = unknown.flatMap((key) => {
    const name = nearest(key);
    if (name === undefined) return [];
    const advice = name === CONFIG_VARIABLE ? `pass ${CONFIG_FLAG} FILE.` : `did you mean ${name}?`;
    return [`${nameOf(key)} is not a setting; ${advice}`];
  });
  const others = unknown.filter((key) => nearest(key) === undefined).map(nameOf);
  if (others.length === 0) return sentences;
  const verdict = others.length === 1 ? "is not a setting" : "are not settings";
  return [...sentences, `${others.join(", ")} ${verdict}; known are ${known.join(", ")}.`];
}

/** Variables that Kubernetes and Docker inject for a service named `rollcall` or `rollcall-...`. They are ignored. */
const INJECTED = [
  // ROLLCALL_SERVICE_HOST=10.0.0.1, ROLLCALL_SERVICE_PORT=80, ROLLCALL_SERVICE_PORT_HTTP=80
  /^[^=]*_SERVICE_(HOST|PORT(_[^=]+)?)=/,
  // ROLLCALL_PORT_8080_TCP=tcp://10.0.0.1:8080, ROLLCALL_PORT_8080_TCP_ADDR=10.0.0.1
  /^[^=]*_PORT_\d+_(TCP|UDP|SCTP)(_[^=]+)?=/,
  // ROLLCALL_PORT=tcp://10.0.0.1:80, whose name is also that of a setting
  /^[^=]*_PORT=(tcp|udp|sctp):\/\//,
];

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
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function fromText(key: SettingKey, value: unknown): unknown {
  return typeof value === "string" ? READERS[settingOf(key).kind](value) : value;
}

/** Parses lists written as `"br,gzip"`. Other values of the file have their JSON types. */
function fromFile(key: SettingKey, value: unknown): unknown {
  const { kind } = settingOf(key);
  return kind === "list" || kind === "keys" ? fromText(key, value) : value;
}
