/** Makes foreign text safe to print, so that it cannot move the cursor, reorder or break a line, or look like another. */
import { JOINED, JOINER } from "./joined.js";

/** Controls, direction and other invisible format characters, line separators, lone surrogates and noncharacters. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

// Made where they are needed: to make them takes milliseconds, and most runs need neither.
let joinedOrInvisible: RegExp | undefined;
let joinedOrAny: RegExp | undefined;

/** `a\u202eb` with the override as six visible characters; an emoji or a word that a joiner rightly joins as it is. */
export function visible(text: string): string {
  if (!JOINER.test(text)) return text.replace(INVISIBLE, escapeUnits);
  joinedOrInvisible ??= new RegExp(`(${JOINED})|${INVISIBLE.source}`, "gv");
  return text.replace(joinedOrInvisible, (found, joined?: string) => joined ?? escapeUnits(found));
}

/** The characters of a text, of which each can be made visible by itself: what a joiner rightly joins is one. */
export function characters(text: string): Iterable<string> {
  if (!JOINER.test(text)) return text;
  joinedOrAny ??= new RegExp(`${JOINED}|[^]`, "gv");
  return text.match(joinedOrAny) ?? [];
}

/** One line of JSON that is safe to print, in which scripts find no invisible character at all. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, escapeUnits);
}

/** A value of a problem as JSON, cut to `max` characters. */
export function showValue(value: unknown, max = 60): string {
  if (value === undefined) return "nothing";
  if (value === null) return "NULL";
  if (typeof value === "string") return visible(JSON.stringify(shorten(value, max)));
  return shorten(toJson(value), max);
}

/** The beginning of a text and an ellipsis, never half a character. */
export function shorten(text: string, max: number): string {
  // A text is long; its characters are of one or two units.
  const characters = [...text.slice(0, 2 * max + 1)];
  if (characters.length <= max) return text;
  return `${characters.slice(0, max - 1).join("")}…`;
}

/** `a, b and 3 more` */
export function listed(words: readonly string[], most = 40): string {
  const rest = words.length - most;
  return words.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** A text of an author, whose lines and spaces are those of its file. */
export function oneLine(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, " ").trim();
}

/** Places in a name or a path where its line may break: behind `_`, `.`, `/` and a hyphen, and before a capital of camel case. */
export const BREAKS = /(?<=[_./]|[\p{L}\p{N}]-)(?=[^\s_./-])|(?<=\p{Ll})(?=\p{Lu})/gu;

/** A word as a sentence begins with it. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A word of a POSIX shell, quoted only when it must be. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Each UTF-16 unit as `\uXXXX`. */
export function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
