/** Checks one layer of settings: flags, environment variables, or the config file. */
import * as z from "zod";
import { parseAs } from "../contract/json.js";
import { checkValues, findUnknown, type Origin, rulesOf, type ValueRule, type Values } from "./check.js";
import type { ConfigFile } from "./file.js";
import { isPublicKey } from "./keys.js";
import { at, isList, type SettingKind, STDIN } from "./kinds.js";
import { flagOf, variableOf } from "./names.js";
import { type GivenSettings, SETTING_KEYS, type SettingKey } from "./settings.js";

export interface Layer {
  values: GivenSettings;
  /** The name of a setting in messages: `--port`, `port in FILE`. */
  nameOf(key: string): string;
  mistakes: readonly string[];
}

/** Checks flags, given by key: texts, or booleans for flags without a value. @param wanted the settings that the verb uses. */
export function flagLayer(flags: Values, cwd: string, wanted: readonly SettingKey[]): Layer {
  return layer(flags, wanted, originOf(cwd, flagOf, fromText));
}

/** The value of a variable that Kubernetes and Docker set for a service: `ROLLCALL_PORT=tcp://10.0.0.1:80`. */
const INJECTED = /^(tcp|udp|sctp):\/\//;

/** Checks environment variables. An empty one counts as unset, as in Compose files. Others with the prefix are ignored. */
export function variableLayer(env: Values, cwd: string, wanted: readonly SettingKey[]): Layer {
  const given = wanted.map((key) => [key, env[variableOf(key)]] as const);
  const set = given.filter(([, text]) => text && !INJECTED.test(String(text)));
  return layer(Object.fromEntries(set), wanted, originOf(cwd, variableOf, fromText));
}

/** Checks the values of the config file. Unknown keys are mistakes. */
export function fileLayer({ name, folder, values }: ConfigFile, wanted: readonly SettingKey[]): Layer {
  // `$schema` is for editors.
  const { $schema: _, ...given } = values;
  const origin = originOf(folder, (key) => `${key} in ${name}`, fromFile);
  const checked = layer(given, wanted, origin);
  return { ...checked, mistakes: [...findUnknown(given, SETTING_KEYS, origin), ...checked.mistakes] };
}

function layer(given: Values, wanted: readonly SettingKey[], origin: Origin): Layer {
  return { ...checkValues(given, rulesOf(wanted), origin), nameOf: origin.nameOf };
}

function originOf(folder: string, nameOf: Origin["nameOf"], read: Origin["read"]): Origin {
  const resolve = ({ kind }: ValueRule, value: unknown) => resolved(kind, value, folder);
  return { nameOf, what: "a setting", verb: "build", read, resolve };
}

/** Resolves a path relative to the layer's folder; returns any other value unchanged. */
function resolved(kind: SettingKind, value: unknown, folder: string): unknown {
  const isPath = kind === "path" || (kind === "input" && value !== STDIN);
  if (isPath && typeof value === "string") return at(folder, value);
  if (kind === "input" && Array.isArray(value)) return value.map((path) => resolved(kind, path, folder));
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
  // A comma separates two marks, and may be one itself: `population=,,area=.`.
  decimals: (text) => text.split(/(?<=(?:^|[=,])[.,]),/),
  references: readReferences,
  files: (text) => parseAs(z.unknown(), text) ?? text,
  listings: (text) => parseAs(z.unknown(), text) ?? text,
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** Reads a list. A flag without a value adds `true` to it. */
function readReferences(text: string): unknown {
  const named = list(text).filter((item) => item !== "true");
  return BOOLEANS[text] ?? (named.length > 0 ? named : true);
}

function fromText({ kind }: ValueRule, value: unknown): unknown {
  return typeof value === "string" ? READERS[kind](value) : value;
}

/** Parses lists written as `"br,gzip"`. Other values of the file have their JSON types. */
function fromFile(rule: ValueRule, value: unknown): unknown {
  return isList(rule.kind) ? fromText(rule, value) : value;
}
