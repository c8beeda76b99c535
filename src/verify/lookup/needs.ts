/** What there is of look-ups and of the explorer, and what belongs together. */
import { EXPLORER, EXPLORER_FOLDER, LOOKUP, LOOKUP_FOLDER, SUMMARY } from "../../release/layout.js";
import type { LookupDifference } from "./differences.js";

export const LOOKUP_CHECKS = ["lookup", "explorer"] as const;

export type LookupCheck = (typeof LOOKUP_CHECKS)[number];

/** The file that says what the others of a check hold. */
export const HEADS: Readonly<Record<LookupCheck, string>> = { lookup: LOOKUP, explorer: SUMMARY };

/** Which check a file belongs to. */
export function checkOf(path: string): LookupCheck | undefined {
  if (path.startsWith(`${LOOKUP_FOLDER}/`)) return "lookup";
  return path === EXPLORER || path.startsWith(`${EXPLORER_FOLDER}/`) ? "explorer" : undefined;
}

/** Where what records make is not known. */
export const UNUSABLE = "the pages that it is made of are not as they should be";
/** What is missing of what belongs together: the page for people works by its summary, and by the look-up. */
export function* missingParts(has: (path: string) => boolean): Generator<[path: string, difference: LookupDifference]> {
  const there = [SUMMARY, EXPLORER].find(has);
  if (there === undefined) return;
  for (const path of [EXPLORER, LOOKUP])
    if (!has(path)) yield [path, { found: "no such file", expected: `one, since there is ${there}` }];
}
