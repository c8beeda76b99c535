/** Regular expressions for hosts without scripts, valid in PCRE and RE2. */
import { ENCODINGS, type Encoding } from "../core/contract/headers.js";

/** A page number in a query and in a file name. */
export const PAGE_NUMBER = "[1-9][0-9]{0,8}";

/** Patterns of the raw query, without `?`. The first match decides; without a match, it is page 1. */
export const QUERY = {
  /** The group is the page. */
  page: `(?:^|&)page=(${PAGE_NUMBER})(?:&|$)`,
  /** A value that is not a page. */
  other: "(?:^|&)page=[^&]",
} as const;

/**
 * Patterns of Accept-Encoding, for matching without case. The first match gives the ending of the page's file; without a match,
 * it is the plain page. Regular expressions cannot compare two q-values between 0 and 1: br comes first then.
 */
export function encodingPatterns(encodings: readonly Encoding[]): { pattern: string; suffix: string }[] {
  const accepted = encodings.map((name) => ({
    pattern: `(?:^|,)\\s*${name}\\s*(?:$|,|;\\s*q=(?:1|0\\.\\d*[1-9]))`,
    suffix: ENCODINGS[name],
  }));
  if (encodings.length < 2) return accepted;
  const gzipIsPreferred = [
    "(?:^|,)\\s*br\\s*;\\s*q=0.*,\\s*gzip\\s*(?:$|,|;\\s*q=1)",
    "(?:^|,)\\s*gzip\\s*(?:;\\s*q=1[.0]*\\s*)?,(?:.*,)?\\s*br\\s*;\\s*q=0",
  ];
  return [...gzipIsPreferred.map((pattern) => ({ pattern, suffix: ENCODINGS.gzip })), ...accepted];
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

/** A pattern that matches exactly one of these texts, without groups. */
export function alternatives(texts: readonly string[]): string {
  return `(?:${texts.map(literal).join("|")})`;
}
