/** Puts the layers of settings on each other: flags over variables over the file over defaults. */
import { usageError } from "../errors.js";
import { CONFIG_FILE, readConfigFile } from "./file.js";
import { fileLayer, flagLayer, type Layer, variableLayer } from "./layers.js";
import { flagOf, variableOf } from "./names.js";
import { EITHER_OR, type GivenSettings, SETTING_KEYS, type SettingKey, type Settings, settingOf } from "./settings.js";

export interface Sources {
  /** Flags by key, as commander has them. */
  flags: Readonly<Record<string, unknown>>;
  /** `--config`, relative to `cwd`; null where no file is to be read, not even the usual one. */
  config?: string | null | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** What paths in flags and variables are relative to. */
  cwd: string;
  /** The settings that matter; all of them unless given. Others keep their defaults and are not checked. */
  keys?: readonly SettingKey[];
}

/** @throws UserError (usage) that names every unknown name, wrong value, and pair that does not go together. */
export async function resolveSettings({ flags, config, env, cwd, keys = SETTING_KEYS }: Sources): Promise<Settings> {
  const file = config === null ? undefined : await readConfigFile(cwd, config);
  const layers = [flagLayer(flags, cwd, keys), variableLayer(env, cwd, keys)];
  if (file) layers.push(fileLayer(file, keys));
  const mistakes = layers.flatMap((layer) => [...layer.mistakes, ...findBoth(layer)]);
  if (mistakes.length > 0) throw usageError(mistakes.join(" "));
  return layers.reduceRight(
    (below, { values }) => ({ ...withoutRivals(below, values), ...values }),
    defaultSettings(cwd),
  );
}

/**
 * The settings with those that have no default and are needed.
 * @throws UserError (usage) naming all that are missing, and every place where they could have been given.
 */
export function need<K extends SettingKey>(settings: Settings, ...keys: readonly K[]): Settings & Needed<K> {
  const missing = keys.filter((key) => settings[key] === undefined);
  if (missing.length === 0) return settings as Settings & Needed<K>;
  const listed = (nameOf: (key: SettingKey) => string) => missing.map(nameOf).join(" and ");
  const flags = listed((key) => `${flagOf(key)} ${settingOf(key).placeholder}`);
  const verb = missing.length === 1 ? "is" : "are";
  throw usageError(
    `${listed(String)} ${verb} not set: give ${flags}, ${listed(variableOf)}, or ${listed(String)} in ${CONFIG_FILE} ("rollcall init" writes one).`,
  );
}

type Needed<K extends SettingKey> = { [N in K]-?: NonNullable<GivenSettings[N]> };

/** What holds where nothing is given; paths are relative to `cwd`. */
export function defaultSettings(cwd: string): Settings {
  const rows = SETTING_KEYS.map((key) => [key, settingOf(key).default] as const);
  const given = Object.fromEntries(rows.filter(([, value]) => value !== undefined));
  return flagLayer(given, cwd, SETTING_KEYS).values as Settings;
}

function findBoth({ values, nameOf }: Layer): string[] {
  return EITHER_OR.filter((pair) => pair.every((key) => values[key] !== undefined)).map(
    ([one, other]) => `${nameOf(one)} and ${nameOf(other)} exclude each other; give one of them.`,
  );
}

/** What lower layers say, without the other half of each pair that a higher one decides. */
function withoutRivals(below: Settings, above: GivenSettings): Settings {
  const kept = { ...below };
  for (const [one, other] of EITHER_OR) {
    if (above[one] !== undefined) delete kept[other];
    if (above[other] !== undefined) delete kept[one];
  }
  return kept;
}
