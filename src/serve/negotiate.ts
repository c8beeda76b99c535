/** Evaluates request headers: Accept-Encoding, If-None-Match and Range. */
import fresh from "fresh";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { ENCODINGS, type Encoding } from "../core/contract/headers.js";
import type { Variant } from "../core/release/layout.js";
import type { ByteRange } from "./answers.js";

/** The headers that select a response. */
export type RequestHeaders = {
  readonly [name in "accept-encoding" | "if-none-match" | "if-range" | "range"]?: string | undefined;
};

/** The limits of the cache of Accept-Encoding values. Clients send few different ones. */
const REMEMBERED = { values: 256, length: 256 } as const;

/** Makes a function that selects a variant by Accept-Encoding; `identity` if the client accepts no other. */
export function createNegotiation(encodings: readonly Encoding[]): (header: string | undefined) => Variant {
  if (encodings.length === 0) return () => "identity";
  const preferred = (Object.keys(ENCODINGS) as Encoding[]).filter((coding) => encodings.includes(coding));
  const available: readonly Variant[] = [...preferred, "identity"];
  const choose = (header: string): Variant => {
    // The typings lack `preferred`, which decides between equal q-values.
    const negotiator: { encodings(available: readonly string[], options: { preferred: readonly string[] }): string[] } =
      new Negotiator({ headers: { "accept-encoding": header } });
    const [best] = negotiator.encodings(available, { preferred });
    return available.find((variant) => variant === best) ?? "identity";
  };
  const remembered = new LRUCache<string, Variant>({ max: REMEMBERED.values, memoMethod: choose });
  return (header) => {
    if (!header) return "identity";
    return header.length > REMEMBERED.length ? choose(header) : remembered.memo(header);
  };
}

/**
 * Whether If-None-Match matches an ETag, so that 304 is the response. Ignores If-Modified-Since, which a strong ETag makes
 * needless, and `Cache-Control: no-cache`, which is for caches, not for the origin.
 */
export function isFresh(given: string | undefined, etag: string): boolean {
  // Nearly every client sends the one tag that it got.
  if (given === undefined || given === etag) return given !== undefined;
  // `fresh` accepts only spaces around commas; HTTP also allows tabs.
  return fresh({ "if-none-match": given.replaceAll("\t", " ") }, { etag });
}

/**
 * Parses a Range header. @returns the first and last byte of the range; `none` if the file has no byte of it; undefined if
 * the whole file is sent: without a range, with several or an invalid one, or if If-Range has another ETag.
 */
export function requestedRange(
  { range, "if-range": condition }: RequestHeaders,
  etag: string,
  size: number,
): ByteRange | "none" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? "") ?? [];
  if (first + last === "" || (condition !== undefined && condition !== etag)) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  // `bytes=-500` means the last 500 bytes.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size ? "none" : { start, end };
}
