/** What a client can use: which stored variant of a page it accepts, whether it has the bytes already, and which it lacks. */
import type { IncomingHttpHeaders } from "node:http";
import fresh from "fresh";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import type { Variant } from "../release/layout.js";

/** Clients send few different values. Longer ones than this are not remembered, so that memory stays bounded. */
const REMEMBERED = { values: 256, length: 256 } as const;

/** Makes the choice by Accept-Encoding; `identity` if the client accepts none of a release's encodings. */
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
 * True if the client has the tagged bytes already, by its If-None-Match. Its other headers do not count: a strong tag
 * needs no date, and `Cache-Control: no-cache` asks caches on the way, not the origin.
 */
export function isFresh(given: string | undefined, etag: string): boolean {
  // Nearly every client sends the one tag that it was given.
  if (given === undefined || given === etag) return given !== undefined;
  // The library knows only spaces around commas; HTTP also allows tabs.
  return fresh({ "if-none-match": given.replaceAll("\t", " ") }, { etag });
}

/**
 * The bytes that a request asks for, both ends included; `none` where the file has none of these. Undefined where the whole
 * is to be sent: without a range, with several or another form, and to a client whose beginning is of other bytes.
 */
export function requestedRange(
  { range, "if-range": condition }: IncomingHttpHeaders,
  etag: string,
  size: number,
): { start: number; end: number } | "none" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? "") ?? [];
  if (first + last === "" || (condition !== undefined && condition !== etag)) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  // Without a beginning, the number says how many bytes of the end.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size ? "none" : { start, end };
}
