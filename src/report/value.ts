/** How a report writes keys, paths and values: free text in quotes, everything else without. */
import { writtenValue } from "../contract/record/written.js";
import type { RecordId } from "../diff/change.js";

/** Text in other fields that would be misread without quotes; `|` and `` ` `` have a meaning in Markdown. */
const NEEDS_QUOTES = /^$|[\s"\\`|]/;

/** A value as text. Not escaped. */
export interface Written {
  text: string;
  quoted: boolean;
}

/**
 * For example, `open` and `["EN","DE"]` without quotes, and a sentence with quotes.
 * @param isFree whether the field may hold any text.
 */
export function writeValue(value: unknown, isFree: boolean): Written {
  if (typeof value !== "string") return { text: JSON.stringify(value) ?? "nothing", quoted: false };
  return { text: value, quoted: isFree || NEEDS_QUOTES.test(value) };
}

/** A record's key as the list of records has it: in quotes where it is more than a plain word. Not escaped. */
export function writeId(id: RecordId): string {
  return writtenValue(id);
}

/** Letters that are written from right to left: on one line, they would reverse the order of what stands beside them. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A field's path: in quotes where its names would be misread as something else of the report. Not escaped. */
export function writePath(path: string): string {
  return /^[\p{L}\p{N}\p{M}_$@.-]+$/u.test(path) ? path : JSON.stringify(path);
}
