/** Combines the layers of settings: flags override variables, which override the config file, which overrides defaults. */
import { existsSync } from "node:fs";
import { manyMistakes, usageError } from "../errors.js";
import { findTableAndQuery } from "./check.js";
import { readConfigFile } from "./file.js";
import { at } from "./kinds.js";
import { fileLayer, flagLayer, type Layer, variableLayer } from "./layers.js";
import { merge } from "./merge.js";
import { CONFIG_FILE, CONTRACT_FILE, flagOf, variableOf } from "./names.js";
import { type GivenSettings, SETTING_KEYS, type SettingKey, type Settings, settingOf } from "./settings.js";

export interface Sources {
  flags: Readonly<Record<string, unknown>>;
  /** `--config`, relative to `cwd`. With null, no config file is read. */
  config?: string | null | undefined;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The settings that the verb uses; all by default. Others keep their defaults and are not checked. */
  keys?: readonly SettingKey[];
}

/** Resolves the settings of a run. @throws UserError (usage) with every unknown name, wrong value, and table beside a query. */
export async function resolveSettings({ flags, config, env, cwd, keys = SETTING_KEYS }: Sources): Promise<Settings> {
  const file = config === null ? undefined : readConfigFile(cwd, config);
  const layers = [flagLayer(flags, cwd, keys), variableLayer(env, cwd, keys)];
  if (file) layers.push(fileLayer(file, keys));
  const mistakes = layers.flatMap((layer) => [...layer.mistakes, ...findTableAndQuery(layer.values, layer)]);
  // Other verbs take one contract, whether there are listings or not.
  if (keys.includes("table")) mistakes.push(...findContractOfAll(layers));
  if (mistakes.length > 0) throw manyMistakes("settings", mistakes);
  const settings = layers.reduceRight((below, { values }) => merge(values, below), defaultSettings(cwd));
  const contractFile = at(file?.folder ?? cwd, CONTRACT_FILE);
  const usesDefaultContract = keys.includes("contract") && config !== null && settings.contract === undefined;
  return usesDefaultContract && existsSync(contractFile) ? { ...settings, contract: contractFile } : settings;
}

/** Requires settings to be given. @throws UserError (usage) with all that are missing, and how to give each. */
export function need<K extends SettingKey>(settings: Settings, ...keys: readonly K[]): Settings & Needed<K> {
  const missing = keys.filter((key) => settings[key] === undefined);
  if (missing.length === 0) return settings as Settings & Needed<K>;
  const namesBy = (nameOf: (key: SettingKey) => string) => missing.map(nameOf).join(" and ");
  const flags = namesBy((key) => `${flagOf(key)} ${settingOf(key).placeholder}`);
  const verb = missing.length === 1 ? "is" : "are";
  throw usageError(
    `${namesBy(String)} ${verb} not set: give ${flags}, ${namesBy(variableOf)}, or ${namesBy(String)} in ${CONFIG_FILE} ("rollcall init --from FILE" writes one).`,
  );
}

type Needed<K extends SettingKey> = { [N in K]-?: NonNullable<GivenSettings[N]> };

/** The default settings; paths are relative to `cwd`. */
export function defaultSettings(cwd: string): Settings {
  const rows = SETTING_KEYS.map((key) => [key, settingOf(key).default] as const);
  const given = Object.fromEntries(rows.filter(([, value]) => value !== undefined));
  return flagLayer(given, cwd, SETTING_KEYS).values as Settings;
}

/** A layer must not give one contract to several listings of a layer below it. @param layers from the highest to the lowest */
function findContractOfAll(layers: readonly Layer[]): string[] {
  const at = layers.findIndex(({ values }) => values.listings !== undefined);
  const layer = layers[at];
  const names = Object.keys(layer?.values.listings ?? {});
  if (!layer || names.length < 2) return [];
  const where = `${layer.nameOf("listings")} has ${names.length} listings`;
  return layers
    .slice(0, at)
    .filter(({ values }) => values.contract !== undefined)
    .map(({ nameOf }) => {
      return `${nameOf("contract")} is one contract, and ${where}; give each its own: listings.${names[0]}.contract.`;
    });
}
