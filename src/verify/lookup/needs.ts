/** What there is of look-ups and of the page for people, whether they are of this version, and what belongs together. */
import { isObject, parseJson } from "../../contract/json.js";
import type { LookupIndex } from "../../contract/lookup.js";
import type { ExplorerSummary } from "../../explorer/form.js";
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

export const OTHER_VERSION = "another version of Rollcall wrote it";
/** Where what records make is not known. */
export const UNUSABLE = "the pages that it is made of are not as they should be";
/** Of the forms that are known here. */
const VERSIONS: { lookup: LookupIndex["version"]; explorer: ExplorerSummary["version"] } = { lookup: 2, explorer: 1 };

/** Whether the form of what a check's first file says is another one, which may be right in its own way. */
export function isOfOtherVersion(check: LookupCheck, text: string): boolean {
  const read = parseJson(text);
  const version = "value" in read && isObject(read.value) ? read.value["version"] : undefined;
  return typeof version === "number" && version !== VERSIONS[check];
}

/** What is missing of what belongs together: the page for people works by its summary, and by the look-up. */
export function* missingParts(has: (path: string) => boolean): Generator<[path: string, difference: LookupDifference]> {
  const there = [SUMMARY, EXPLORER].find(has);
  if (there === undefined) return;
  for (const path of [EXPLORER, LOOKUP])
    if (!has(path)) yield [path, { found: "no such file", expected: `one, since there is ${there}` }];
}
