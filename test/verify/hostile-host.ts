/** A proxy in front of a good host that sends arbitrary responses, the same for the same seed. */
import type { IncomingMessage } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Front, Reply } from "../support/front.js";
import { type Random, seeded } from "../support/random.js";
import { mutate } from "./hostile-pages.js";

type Lie = (reply: Reply, random: Random) => Reply;

const withHeader = ({ headers, ...reply }: Reply, name: string, value: string): Reply => ({
  ...reply,
  headers: [...headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()), [name, value]],
});

/** A body with the right length. */
const withBody = (reply: Reply, body: Buffer): Reply =>
  withHeader({ ...reply, body }, "Content-Length", `${body.length}`);

const rewritten: Lie = (reply, random) => withBody(reply, Buffer.from(mutate(String(reply.body), random)));

const NAMES = [
  ...["Content-Type", "Content-Encoding", "Content-Length", "Transfer-Encoding", "ETag", "Vary", "Location"],
  ...["Snapshot-Id", "Cache-Control", "Allow", "Connection", "Access-Control-Expose-Headers", "__proto__"],
];
const TEXTS = [
  ...["", "constructor", "__proto__", "gzip", "br", "identity", "chunked", "gzip, br", "-1", "5", "99999999999"],
  ...["\x9b31m\xad", "*", '"', 'W/"', "file:///etc/passwd", "//[", "http://x/\x9b2J", "close", "x".repeat(7000)],
];

const LIES: readonly Lie[] = [
  rewritten,
  rewritten,
  rewritten,
  rewritten,
  (reply, random) => withHeader(reply, random.of(NAMES), random.of(TEXTS)),
  (reply, random) => withHeader(reply, random.of(NAMES), random.of(TEXTS)),
  // Many lines of headers, many of one name.
  (reply, random) => ({
    ...reply,
    headers: [...reply.headers, ...many(random.of([20, 900]), random.of(["X", "ETag", "Vary"]))],
  }),
  (reply, random) => ({
    ...reply,
    status: random.of([199, 200, 204, 206, 301, 304, 400, 404, 405, 418, 500, 599, 999]),
  }),
  // Busy, with the longest Retry-After.
  (reply, random) => ({
    ...withHeader(reply, "Retry-After", random.of(["0", "-1", "x", "9".repeat(400), "Mon"])),
    status: random.of([429, 503]),
  }),
  // Random bytes.
  (reply, random) =>
    withBody(
      reply,
      Buffer.from(reply.body).fill(random.of([0, 0x80, 0xff, 0x5b]), random.below(reply.body.length + 1)),
    ),
  (reply) => large(reply, () => Buffer.alloc(70 << 20, "[")),
  (reply) => large(reply, () => Buffer.alloc(30 << 20, "\u00e9")),
  // Far more than was sent.
  (reply) =>
    withHeader(
      large(reply, () => gzipSync(Buffer.alloc(100 << 20))),
      "Content-Encoding",
      "gzip",
    ),
  (reply, random) => {
    const body = Buffer.from(mutate(String(reply.body), random));
    return withHeader(
      withBody(reply, random.chance(0.5) ? gzipSync(body) : brotliCompressSync(body)),
      "Content-Encoding",
      random.of(["gzip", "br"]),
    );
  },
  // Fewer bytes than it said.
  (reply, random) => ({ ...reply, body: reply.body.subarray(0, random.below(reply.body.length + 1)) }),
];

/** For pages only: checks are many, and each has the same limit. */
function large(reply: Reply, make: () => Buffer): Reply {
  return reply.status === 200 && reply.body.length > 0 ? withBody(reply, make()) : reply;
}

function many(times: number, name: string): [string, string][] {
  return Array.from({ length: times }, (_, at) => [name, `${at}`]);
}

/** The responses to change. Without a valid page 1, little else is requested. */
const MEANT: readonly ((req: IncomingMessage, reply: Reply) => boolean)[] = [
  () => true,
  ({ url = "" }) => url.endsWith("page=1"),
  ({ url = "" }) => url.endsWith("page=2"),
  ({ url = "" }) => url.endsWith("page=3"),
  ({ url = "" }) => !url.endsWith("page=1"),
  ({ method }) => method !== "GET",
  (_req, { status }) => status !== 200,
  ({ headers }) => headers["accept-encoding"] !== "identity",
];

/** Changes responses from now on, all or some. */
export function lie(front: Front, seed: number): void {
  const random = seeded(seed);
  const lies = Array.from({ length: 1 + random.below(2) }, () => random.of(LIES));
  const meant = random.of(MEANT);
  const share = random.of([1, 1, 0.3]);
  front.edit((req, reply) => {
    if (!meant(req, reply) || !random.chance(share)) return undefined;
    return lies.reduce((so, one) => one(so, random), reply);
  });
}
