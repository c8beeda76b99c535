/** Guesses which known name a misspelled one was meant to be. */
import { closest, distance } from "fastest-levenshtein";

/** Of variables, in which it stands before every name, and so says nothing. */
const PREFIX = "ROLLCALL_";

/** The known name that `unknown` is probably a misspelling of, if any; first one whose letters stand in another order, as in `hots`. */
export function findNear(unknown: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const turned = known.find((name) => sorted(bare(name)) === sorted(bare(unknown)));
  if (turned !== undefined) return turned;
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

/** Whether at most a third of the letters are wrong, or one in a short name. */
function isNear(unknown: string, name: string): boolean {
  return distance(unknown, name) <= Math.max(1, name.length / 3);
}

function sorted(text: string): string {
  return [...text].sort().join("");
}
