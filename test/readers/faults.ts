/** Ways in which an answer can be wrong on its way, from a real socket; what it may say is in client/listing/faults.test.ts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** A request whose answer goes wrong. */
interface Asked {
  req: IncomingMessage;
  res: ServerResponse;
  /** The base URL that the reader knows. */
  baseUrl: string;
  /** The file's own bytes. */
  body: Buffer;
  /** The bytes of the file of this name in the other release. */
  other: Buffer;
}

export interface Fault {
  name: string;
  /** Which files it may be about, by path; it hits one of them. */
  files: readonly string[];
  answer(asked: Asked): void;
}

const PAGES = [
  "api/users/pages/1.json",
  "api/users/pages/3.json",
  "api/users/pages/11.json",
  "api/users/pages/25.json",
];
const STATE = ["snapshot.json", "SHA256SUMS", "SHA256SUMS.minisig"];
const ANY = [...PAGES, ...STATE];

const JSON_TYPE = "application/json";

/** Answers with these bytes as any host does. */
function send({ res }: Asked, body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): void {
  const bytes = Buffer.from(body);
  res.writeHead(status, { "Content-Type": JSON_TYPE, "Content-Length": `${bytes.length}`, ...headers }).end(bytes);
}

export const FAULTS: readonly Fault[] = [
  { name: "a stale page", files: PAGES, answer: (asked) => send(asked, asked.other, { Age: "59" }) },
  {
    name: "a cut body",
    files: ANY,
    answer({ res, body }) {
      res.writeHead(200, { "Content-Type": JSON_TYPE, "Content-Length": `${body.length}` });
      res.write(body.subarray(0, body.length / 2), () => res.destroy());
    },
  },
  {
    name: "a body that is cut where no length says so",
    files: ANY,
    answer: ({ res, body }) => res.writeHead(200).end(body.subarray(0, body.length - 1)),
  },
  {
    name: "gzip that is none",
    files: ANY,
    answer: (asked) => send(asked, asked.body, { "Content-Encoding": "gzip" }),
  },
  {
    name: "gzip that is cut",
    files: ANY,
    answer: (asked) => send(asked, gzipSync(asked.body).subarray(0, -12), { "Content-Encoding": "gzip" }),
  },
  {
    name: "a few bytes of gzip that are very many of text",
    files: STATE,
    answer: (asked) => send(asked, BOMB, { "Content-Encoding": "gzip" }),
  },
  { name: "an endless body", files: ANY, answer: endless },
  {
    name: "a list of digests of another release",
    files: ["SHA256SUMS"],
    answer: (asked) => send(asked, asked.other),
  },
  {
    name: "snapshot.json of another release",
    files: ["snapshot.json"],
    answer: (asked) => send(asked, asked.other),
  },
  {
    name: "a signature of another release",
    files: ["SHA256SUMS.minisig"],
    answer: (asked) => send(asked, asked.other),
  },
  { name: "a redirect to itself", files: ANY, answer: (asked) => redirect(asked, asked.req.url ?? "/") },
  { name: "a redirect elsewhere", files: ANY, answer: (asked) => redirect(asked, "http://127.0.0.2:9/") },
  { name: "429", files: ANY, answer: (asked) => send(asked, "later", { "Retry-After": "0" }, 429) },
  {
    name: "503 that is never over",
    files: ANY,
    answer: (asked) => send(asked, "later", { "Retry-After": "86400" }, 503),
  },
  { name: "304 that nobody asked for", files: ANY, answer: ({ res }) => void res.writeHead(304).end() },
  { name: "206 with a part", files: ANY, answer: (asked) => send(asked, asked.body.subarray(0, 100), {}, 206) },
  {
    name: "a body that comes byte by byte",
    files: ANY,
    answer({ res, body }) {
      res.writeHead(200, { "Content-Type": JSON_TYPE, "Content-Length": `${body.length}` });
      // Too slow for the reader's patience, since it stops half way.
      for (let at = 0; at < body.length / 2; at++) res.write(body.subarray(at, at + 1));
    },
  },
  {
    name: "an answer that never begins",
    files: ANY,
    answer: ({ req }) => void req.socket.setTimeout(0),
  },
  {
    name: "a Content-Length that is too large",
    files: ANY,
    answer: ({ req, body }) => raw(req, { "Content-Length": `${body.length + 9}` }, body),
  },
  {
    name: "a Content-Length that is too small",
    files: ANY,
    answer: ({ req, body }) => raw(req, { "Content-Length": `${body.length - 9}` }, body),
  },
  { name: "a connection that is closed", files: ANY, answer: ({ req }) => void req.socket.destroy() },
  {
    name: "an answer that is no HTTP",
    files: ANY,
    answer: ({ req }) => void req.socket.end("SSH-2.0-OpenSSH_9.2p1\r\n"),
  },
];

/** More than any of them may hold, and a few kilobytes on the way. */
const BOMB = gzipSync(Buffer.alloc(20_000_000, " "));

function redirect({ res }: Asked, to: string): void {
  res.writeHead(302, { Location: to }).end();
}

function endless({ res }: Asked): void {
  res.writeHead(200, { "Content-Type": JSON_TYPE });
  const chunk = Buffer.alloc(65_536, " ");
  const more = () => {
    while (!res.destroyed && res.write(chunk));
  };
  res.on("drain", more);
  more();
}

function raw({ socket }: IncomingMessage, headers: Record<string, string>, body: Buffer): void {
  const lines = Object.entries({ "Content-Type": JSON_TYPE, ...headers, Connection: "close" });
  socket.write(`HTTP/1.1 200 OK\r\n${lines.map((pair) => `${pair.join(": ")}\r\n`).join("")}\r\n`);
  socket.end(body);
}
