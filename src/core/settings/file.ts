/** Finds and reads the config file. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { parseConfig } from "../contract/file/config-json.js";
import { isObject } from "../contract/json.js";
import { readText, usageError } from "../errors.js";
import { at } from "./kinds.js";
import { CONFIG_FILE, CONFIG_FLAG } from "./names.js";

export interface ConfigFile {
  name: string;
  /** Paths in the file are relative to this folder. */
  folder: string;
  values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the config file. @param given path relative to `cwd`; by default `CONFIG_FILE`, if it exists.
 * @throws UserError (usage) if it cannot be read, is not a JSON object, or repeats a key.
 */
export function readConfigFile(cwd: string, given?: string): ConfigFile | undefined {
  if (given === "") throw usageError(`${CONFIG_FLAG} must name a file, got "".`);
  const name = given ?? CONFIG_FILE;
  const path = at(cwd, name);
  if (given === undefined && !existsSync(path)) return undefined;
  const parsed = parseConfig(readText(path, `${CONFIG_FLAG} names the config file`));
  if ("mistake" in parsed) throw usageError(`${name} is not JSON: ${parsed.mistake}.`);
  if (!isObject(parsed.value)) throw usageError(`${name} must hold a JSON object, such as {"db": "users.sqlite"}.`);
  if (parsed.repeated.length > 0) {
    const places = parsed.repeated.map(({ key, line, column }) => `${key} (line ${line}, column ${column})`);
    throw usageError(`${name} repeats ${places.join(", ")}; remove the repetitions.`);
  }
  return { name, folder: dirname(path), values: parsed.value };
}
