/** Regular expressions for hosts without scripts, valid in PCRE and RE2. */
import { ENCODINGS, type Encoding } from "../contract/headers.js";

/** The name `page`, with or without percent-encoded letters. */
const NAME = "(?:p|%70)(?:a|%61)(?:g|%67)(?:e|%65)";

/**
 * Patterns of the raw query, without `?`. The first match gives the page; without a match, it is page 1. The result equals that
 * of the contract's `requestedPage`.
 */
export const QUERY = {
  /** Two values: not a page. */
  twice: `(?:^|&)${NAME}(?:=[^&]*)?&(?:.*&)?${NAME}(?:[=&]|$)`,
  /** A number without leading zeros. The nine groups are its digits; later ones may be empty. */
  page: `(?:^|&)${NAME}=(?:%3)?([1-9])${"(?:(?:%3)?([0-9]))?".repeat(8)}(?:&|$)`,
  /** An empty value is page 1. */
  empty: `(?:^|&)${NAME}=?(?:&|$)`,
  /** Any other value: not a page. */
  other: `(?:^|&)${NAME}=`,
} as const;

/** Like `QUERY.page`, but matches the whole query. */
export const WHOLE_QUERY = `^(?:.*&)?${QUERY.page.slice("(?:^|&)".length, -"(?:&|$)".length)}(?:&.*)?$`;

/** The numbers of the groups of `QUERY.page`. */
export const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** A page number in a file name. */
export const PAGE_NUMBER = "[1-9][0-9]{0,8}";

/**
 * Matches normalised paths, up to their end: the exact base path, then no escapes, no empty segments and no dot segments. No
 * file of a release needs an escape.
 * @param end characters, other than `?`, that may follow the path.
 */
export function spelling(base: string, end = ""): string {
  const segment = `/(?!/|\\.\\.?(?:[/?${end}]|$))[^%/?#${end}]*`;
  return `${literal(base)}(?:${segment})*(?:[?${end}]|$)`;
}

/** Patterns of Accept-Encoding. The first match gives the suffix of the page's file; without a match, it is the plain page. */
export function encodingPatterns(encodings: readonly Encoding[]): { pattern: string; suffix: string }[] {
  const named = encodings.map((name) => ({ pattern: accepted(name), suffix: ENCODINGS[name] }));
  // `*` stands for codings that are not named, so refused names come before it.
  const refused = encodings.map((name) => ({ pattern: listed(name), suffix: "" }));
  const any = encodings.slice(0, 1).map((name) => ({ pattern: accepted("\\*"), suffix: ENCODINGS[name] }));
  return [...named, ...refused, ...any];
}

/** Limitations of hosts that use these patterns. */
export const PATTERN_LIMITATIONS = {
  "encoding-order": "Regular expressions cannot compare q-values: br comes before gzip, and both before the plain page",
};

function accepted(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;[ \\t]*[qQ]=(?:0\\.[0-9]*[1-9][0-9]*|1(?:\\.0*)?)[ \\t]*)?(?:,|$)`;
}

function listed(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;|,|$)`;
}

/** A pattern that matches exactly this text. Quotes and unprintable bytes become `\xHH`. */
export function literal(bytes: Uint8Array | string): string {
  return [...Buffer.from(bytes)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      if (/[\w/-]/.test(letter)) return letter;
      return /[!#-&(-_{-~]/.test(letter) ? `\\${letter}` : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}
