/** How one value of a user stands in a report: free text in quotes, everything else bare. */
import type { User } from "../contract/user.js";
import { shorten } from "../print/text.js";

/** Fields that may hold any text at all; quotes tell an empty one, and where one ends. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  "bio",
  "display_name",
  "first_name",
  "last_name",
  "off_chain.liveness_tier",
  "username",
]);

/** Text that would be misread without quotes, though its field seldom has such: `|` and `` ` `` are Markdown's. */
const NEEDS_QUOTES = /^$|[\s"\\`|]/;

/** A value as text that is not yet safe to print. */
export interface Written {
  text: string;
  quoted: boolean;
}

/** `VERIFIED` and `["EN","DE"]` bare, a bio quoted. */
export function writeValue(path: string, value: unknown): Written {
  if (typeof value !== "string") return { text: JSON.stringify(value) ?? "nothing", quoted: false };
  return { text: value, quoted: FREE_TEXT.has(path) || NEEDS_QUOTES.test(value) };
}

const LONGEST_NAME = 40;

/** What people call a user, not yet safe to print; empty for one who has no name but the id. */
export function nameOf({ id, display_name, username }: User): string {
  const name = [display_name, username].find((text) => text !== "" && text !== id) ?? "";
  return shorten(name, LONGEST_NAME);
}
