/**
 * Reads the request that nearly every client sends: a GET of a page by number, in one piece, whose headers are known
 * here or change nothing. Everything else that is valid HTTP is left to Node's parser.
 */
import { LRUCache } from "lru-cache";

interface FastHeaders {
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

export interface FastRequest extends FastHeaders {
  page: number;
  url: string;
  /** Where in the text the next request begins. */
  end: number;
}

/** How many blocks of headers are remembered: clients send the same ones with each request. */
const REMEMBERED = 1_024;

const METHOD = "GET ";
const VERSION = " HTTP/1.1\r\n";
const MAX_DIGITS = 9;

/**
 * Makes a reader of requests for a listing, such as `/api/users/`. It returns undefined for all that Node's parser has
 * to judge. `text` has one character a byte.
 */
export function createFastReader(listing: string): (text: string, at: number) => FastRequest | undefined {
  const full = `${METHOD}${listing}?format=api&page=`;
  const short = `${METHOD}${listing}?page=`;
  const remembered = new LRUCache<string, FastHeaders | "unknown">({ max: REMEMBERED });
  const headersOf = (block: string): FastHeaders | "unknown" => {
    const known = remembered.get(block);
    if (known) return known;
    const found = readHeaders(block) ?? "unknown";
    remembered.set(block, found);
    return found;
  };
  return (text, at) => {
    const prefix = text.startsWith(full, at) ? full : text.startsWith(short, at) ? short : undefined;
    if (!prefix) return undefined;
    const number = at + prefix.length;
    const digits = countDigits(text, number);
    const line = number + digits;
    if (digits === 0 || digits > MAX_DIGITS || !text.startsWith(VERSION, line)) return undefined;
    const block = line + VERSION.length;
    // Two characters earlier, since without any headers the request line's own end is part of the empty line.
    const blank = text.indexOf("\r\n\r\n", block - 2);
    if (blank === -1) return undefined;
    const headers = headersOf(text.slice(block, blank + 2));
    if (headers === "unknown") return undefined;
    const { acceptEncoding, ifNoneMatch } = headers;
    const page = Number(text.slice(number, line));
    return { page, url: text.slice(at + METHOD.length, line), end: blank + 4, acceptEncoding, ifNoneMatch };
  };
}

/** How many decimal digits stand at `from`; 0 if the first is a zero. */
function countDigits(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === 0x30) return 0;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(++at));
  return at - from;
}

/** A name, a colon and a value of visible ASCII with spaces only inside: no folding, no tabs, nothing to trim. */
const HEADER = /([A-Za-z0-9-]+): ?((?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?)\r\n/y;

/** Headers that say something else about the request or its connection. */
const UNKNOWN = new Set(["content-length", "transfer-encoding", "upgrade", "expect", "proxy-connection"]);

/** Undefined if only Node's parser should judge: a header that matters to it, or any header given twice. */
function readHeaders(block: string): FastHeaders | undefined {
  const found = new Map<string, string>();
  HEADER.lastIndex = 0;
  while (HEADER.lastIndex < block.length) {
    const [, name = "", value = ""] = HEADER.exec(block) ?? [];
    const key = name.toLowerCase();
    if (key === "" || UNKNOWN.has(key) || found.has(key)) return undefined;
    if (key === "connection" && value.toLowerCase() !== "keep-alive") return undefined;
    found.set(key, value);
  }
  if (!found.has("host")) return undefined;
  return { acceptEncoding: found.get("accept-encoding"), ifNoneMatch: found.get("if-none-match") };
}
