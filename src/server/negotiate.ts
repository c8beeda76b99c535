/** What a client can use: which stored variant of a page it accepts, and whether it has the bytes already. */
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
  // The library knows only spaces around commas; HTTP also allows tabs.
  return given !== undefined && fresh({ "if-none-match": given.replaceAll("\t", " ") }, { etag });
}
