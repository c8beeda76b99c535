/** Parses the requests of the fast path: a GET of a page or a file, with plain headers. Node's parser handles all others. */
import { LRUCache } from "lru-cache";
import { asPattern } from "../../contract/links.js";

/** Maximum cached header blocks. Clients send the same headers with each request. */
const REMEMBERED = 1_024;

/**
 * Makes a parser of requests for a listing, such as `/v1/stations/` or `/`, and for files. It returns undefined for requests that
 * Node's parser must handle.
 */
export function createFastReader(listing: string) {
  const start = asPattern(listing);
  const number = "([1-9][0-9]{0,8})";
  // The listing comes before files: its path may be that of the explorer.
  const target = `(${start})(?:\\?(?:format=api&)?page=${number})?|${start}pages/${number}\\.json|(/[\\w./-]*)`;
  const line = new RegExp(`GET (${target}) HTTP/1\\.1\r\n`, "y");
  const remembered = new LRUCache<string, ReturnType<typeof readHeaders>>({ max: REMEMBERED, memoMethod: readHeaders });
  return (text: string, at: number) => {
    line.lastIndex = at;
    const [, url, first, byQuery, byPath, path = ""] = line.exec(text) ?? [];
    const page = byQuery ?? byPath ?? (first && "1");
    if (url === undefined) return undefined;
    const block = line.lastIndex;
    // Begin 2 characters earlier: without headers, the end of the request line is part of the empty line.
    const blank = text.indexOf("\r\n\r\n", block - 2);
    if (blank === -1) return undefined;
    const headers = remembered.memo(text.slice(block, blank + 2));
    if (headers === "unknown") return undefined;
    return { page: page === undefined ? undefined : Number(page), path, url, end: blank + 4, headers };
  };
}

/** A header line whose value is visible ASCII, with spaces only inside: no folding, no tabs, nothing to trim. */
const HEADER = /([A-Za-z0-9-]+): ?((?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?)\r\n/y;

/** Headers that change how the request or its connection must be handled. */
const UNKNOWN = new Set(["content-length", "transfer-encoding", "upgrade", "expect", "proxy-connection"]);

/** Parses a header block. `unknown` means that Node's parser must handle it: it has a header of `UNKNOWN`, or one twice. */
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
  if (!found.has("host")) return "unknown";
  return {
    acceptEncoding: found.get("accept-encoding"),
    ifNoneMatch: found.get("if-none-match"),
    agent: found.get("user-agent") ?? "",
    referer: found.get("referer") ?? "",
  };
}
