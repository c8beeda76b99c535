/** Makes untrusted text safe to print: it cannot move the cursor, break or reorder a line, or hide characters. */
import { JOINED, JOINER } from "./joined.js";

/** Matches control, direction and other format characters, line separators, lone surrogates and noncharacters. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

// Compiled on demand: compiling takes milliseconds, and most runs need neither.
let joinedOrInvisible: RegExp | undefined;
let joinedOrAny: RegExp | undefined;

/** Escapes invisible characters as `\uXXXX`, except joiners in emoji and words that need them. */
export function visible(text: string): string {
  if (!JOINER.test(text)) return text.replace(INVISIBLE, escapeUnits);
  joinedOrInvisible ??= new RegExp(`(${JOINED})|${INVISIBLE.source}`, "gv");
  return text.replace(joinedOrInvisible, (found, joined?: string) => joined ?? escapeUnits(found));
}

/** Splits a text into parts that can be escaped one by one. A joined sequence is one part. */
export function characters(text: string): Iterable<string> {
  if (!JOINER.test(text)) return text;
  joinedOrAny ??= new RegExp(`${JOINED}|[^]`, "gv");
  return text.match(joinedOrAny) ?? [];
}

/** Writes a value as one line of JSON in which every invisible character is escaped. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, escapeUnits);
}

/** Writes the value of a problem as JSON, cut to `max` characters. */
export function showValue(value: unknown, max = 60): string {
  if (value === undefined) return "nothing";
  if (value === null) return "NULL";
  if (typeof value === "string") return visible(JSON.stringify(shorten(value, max)));
  return shorten(toJson(value), max);
}

/** Cuts a text to `max` characters, the last of which is an ellipsis. */
export function shorten(text: string, max: number): string {
  // A character has at most two units.
  const characters = [...text.slice(0, 2 * max + 1)];
  if (characters.length <= max) return text;
  return `${characters.slice(0, max - 1).join("")}…`;
}

/** Lists at most `most` words: `a, b and 3 more`. */
export function listed(words: readonly string[], most = 40): string {
  const rest = words.length - most;
  return words.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Collapses white space and line breaks to single spaces. */
export function oneLine(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, " ").trim();
}

/** Matches places in a name or a path where a line may break: after `_`, `.`, `/` and `-`, and before a capital in camelCase. */
export const BREAKS = /(?<=[_./]|[\p{L}\p{N}]-)(?=[^\s_./-])|(?<=\p{Ll})(?=\p{Lu})/gu;

/** Capitalises the first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Quotes a word for a POSIX shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Writes each UTF-16 unit as `\uXXXX`. */
export function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
