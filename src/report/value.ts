/** How a report writes one value of a user: free text in quotes, everything else without. */
import type { User } from "../contract/user.js";
import { shorten } from "../print/text.js";

/** Fields that may hold any text. Quotes show where the text ends, and that it is empty. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  "bio",
  "display_name",
  "first_name",
  "last_name",
  "off_chain.liveness_tier",
  "username",
]);

/** Text in other fields that would be misread without quotes; `|` and `` ` `` have a meaning in Markdown. */
const NEEDS_QUOTES = /^$|[\s"\\`|]/;

/** A value as text. Not escaped. */
export interface Written {
  text: string;
  quoted: boolean;
}

/** For example, `VERIFIED` and `["EN","DE"]` without quotes, and a bio with quotes. */
export function writeValue(path: string, value: unknown): Written {
  if (typeof value !== "string") return { text: JSON.stringify(value) ?? "nothing", quoted: false };
  return { text: value, quoted: FREE_TEXT.has(path) || NEEDS_QUOTES.test(value) };
}

const LONGEST_NAME = 40;

/** The name of a user for people; empty when the user has none but the id. Not escaped. */
export function nameOf({ id, display_name, username }: User): string {
  const name = [display_name, username].find((text) => text !== "" && text !== id) ?? "";
  return shorten(name, LONGEST_NAME);
}
