/** How hosts without code of their own read a request: regular expressions that PCRE and RE2 understand alike. */
import { ENCODINGS, type Encoding } from "../../contract/headers.js";

/** The name `page`, however much of it is percent-encoded. */
const NAME = "(?:p|%70)(?:a|%61)(?:g|%67)(?:e|%65)";

/**
 * What a query string, as it was sent and without its `?`, asks for: the first pattern that is found decides, and where
 * none is, it is page 1. Together they say what `requestedPage` of the contract says.
 */
export const QUERY = {
  /** Two pages are none. */
  twice: `(?:^|&)${NAME}(?:=[^&]*)?&(?:.*&)?${NAME}(?:[=&]|$)`,
  /** A canonical number; the nine groups are its digits, of which the later ones may be empty. */
  page: `(?:^|&)${NAME}=(?:%3)?([1-9])${"(?:(?:%3)?([0-9]))?".repeat(8)}(?:&|$)`,
  /** No number is page 1. */
  empty: `(?:^|&)${NAME}=?(?:&|$)`,
  /** Anything else is none. */
  other: `(?:^|&)${NAME}=`,
} as const;

/** The whole of a query that `QUERY.page` is found in and `QUERY.twice` is not, with the same groups. */
export const WHOLE_QUERY = `^(?:.*&)?${QUERY.page.slice("(?:^|&)".length, -"(?:&|$)".length)}(?:&.*)?$`;

/** The groups of `QUERY.page`, from 1. */
export const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** A page's number as its file is named. */
export const PAGE_NUMBER = "[1-9][0-9]{0,8}";

/** The end of a page's file for an Accept-Encoding: the first pattern that is found decides; none is the plain file. */
export function encodingPatterns(encodings: readonly Encoding[]): { pattern: string; suffix: string }[] {
  const named = encodings.map((name) => ({ pattern: accepted(name), suffix: ENCODINGS[name] }));
  // A `*` stands for what is not named, so whatever is refused by name comes before it.
  const refused = encodings.map((name) => ({ pattern: listed(name), suffix: "" }));
  const any = encodings.slice(0, 1).map((name) => ({ pattern: accepted("\\*"), suffix: ENCODINGS[name] }));
  return [...named, ...refused, ...any];
}

/** What hosts that choose by these patterns cannot do. */
export const PATTERN_LIMITATIONS = {
  "encoding-order": "Regular expressions do not compare q-values: br goes before gzip, and both before the plain page",
};

function accepted(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;[ \\t]*[qQ]=(?:0\\.[0-9]*[1-9][0-9]*|1(?:\\.0*)?)[ \\t]*)?(?:,|$)`;
}

function listed(name: string): string {
  return `(?:^|,)[ \\t]*${name}[ \\t]*(?:;|,|$)`;
}

/** A text that is meant letter by letter, in a regular expression; quotes and all that is not printable as `\xHH`. */
export function literal(bytes: Uint8Array | string): string {
  return [...Buffer.from(bytes)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      if (/[\w/-]/.test(letter)) return letter;
      return /[!#-&(-_{-~]/.test(letter) ? `\\${letter}` : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}
