/** The three spellings of a setting: `pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`. */
export const VARIABLE_PREFIX = "ROLLCALL_";

/** Asks for the stack of a bug. It has no flag and no config key. */
export const DEBUG_VARIABLE = "ROLLCALL_DEBUG";

/** Names the config file, so it cannot stand in there. */
export const CONFIG_FLAG = "--config";
export const CONFIG_VARIABLE = "ROLLCALL_CONFIG";

export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(key: string): string {
  return VARIABLE_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
