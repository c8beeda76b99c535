/** Finds the known name that a misspelled one probably means. */
import { closest, distance } from "fastest-levenshtein";

/** Finds the known name nearest to `unknown`, if any is near. Transposed letters, as in `hots`, come first. */
export function findNear(unknown: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const anagram = known.find((name) => sorted(bare(name)) === sorted(bare(unknown)));
  if (anagram !== undefined) return anagram;
  const nearest = closest(bare(unknown), known.map(bare));
  return isNear(bare(unknown), nearest) ? known.find((name) => bare(name) === nearest) : undefined;
}

/** Ends a message about an unknown name: with the nearest known name, or with all of them if none is near. */
export function suggest(unknown: string, known: readonly string[]): string {
  const near = findNear(unknown, known);
  return near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
}

function bare(name: string): string {
  return name.replace(/[-_\s]/g, "").toLowerCase();
}

/** Whether at most a third of the letters are wrong, or one in a short name. */
function isNear(unknown: string, name: string): boolean {
  return distance(unknown, name) <= Math.max(1, name.length / 3);
}

function sorted(text: string): string {
  return [...text].sort().join("");
}
