/** One layer of settings: what flags, variables or a file give, checked, with a name for where each came from. */
import type { z } from "zod";
import { usageError } from "../errors.js";
import type { ConfigFile } from "./file.js";
import type { Kind } from "./kinds.js";
import { DEBUG_VARIABLE, flagOf, suggest, VARIABLE_PREFIX, variableOf } from "./names.js";
import { at } from "./paths.js";
import { type GivenSettings, KEYS, type Key, SETTINGS, settingOf, settingsSchema } from "./settings.js";

export interface Layer {
  values: GivenSettings;
  /** What the user would call the place that a setting of this layer stands in: `--port`, `port in FILE`. */
  nameOf(key: string): string;
}

/** Flags as commander has them, by key: texts, and true for those without a value. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, cwd: string): Layer {
  return check({ given: flags, folder: cwd, nameOf: flagOf, knownNames: KEYS.map(flagOf) });
}

/** Every ROLLCALL_ variable; an empty one counts as not set, since that is how compose files and shells unset. */
export function variableLayer(env: Readonly<Record<string, string | undefined>>, cwd: string): Layer {
  const keys = new Map<string, string>(KEYS.map((key) => [variableOf(key), key]));
  const given: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(VARIABLE_PREFIX) || name === DEBUG_VARIABLE || !text) continue;
    given[keys.get(name) ?? name] = text;
  }
  const nameOf = (key: string) => (isKey(key) ? variableOf(key) : key);
  return check({ given, folder: cwd, nameOf, knownNames: [...keys.keys(), DEBUG_VARIABLE] });
}

export function fileLayer({ name, folder, values }: ConfigFile): Layer {
  return check({ given: values, folder, nameOf: (key) => `${key} in ${name}`, knownNames: KEYS });
}

interface Unchecked {
  given: Readonly<Record<string, unknown>>;
  folder: string;
  nameOf: Layer["nameOf"];
  knownNames: readonly string[];
}

function check({ given, folder, nameOf, knownNames }: Unchecked): Layer {
  const read = Object.entries(given).map(([key, value]) => [key, isKey(key) ? fromText(key, value) : value]);
  const { data, error } = settingsSchema.safeParse(Object.fromEntries(read));
  const unknown = error?.issues.find((issue) => issue.code === "unrecognized_keys")?.keys[0];
  if (unknown !== undefined) {
    throw usageError(`${nameOf(unknown)} is not a setting; ${suggest(unknown, knownNames)}`);
  }
  if (error) throw refuse(error, given, nameOf);
  const values = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      isKey(key) && settingOf(key).kind === "path" ? at(folder, String(value)) : value,
    ]),
  );
  return { values, nameOf };
}

function refuse(error: z.ZodError, given: Unchecked["given"], nameOf: Layer["nameOf"]) {
  const [issue] = error.issues;
  const key = String(issue?.path[0]) as Key;
  const { allowed } = settingOf(key);
  if (allowed === undefined) return usageError(`${nameOf(key)}: ${issue?.message}`);
  return usageError(`${nameOf(key)} must be ${allowed}, got ${JSON.stringify(given[key])}.`);
}

/** How each kind reads a text; what does not fit stays a text, which the schema refuses. */
const READERS: Record<Kind, (text: string) => unknown> = {
  text: (text) => text,
  path: (text) => text,
  number: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text) => ({ true: true, 1: true, false: false, 0: false })[text] ?? text,
  list: (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
};

/** A file may write a list as `"br,gzip"`; its other values are of their own types already. */
function fromText(key: Key, value: unknown): unknown {
  return typeof value === "string" ? READERS[settingOf(key).kind](value) : value;
}

function isKey(name: string): name is Key {
  return Object.hasOwn(SETTINGS, name);
}
