/** The three spellings of a setting (`pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`), and guesses for misspelled names. */
import { closest, distance } from "fastest-levenshtein";

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

/** The known name that `unknown` is probably a misspelling of, if any. */
export function findNear(unknown: string, known: readonly string[]): string | undefined {
  const nearest = closest(bare(unknown), known.map(bare));
  return isNear(bare(unknown), nearest) ? known.find((name) => bare(name) === nearest) : undefined;
}

/** The end of a message about an unknown name: the nearest known name, or all of them when none is near. */
export function suggest(unknown: string, known: readonly string[]): string {
  const near = findNear(unknown, known);
  return near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
}

function bare(name: string): string {
  const word = name.replace(VARIABLE_PREFIX, "").replace(/[-_\s]/g, "");
  return word.toLowerCase();
}

/** Whether at most a third of the letters are wrong (one in a short name), or all stand in another order, as in `hots`. */
function isNear(unknown: string, name: string): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return distance(unknown, name) <= Math.max(1, name.length / 3) || sorted(unknown) === sorted(name);
}
