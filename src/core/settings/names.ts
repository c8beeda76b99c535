/** The three spellings of a setting: `pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`; the names of files that settings have by default. */
const VARIABLE_PREFIX = "ROLLCALL_";

/** Prints the stack of a bug. It has neither flag nor config key. */
export const DEBUG_VARIABLE = "ROLLCALL_DEBUG";

/** The password of the secret key. It has neither flag nor config key, which other users or backups could see. */
export const PASSWORD_VARIABLE = "ROLLCALL_SIGN_PASSWORD";

/** Names the config file. It is neither a variable nor a key. */
export const CONFIG_FLAG = "--config";

/** The config file that is read by default. */
export const CONFIG_FILE = "rollcall.config.json";
/** The contract that is used by default if it is in the folder of the config file. */
export const CONTRACT_FILE = "rollcall.contract.json";
/** The sample users, in the package and in the config that `init` writes. */
export const SAMPLE_FILE = "data/users.sqlite";

/** Settings whose flag is also that of another setting of other verbs. Their variables and keys differ. */
const OWN_FLAGS: ReadonlyMap<string, string> = new Map([
  ["sourceFormat", "--format"],
  ["schemaFormat", "--format"],
  ["devPort", "--port"],
  ["allTables", "--all"],
]);

/** The flag of a setting: `--page-size`. */
export function flagOf(key: string): string {
  return OWN_FLAGS.get(key) ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of a setting: `ROLLCALL_PAGE_SIZE`. */
export function variableOf(key: string): string {
  return VARIABLE_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
