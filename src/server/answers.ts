/** All responses of a release's server. Their headers are made once per release; a request only selects one. */
import { type ServerResponse, STATUS_CODES } from "node:http";
import {
  CONTENT_TYPE,
  commonHeaders,
  ERROR_DETAILS,
  type ErrorStatus,
  errorBody,
  INVALID_PAGE,
  NO_STORE,
  PREFLIGHT_HEADERS,
  snapshotHeaders,
} from "../contract/headers.js";
import { basePath, pathReference } from "../contract/links.js";
import { fileHeaders, isPacked, OPENAPI, type Variant } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { AnswerKind } from "./counts.js";
import type { Stored } from "./page-cache.js";
import type { Scratch } from "./scratch.js";

/** A response that both Node's server and the fast path can send. */
export class ServerAnswer {
  /**
   * @param body undefined if the status allows none, or the caller sends it.
   * @param scratch the memory of the body, if it is valid only until the next request.
   */
  constructor(
    readonly head: Head,
    readonly etag?: string,
    readonly body?: Buffer,
    readonly scratch?: Scratch,
  ) {}

  withBody({ body, scratch }: Stored): ServerAnswer {
    return new ServerAnswer(this.head, this.etag, body, scratch);
  }
}

/** A status and headers that many responses share: as `name, value, name, value`, and as text with the status line. */
interface Head {
  status: number;
  headers: readonly string[];
  text: string;
  kind: AnswerKind;
}

export type Answers = ReturnType<typeof createAnswers>;

/** Makes all responses of a release. */
export function createAnswers({ snapshot, sums }: Pick<Release, "snapshot" | "sums">, cacheControl: string) {
  const { id, encodings, base_url } = snapshot;
  const description = sums.others.has(OPENAPI) ? `${basePath(base_url)}/${OPENAPI}` : undefined;
  const common = { ...commonHeaders(encodings, description), ...snapshotHeaders(id) };
  const pageHeaders = { ...common, "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl };
  const toPages = (status: number): Record<Variant, Head> => ({
    identity: toHead(status, pageHeaders),
    br: toHead(status, { ...pageHeaders, "Content-Encoding": "br" }, "br"),
    gzip: toHead(status, { ...pageHeaders, "Content-Encoding": "gzip" }, "gzip"),
  });
  const pages = toPages(200);
  const pagesNotModified = toPages(304);
  const errorHeaders = { ...pageHeaders, "Cache-Control": NO_STORE };
  const toError = (status: number, detail: string) =>
    new ServerAnswer(toHead(status, errorHeaders), undefined, Buffer.from(errorBody(detail)));
  const statuses = Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, toError(Number(status), detail)]);
  const errors: Record<ErrorStatus, ServerAnswer> = Object.fromEntries(statuses);
  /** The response for a file that is not a page. Only parts and steps are large enough for ranges. */
  const file = (status: 200 | 206 | 304, path: string, etag: string, range: Record<string, string> = {}) => {
    const ranges = isPacked(path) ? { "Accept-Ranges": "bytes", ...range } : {};
    return new ServerAnswer(toHead(status, { ...common, ...fileHeaders(path, cacheControl), ...ranges }), etag);
  };
  return {
    page: (variant: Variant, etag: string, { body, scratch }: Stored) =>
      new ServerAnswer(pages[variant], etag, body, scratch),
    pageNotModified: (variant: Variant, etag: string) => new ServerAnswer(pagesNotModified[variant], etag),
    file,
    part: (path: string, etag: string, range: string) => file(206, path, etag, { "Content-Range": range }),
    noSuchRange: (size: number) =>
      new ServerAnswer(
        toHead(416, { ...errorHeaders, "Content-Range": `bytes */${size}` }),
        undefined,
        errors[416].body,
      ),
    /** @param search the query of the request with its `?`, or empty. */
    redirect(path: string, search: string) {
      const headers = { ...common, "Cache-Control": cacheControl, Location: pathReference(path) + encodeQuery(search) };
      return new ServerAnswer(toHead(301, headers), undefined, Buffer.alloc(0));
    },
    preflight: new ServerAnswer(toHead(204, { ...common, ...PREFLIGHT_HEADERS })),
    invalidPage: toError(404, INVALID_PAGE),
    error: (status: ErrorStatus) => errors[status],
  };
}

/** Encodes a query for the Location header. A `#` would begin a fragment in the client. */
function encodeQuery(search: string): string {
  return search.replace(/[^\x21\x22\x24-\x7e]/gu, (character) => {
    const bytes = Buffer.from(character, character <= "\xff" ? "latin1" : "utf8");
    return bytes.toString("hex").replace(/../g, (byte) => `%${byte.toUpperCase()}`);
  });
}

/** What Node's server sends, for the access log and the counters. `bytes` is the length of the body, also for HEAD. */
export const sending = new WeakMap<ServerResponse, { kind: AnswerKind; bytes: number }>();

/** Sends a response with Node's server. */
export function send(res: ServerResponse, answer: ServerAnswer): void {
  const { body, scratch } = answer;
  sendHead(res, answer, body?.length);
  res.end(scratch && body ? Buffer.from(body) : body);
}

/** Sends the status and headers of a response whose body of `length` bytes follows. */
export function sendHead(res: ServerResponse, { head, etag }: ServerAnswer, length?: number): void {
  const headers = [...head.headers];
  if (etag !== undefined) headers.push("ETag", etag);
  if (length !== undefined) headers.push("Content-Length", `${length}`);
  sending.set(res, { kind: head.kind, bytes: length ?? 0 });
  res.writeHead(head.status, headers);
}

/** The status line and headers, without those that Node adds. */
export function headOf({ head: { text }, etag, body }: ServerAnswer): string {
  const tag = etag === undefined ? "" : `ETag: ${etag}\r\n`;
  return body ? `${text}${tag}Content-Length: ${body.length}\r\n` : text + tag;
}

/** A complete response as text, for a socket without a parsed request, with `Connection: close`. */
export function toText(answer: ServerAnswer, isHead: boolean): string {
  const body = isHead ? "" : `${answer.body ?? ""}`;
  return `${headOf(answer)}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${body}`;
}

/** How a response is counted. */
export function kindOf(status: number, encoding: Variant): AnswerKind {
  return { status: `${Math.floor(status / 100)}xx`, encoding };
}

function toHead(status: number, headers: Readonly<Record<string, string>>, encoding: Variant = "identity"): Head {
  const entries = Object.entries(headers);
  const lines = entries.map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    status,
    headers: entries.flat(),
    text: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}`,
    kind: kindOf(status, encoding),
  };
}
