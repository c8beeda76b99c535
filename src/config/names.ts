/** The three spellings of a setting (`pageSize`, `--page-size`, `ROLLCALL_PAGE_SIZE`) and guesses at a fourth. */
import { closest, distance } from "fastest-levenshtein";

export const VARIABLE_PREFIX = "ROLLCALL_";

/** Prints stacks of bugs; a variable only. */
export const DEBUG_VARIABLE = "ROLLCALL_DEBUG";

/** `pageSize` -> `--page-size` */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `pageSize` -> `ROLLCALL_PAGE_SIZE` */
export function variableOf(key: string): string {
  return VARIABLE_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Ends a message about an unknown name: the nearest known one, or all of them when none is near. */
export function suggest(unknown: string, known: readonly string[]): string {
  const bare = (name: string) =>
    name
      .replace(VARIABLE_PREFIX, "")
      .replace(/[-_\s]/g, "")
      .toLowerCase();
  const nearest = closest(bare(unknown), known.map(bare));
  const name = known.find((candidate) => bare(candidate) === nearest);
  const near = name !== undefined && distance(bare(unknown), nearest) <= Math.max(2, nearest.length / 3);
  return near ? `did you mean ${name}?` : `known are ${known.join(", ")}.`;
}
