/** Guesses which known name a misspelled one was meant to be. */
import { closest, distance } from "fastest-levenshtein";

/** Of variables, in which it stands before every name, and so says nothing. */
const PREFIX = "ROLLCALL_";

/** The known name that `unknown` is probably a misspelling of, if any. */
export function findNear(unknown: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(bare(unknown), known.map(bare));
  return isNear(bare(unknown), nearest) ? known.find((name) => bare(name) === nearest) : undefined;
}

/** The end of a message about an unknown name: the nearest known name, or all of them when none is near. */
export function suggest(unknown: string, known: readonly string[]): string {
  const near = findNear(unknown, known);
  return near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
}

function bare(name: string): string {
  const word = name.replace(PREFIX, "").replace(/[-_\s]/g, "");
  return word.toLowerCase();
}

/** Whether at most a third of the letters are wrong (one in a short name), or all stand in another order, as in `hots`. */
function isNear(unknown: string, name: string): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return distance(unknown, name) <= Math.max(1, name.length / 3) || sorted(unknown) === sorted(name);
}
