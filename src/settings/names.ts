/** The three spellings of a setting: `pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`. */
export const VARIABLE_PREFIX = "ROLLCALL_";

/** Asks for the stack of a bug. It has no flag and no config key. */
export const DEBUG_VARIABLE = "ROLLCALL_DEBUG";

/** Holds the password of the key that signs. It has no flag and no config key, which other users and backups could see. */
export const PASSWORD_VARIABLE = "ROLLCALL_SIGN_PASSWORD";

/** Names the config file, so it cannot stand in there. */
export const CONFIG_FLAG = "--config";
export const CONFIG_VARIABLE = "ROLLCALL_CONFIG";

/** A verb's own setting, under a flag that means another one in another verb. Variables and the file tell them apart. */
const OWN_FLAGS: ReadonlyMap<string, string> = new Map([
  ["schemaFormat", "--format"],
  ["devPort", "--port"],
]);

export function flagOf(key: string): string {
  return OWN_FLAGS.get(key) ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(key: string): string {
  return VARIABLE_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
