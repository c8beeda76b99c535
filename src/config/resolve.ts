/** Puts the layers of settings on each other: flags over variables over the file over defaults. */
import { usageError } from "../errors.js";
import { CONFIG_FILE, readConfigFile } from "./file.js";
import { fileLayer, flagLayer, type Layer, variableLayer } from "./layers.js";
import { flagOf, variableOf } from "./names.js";
import { type GivenSettings, KEYS, type Key, type Settings, settingOf } from "./settings.js";

export interface Sources {
  /** Flags by key, as commander has them. */
  flags: Readonly<Record<string, unknown>>;
  /** `--config`, relative to `cwd`. */
  config?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** What paths in flags and variables are relative to. */
  cwd: string;
}

/** @throws UserError (usage) for the first unknown name, wrong value, or pair that does not go together. */
export async function resolveSettings({ flags, config, env, cwd }: Sources): Promise<Settings> {
  const layers = [flagLayer(flags, cwd), variableLayer(env, cwd)];
  const file = await readConfigFile(cwd, config);
  if (file) layers.push(fileLayer(file));
  refuseBoth(layers, "table", "query");
  const given = layers.map((layer) => layer.values);
  return Object.assign({}, defaultSettings(cwd), ...given.toReversed());
}

/** @throws UserError (usage) naming every place where a setting without a default could have been given. */
export function need<K extends Key>(settings: Settings, key: K): NonNullable<GivenSettings[K]> {
  const value: GivenSettings[K] = settings[key];
  if (value !== undefined && value !== null) return value;
  const flag = `${flagOf(key)} ${settingOf(key).placeholder}`;
  throw usageError(
    `${key} is not set: give ${flag}, ${variableOf(key)}, or ${key} in ${CONFIG_FILE} ("rollcall init" writes one).`,
  );
}

/** What holds where nothing is given; paths are relative to `cwd`. */
export function defaultSettings(cwd: string): Settings {
  const rows = KEYS.map((key) => [key, settingOf(key).default] as const);
  const given = Object.fromEntries(rows.filter(([, value]) => value !== undefined));
  return flagLayer(given, cwd).values as Settings;
}

function refuseBoth(layers: readonly Layer[], one: Key, other: Key): void {
  const place = (key: Key) => layers.find((layer) => layer.values[key] !== undefined)?.nameOf(key);
  const [first, second] = [place(one), place(other)];
  if (first && second) throw usageError(`${first} and ${second} exclude each other; give one of them.`);
}
