/** The three spellings of a setting (`pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`) and guesses at a fourth. */
import { closest, distance } from "fastest-levenshtein";

export const VARIABLE_PREFIX = "ROLLCALL_";

/** Prints stacks of bugs; a variable only. */
export const DEBUG_VARIABLE = "ROLLCALL_DEBUG";

/** A flag only: settings cannot say where settings are. */
export const CONFIG_FLAG = "--config";
export const CONFIG_VARIABLE = "ROLLCALL_CONFIG";

/** `pageSize` -> `--page-size` */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `pageSize` -> `ROLLCALL_PAGE_SIZE` */
export function variableOf(key: string): string {
  return VARIABLE_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The known name that `unknown` is likely a misspelling of, or undefined when none is near. */
export function findNear(unknown: string, known: readonly string[]): string | undefined {
  const nearest = closest(bare(unknown), known.map(bare));
  return isNear(bare(unknown), nearest) ? known.find((name) => bare(name) === nearest) : undefined;
}

/** Ends a message about an unknown name: the nearest known one, or all of them when none is near. */
export function suggest(unknown: string, known: readonly string[]): string {
  const near = findNear(unknown, known);
  return near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
}

function bare(name: string): string {
  return name
    .replace(VARIABLE_PREFIX, "")
    .replace(/[-_\s]/g, "")
    .toLowerCase();
}

/** A third of the letters wrong, so one of a short name's; or all of them there in another order, as in `hots`. */
function isNear(unknown: string, name: string): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return distance(unknown, name) <= Math.max(1, name.length / 3) || sorted(unknown) === sorted(name);
}
