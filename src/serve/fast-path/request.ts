/** Parses the requests of the fast path: a GET with a plain URL and plain headers. Node's parser handles all others. */
import { LRUCache } from "lru-cache";
import type { RequestFacts } from "../answer.js";
import { isHost } from "../host-header.js";

/** Maximum cached header blocks. Clients send the same headers with each request. */
const REMEMBERED = 1_024;

/** A path and a query without escapes. */
const LINE = /GET (\/[\w./~-]*(?:\?[\w=&]*)?) HTTP\/1\.1\r\n/y;
const remembered = new LRUCache<string, ReturnType<typeof readHeaders>>({ max: REMEMBERED, memoMethod: readHeaders });

export interface PlainRequest extends RequestFacts {
  /** Where the next request begins. */
  end: number;
  headers: Readonly<Record<string, string>>;
}

/** Reads the request of `text` at `at`. @returns undefined for one that Node's parser must handle: half of one, or of more than `most` bytes. */
export function readPlainGet(text: string, at: number, most: number): PlainRequest | undefined {
  LINE.lastIndex = at;
  const target = LINE.exec(text)?.[1];
  if (target === undefined) return undefined;
  const block = LINE.lastIndex;
  // Begin 2 characters earlier: without headers, the end of the request line is part of the empty line.
  const blank = text.indexOf("\r\n\r\n", block - 2);
  if (blank === -1 || blank - at > most) return undefined;
  const headers = remembered.memo(text.slice(block, blank + 2));
  return headers === "unknown" ? undefined : { method: "GET", target, headers, end: blank + 4 };
}

/** A header line whose value is visible ASCII, with spaces only inside: no folding, no tabs, nothing to trim. */
const HEADER = /([A-Za-z0-9-]+): ?((?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?)\r\n/y;

/** Headers that change how the request or its connection must be handled. */
const UNKNOWN = new Set([
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
  "proxy-connection",
  "range",
  "if-range",
]);

/** Parses a header block. `unknown` means that Node's parser must handle it: it has a header of `UNKNOWN`, one twice, or no valid Host. */
function readHeaders(block: string) {
  const found = new Map<string, string>();
  HEADER.lastIndex = 0;
  while (HEADER.lastIndex < block.length) {
    const [, name = "", value = ""] = HEADER.exec(block) ?? [];
    const key = name.toLowerCase();
    if (key === "" || UNKNOWN.has(key) || found.has(key)) return "unknown";
    if (key === "connection" && value.toLowerCase() !== "keep-alive") return "unknown";
    found.set(key, value);
  }
  const host = found.get("host");
  return host !== undefined && isHost(host) ? Object.fromEntries(found) : "unknown";
}
