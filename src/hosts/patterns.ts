/** Regular expressions by which hosts without scripts read a request; PCRE and RE2 understand them alike. */
import { ENCODINGS, type Encoding } from "../contract/headers.js";

/** The name `page`, with or without percent-encoded letters. */
const NAME = "(?:p|%70)(?:a|%61)(?:g|%67)(?:e|%65)";

/**
 * Patterns for the query as it was sent, without its `?`. The first one that matches says which page is asked for; where
 * none matches, it is page 1. The result is the same as that of the contract's `requestedPage`.
 */
export const QUERY = {
  /** Two values: there is no such page. */
  twice: `(?:^|&)${NAME}(?:=[^&]*)?&(?:.*&)?${NAME}(?:[=&]|$)`,
  /** A number without leading zeros. The nine groups are its digits, and the later ones may be empty. */
  page: `(?:^|&)${NAME}=(?:%3)?([1-9])${"(?:(?:%3)?([0-9]))?".repeat(8)}(?:&|$)`,
  /** An empty value is page 1. */
  empty: `(?:^|&)${NAME}=?(?:&|$)`,
  /** Any other value: there is no such page. */
  other: `(?:^|&)${NAME}=`,
} as const;

/** Matches the whole of a query that `QUERY.page` matches and `QUERY.twice` does not, with the same groups. */
export const WHOLE_QUERY = `^(?:.*&)?${QUERY.page.slice("(?:^|&)".length, -"(?:&|$)".length)}(?:&.*)?$`;

/** The numbers of the groups of `QUERY.page`. */
export const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** A page's number in the name of its file. */
export const PAGE_NUMBER = "[1-9][0-9]{0,8}";

/**
 * Matches a path and what ends it, where it is spelt as links spell it: the base path letter by letter, and behind it no escape, no
 * empty segment and no dot segment. No file of a release needs an escape.
 * @param end what may stand behind a request's path besides `?` and the end of the text.
 */
export function spelling(base: string, end = ""): string {
  const segment = `/(?!/|\\.\\.?(?:[/?${end}]|$))[^%/?#${end}]*`;
  return `${literal(base)}(?:${segment})*(?:[?${end}]|$)`;
}

/** Patterns for Accept-Encoding. The first one that matches gives the suffix of the page's file; without a match it is the plain one. */
export function encodingPatterns(encodings: readonly Encoding[]): { pattern: string; suffix: string }[] {
  const named = encodings.map((name) => ({ pattern: accepted(name), suffix: ENCODINGS[name] }));
  // A `*` means codings that are not named, so those that are refused by name come before it.
  const refused = encodings.map((name) => ({ pattern: listed(name), suffix: "" }));
  const any = encodings.slice(0, 1).map((name) => ({ pattern: accepted("\\*"), suffix: ENCODINGS[name] }));
  return [...named, ...refused, ...any];
}

/** What a host cannot do if it uses these patterns. */
export const PATTERN_LIMITATIONS = {
  "encoding-order":
    "Regular expressions cannot compare q-values, so br comes before gzip, and both before the plain page",
};

function accepted(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;[ \\t]*[qQ]=(?:0\\.[0-9]*[1-9][0-9]*|1(?:\\.0*)?)[ \\t]*)?(?:,|$)`;
}

function listed(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;|,|$)`;
}

/** A regular expression that matches only this text. Quotes and unprintable bytes become `\xHH`. */
export function literal(bytes: Uint8Array | string): string {
  return [...Buffer.from(bytes)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      if (/[\w/-]/.test(letter)) return letter;
      return /[!#-&(-_{-~]/.test(letter) ? `\\${letter}` : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}
