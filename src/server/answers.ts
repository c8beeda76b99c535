/** Every answer of a release's server. Headers are made once a release; a request only chooses an answer. */
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
import { fileHeaders, type Variant } from "../release/layout.js";
import type { Snapshot } from "../release/snapshot.js";

/** What both Node's server and the fast path can send. */
export interface ServerAnswer {
  status: number;
  headers: Headers;
  etag?: string;
  /** Absent where the answer has none by its status, or where somebody else sends it. */
  body?: Buffer;
}

/** The headers that many answers share. */
interface Headers {
  /** Name, value, name, value. */
  list: readonly string[];
  /** As they are sent, after the status line. */
  text: string;
}

export type Answers = ReturnType<typeof createAnswers>;

export function createAnswers({ id, encodings }: Snapshot, cacheControl: string) {
  const common = { ...commonHeaders(encodings), ...snapshotHeaders(id) };
  const cached = { ...common, "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl };
  const pages: Record<Variant, Headers> = {
    identity: toHeaders(cached),
    br: toHeaders({ ...cached, "Content-Encoding": "br" }),
    gzip: toHeaders({ ...cached, "Content-Encoding": "gzip" }),
  };
  const errors = toHeaders({ ...common, "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE });
  const toError = (status: number, detail: string): ServerAnswer => ({
    status,
    headers: errors,
    body: Buffer.from(errorBody(detail)),
  });
  const byStatus = Object.fromEntries(
    Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, toError(Number(status), detail)]),
  ) as Record<ErrorStatus, ServerAnswer>;
  return {
    page: (variant: Variant, etag: string, body: Buffer): ServerAnswer => ({
      status: 200,
      headers: pages[variant],
      etag,
      body,
    }),
    pageNotModified: (variant: Variant, etag: string): ServerAnswer => ({ status: 304, headers: pages[variant], etag }),
    /** Of a file that is no page, whose body somebody else sends. */
    file: (path: string, etag: string): ServerAnswer => ({
      status: 200,
      headers: toHeaders({ ...common, ...fileHeaders(path, cacheControl) }),
      etag,
    }),
    /** @param location must be safe in a header. */
    redirect: (location: string): ServerAnswer => ({
      status: 301,
      headers: toHeaders({ ...common, "Cache-Control": cacheControl, Location: location }),
      body: Buffer.alloc(0),
    }),
    preflight: { status: 204, headers: toHeaders({ ...common, ...PREFLIGHT_HEADERS }) } satisfies ServerAnswer,
    invalidPage: toError(404, INVALID_PAGE),
    error: (status: ErrorStatus): ServerAnswer => byStatus[status],
  };
}

/** How many bytes of body an answer has, HEAD or not; for the access log. */
export const bodyBytes = new WeakMap<ServerResponse, number>();

/** Sends an answer by Node's server. */
export function send(res: ServerResponse, { status, headers, etag, body }: ServerAnswer): void {
  const list = [...headers.list];
  if (etag !== undefined) list.push("ETag", etag);
  if (body) {
    list.push("Content-Length", `${body.length}`);
    bodyBytes.set(res, body.length);
  }
  res.writeHead(status, list).end(body);
}

/** Sets an answer's headers where somebody else sends its body of so many bytes. */
export function setHeaders(res: ServerResponse, { headers: { list }, etag = "" }: ServerAnswer, bytes: number): void {
  for (let at = 0; at < list.length; at += 2) res.setHeader(list[at] ?? "", list[at + 1] ?? "");
  res.setHeader("ETag", etag);
  bodyBytes.set(res, bytes);
}

/** An answer's status line and headers, without those that Node adds, each with its line's end. */
export function headOf({ status, headers, etag, body }: ServerAnswer): string {
  const tag = etag === undefined ? "" : `ETag: ${etag}\r\n`;
  const length = body ? `Content-Length: ${body.length}\r\n` : "";
  return `${STATUS_LINES[status]}${headers.text}${tag}${length}`;
}

/** A whole answer as text, for a socket without a request. It says that the connection closes. */
export function toText(answer: ServerAnswer): string {
  return `${headOf(answer)}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${answer.body ?? ""}`;
}

const STATUS_LINES = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, phrase]) => [status, `HTTP/1.1 ${status} ${phrase}\r\n`]),
);

function toHeaders(headers: Readonly<Record<string, string>>): Headers {
  const entries = Object.entries(headers);
  return { list: entries.flat(), text: entries.map(([name, value]) => `${name}: ${value}\r\n`).join("") };
}
