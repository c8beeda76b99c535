/** Sends responses with Node's server. */
import type { ReadStream } from "node:fs";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Request } from "polka";
import sirv from "sirv";
import type { Variant } from "../core/release/layout.js";
import type { Answer, Download } from "./answers.js";
import { endLast, isLastResponse } from "./linger.js";

/** What Node's server sends, for the access log and the counters. */
export interface Sending {
  encoding: Variant;
  /** Bytes of the body. Those of a download that broke are what the system has taken of it, and 0 for a body in memory. */
  bytes(isSent: boolean): number;
  /** When the system had taken all of it, on the clock of `performance`; undefined if it never did. */
  sentAt?: number;
}

export const sendings = new WeakMap<ServerResponse, Sending>();

/** Sends a response. For a large file, sends only its headers: that is the response to HEAD. */
export function send(res: ServerResponse, { head, etag, body, file }: Answer): void {
  const headers = [...head.headers];
  if (etag !== undefined) headers.push("ETag", etag);
  const length = body?.length ?? (file && file.end + 1 - file.start);
  if (length !== undefined) headers.push("Content-Length", `${length}`);
  const bytes = res.req.method === "HEAD" ? 0 : (body?.length ?? 0);
  sendings.set(res, { encoding: head.encoding, bytes: (isSent) => (isSent ? bytes : 0) });
  res.writeHead(head.status, headers);
  if (!isLastResponse(res)) {
    res.end(body);
    return;
  }
  const { socket } = res.req;
  socket.cork();
  res.flushHeaders();
  if (bytes > 0) res.write(body);
  endLast(res, () => noteSent(res));
  socket.uncork();
}

/** Notes that the system has taken all of a response. */
export function noteSent(res: ServerResponse): void {
  const sending = sendings.get(res);
  if (sending) sending.sentAt ??= performance.now();
}

/** Whether a request has a body or asks for an upgrade. Its response is the last one of its connection. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding, upgrade } = headers;
  return length !== "0" || coding !== undefined || upgrade !== undefined;
}

/** Makes the function that sends large files of a release, by sirv. Each download has one open descriptor. */
export function createDownloads(folder: string) {
  // `dev` keeps sirv from listing all pages. It only gets paths that were verified, and no other file answers for them.
  const serve = sirv(folder, { dev: true, extensions: [] });

  return (req: Request, res: ServerResponse, { head, etag = "" }: Answer, file: Download): void => {
    const { path, start, end, isPartial } = file;
    for (let at = 0; at < head.headers.length; at += 2)
      res.setHeader(head.headers[at] ?? "", head.headers[at + 1] ?? "");
    res.setHeader("ETag", etag);
    // sirv prefers headers that are set to its own. An empty list sets none: parts are not sent as encoded.
    res.setHeader("Content-Encoding", []);
    res.setHeader("Last-Modified", []);
    req.url = `/${path}`;
    delete req.headers.range;
    if (isPartial) req.headers.range = `bytes=${start}-${end}`;
    res.once("pipe", (stream: ReadStream) => {
      if (isLastResponse(res)) {
        stream.unpipe(res).pipe(res, { end: false });
        stream.once("end", () => endLast(res, () => noteSent(res)));
      }
      guard(stream, res, head.encoding, end + 1 - start);
    });
    serve(req, res, () => void res.destroy());
  };
}

/** Ends a broken download: the response with its file, and the file with its response. Notes what was sent. */
function guard(stream: ReadStream, res: ServerResponse, encoding: Variant, length: number): void {
  let read = 0;
  let taken = 0;
  sendings.set(res, { encoding, bytes: (isSent) => (isSent ? length : taken) });
  stream.on("error", () => res.destroy());
  res.on("close", () => stream.destroy());
  // Before the listeners of `pipe`, which would send bytes that are too many, or end a response that lacks some.
  stream.prependListener("data", (chunk) => {
    taken = Math.max(0, read - res.writableLength);
    read += chunk.length;
    if (read > length) res.destroy();
  });
  stream.prependListener("end", () => {
    if (read !== length) res.destroy();
  });
}

/** The status line and headers, without those that Node adds. */
export function headText({ head: { status, lines }, etag, body }: Answer): string {
  const tag = etag === undefined ? "" : `ETag: ${etag}\r\n`;
  const length = body ? `Content-Length: ${body.length}\r\n` : "";
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${tag}${length}`;
}

/** A complete response as text, for a socket without a parsed request, with `Connection: close`. */
export function toText(answer: Answer): string {
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  return `${headText(answer)}${date}Connection: close\r\n\r\n${new TextDecoder().decode(answer.body)}`;
}
