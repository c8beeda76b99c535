/** Every answer that a release's host gives, with headers made once a release: a request only picks and sends. */
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
import type { FastAnswer } from "./fast-path/connection.js";

export interface Answers {
  page(res: ServerResponse, variant: Variant, etag: string, body: Buffer): void;
  /** 304, with the headers that `page` would have sent. */
  pageNotModified(res: ServerResponse, variant: Variant, etag: string): void;
  /** What `page` and `pageNotModified` send, as text and without what node adds. */
  quickPage(variant: Variant, etag: string, body: Buffer): FastAnswer;
  quickNotModified(variant: Variant, etag: string): FastAnswer;
  /** What `fail` sends with 500. */
  quickFailure: FastAnswer;
  invalidPage(res: ServerResponse): void;
  /** Sets the headers of a file that is no page, which somebody else sends. */
  beginFile(res: ServerResponse, path: string, etag: string, bytes: number): void;
  fileNotModified(res: ServerResponse, path: string, etag: string): void;
  /** @param location already safe to stand in a header. */
  redirect(res: ServerResponse, location: string): void;
  preflight(res: ServerResponse): void;
  fail(res: ServerResponse, status: ErrorStatus): void;
  /** A whole answer as text, for a socket without a request that could be answered. Says that it closes. */
  raw(status: ErrorStatus): string;
}

/** @param sent is told how many bytes of body an answer has, HEAD or not. */
export function createAnswers(
  { id, encodings }: Snapshot,
  cacheControl: string,
  sent?: (res: ServerResponse, bytes: number) => void,
): Answers {
  const common = flatten({ ...commonHeaders(encodings), ...snapshotHeaders(id) });
  const plain = [...common, "Content-Type", CONTENT_TYPE, "Cache-Control", cacheControl];
  const pages: Record<Variant, string[]> = {
    identity: plain,
    br: [...plain, "Content-Encoding", "br"],
    gzip: [...plain, "Content-Encoding", "gzip"],
  };
  const pageTexts: Record<Variant, string> = {
    identity: toText(pages.identity),
    br: toText(pages.br),
    gzip: toText(pages.gzip),
  };
  const errors = [...common, "Content-Type", CONTENT_TYPE, "Cache-Control", NO_STORE];
  const failure = errorBody(ERROR_DETAILS[500]);
  const redirects = [...common, "Cache-Control", cacheControl, "Content-Length", "0"];
  const preflights = [...common, ...flatten(PREFLIGHT_HEADERS)];

  const fail = (res: ServerResponse, status: ErrorStatus, detail: string) => {
    const body = errorBody(detail);
    sent?.(res, body.length);
    res.writeHead(status, [...errors, "Content-Length", `${body.length}`]).end(body);
  };
  return {
    page(res, variant, etag, body) {
      sent?.(res, body.length);
      res.writeHead(200, [...pages[variant], "ETag", etag, "Content-Length", `${body.length}`]).end(body);
    },
    pageNotModified: (res, variant, etag) => res.writeHead(304, [...pages[variant], "ETag", etag]).end(),
    quickPage(variant, etag, body) {
      const head = `${OK}${pageTexts[variant]}ETag: ${etag}\r\nContent-Length: ${body.length}\r\n`;
      return { status: 200, head, body };
    },
    quickNotModified: (variant, etag) => ({
      status: 304,
      head: `${NOT_MODIFIED}${pageTexts[variant]}ETag: ${etag}\r\n`,
    }),
    quickFailure: {
      status: 500,
      head: `${statusLine(500)}${toText([...errors, "Content-Length", `${failure.length}`])}`,
      body: Buffer.from(failure),
    },
    invalidPage: (res) => fail(res, 404, INVALID_PAGE),
    beginFile(res, path, etag, bytes) {
      sent?.(res, bytes);
      const headers = [...common, ...flatten(fileHeaders(path, cacheControl)), "ETag", etag];
      for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
    },
    fileNotModified: (res, path, etag) =>
      res.writeHead(304, [...common, ...flatten(fileHeaders(path, cacheControl)), "ETag", etag]).end(),
    redirect: (res, location) => res.writeHead(301, [...redirects, "Location", location]).end(),
    preflight: (res) => res.writeHead(204, preflights).end(),
    fail: (res, status) => fail(res, status, ERROR_DETAILS[status]),
    raw: (status) => rawAnswer(status, errors),
  };
}

function rawAnswer(status: ErrorStatus, headers: readonly string[]): string {
  const body = errorBody(ERROR_DETAILS[status]);
  const last = ["Date", new Date().toUTCString(), "Connection", "close", "Content-Length", `${body.length}`];
  return `${statusLine(status)}${toText([...headers, ...last])}\r\n${body}`;
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
}

function toText(headers: readonly string[]): string {
  return headers.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join("");
}

const OK = statusLine(200);
const NOT_MODIFIED = statusLine(304);

function flatten(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat();
}
