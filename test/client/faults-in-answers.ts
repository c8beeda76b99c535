import { gzipSync } from "node:zlib";
import type { Seeded } from "./faults-in-pages.js";
import type { Fault, Reply, Seen } from "./reference.js";

/** Changes the answers that `when` picks. */
const where = (when: (seen: Seen) => boolean, change: (reply: Reply) => Partial<Reply>): Fault => ({
  reply: (seen) => (when(seen) ? { ...seen.reply, ...change(seen.reply) } : seen.reply),
});
const only = (status: number, change: Partial<Reply>) =>
  where(
    ({ reply }) => reply.status === status,
    () => change,
  );
const by = (method: string, change: Partial<Reply>) =>
  where(
    (seen) => seen.method === method,
    () => change,
  );
const sent = (name: string, value: string, change: (reply: Reply) => Partial<Reply>) =>
  where(({ reply, headers }) => reply.status < 400 && headers[name] === value, change);

/** Sets a header, or takes it away, wherever `when` holds. */
const header = (name: string, value: string | undefined, when: (seen: Seen) => boolean): Fault =>
  where(when, ({ headers }) => {
    const { [name]: _, ...rest } = headers;
    return { headers: value === undefined ? rest : { ...rest, [name]: value } };
  });
const status = (wanted: number) => (seen: Seen) => seen.reply.status === wanted;
const any = () => true;

/** Pages that are also there compressed, more or less. */
const packed = (pack: (plain: string) => Buffer, own: Record<string, string>): Fault => ({
  reply({ reply, headers }) {
    const all = { ...reply.headers, Vary: "Accept, Accept-Encoding" };
    if (reply.status !== 200 || headers["accept-encoding"] !== "gzip") return { ...reply, headers: all };
    const body = pack(String(reply.body));
    return { status: 200, headers: { ...all, "Content-Encoding": "gzip", ...own }, body };
  },
});

const json = { "Content-Type": "application/json" };
const html = { body: "<h1>Not Found</h1>" };
const cut = (reply: Reply) => ({
  status: 206,
  headers: { ...reply.headers, "Content-Range": "bytes 0-4/9" },
  body: reply.body.slice(0, 5),
});

export const IN_ANSWERS: Seeded[] = [
  ["a weak tag", where(status(200), (r) => ({ headers: { ...r.headers, ETag: `W/${r.headers["ETag"]}` } })), "etag: "],
  ["a tag of nothing", header("ETag", '"1"', status(200)), "etag: "],
  ["no Vary", header("Vary", undefined, status(200)), "vary: "],
  ["no Vary on errors", header("Vary", undefined, status(404)), "vary: "],
  ["a Vary for nothing", header("Vary", "Accept, Accept-Encoding", any), "vary: "],
  ["no Allow on 405", header("Allow", undefined, status(405)), "allow: "],
  ["errors that may be stored", header("Cache-Control", "public, max-age=60", status(404)), "cache-control: "],
  ["another lifetime", header("Cache-Control", "no-cache", status(200)), "cache-control: "],
  ["a charset", header("Content-Type", "application/json; charset=utf-8", status(200)), "content-type: "],
  ["no CORS", header("Access-Control-Allow-Origin", undefined, status(304)), "access-control-allow-origin: "],
  ["no nosniff", header("X-Content-Type-Options", undefined, status(301)), "x-content-type-options: "],
  ["no Snapshot-Id on errors", header("Snapshot-Id", undefined, status(404)), "Snapshot-Id: "],
  ["a preflight for nothing", header("Access-Control-Allow-Headers", undefined, status(204)), "preflight: "],
  ["304 without the tag", header("ETag", undefined, status(304)), "same headers: "],
  ["HEAD without the tag", header("ETag", undefined, ({ method }) => method === "HEAD"), "same headers: "],
  [
    "a page for 01",
    where(
      ({ url }) => url.endsWith("page=01"),
      () => ({ status: 200, headers: json }),
    ),
    "status: ",
  ],
  ["an HTML 404", only(404, html), "error body: "],
  [
    "another detail",
    where(
      ({ reply }) => reply.body.includes("Invalid"),
      () => ({ body: '{"detail":"No."}' }),
    ),
    "invalid page: ",
  ],
  ["POST answered", by("POST", { status: 200 }), "status: POST "],
  ["invented methods refused as bad requests", by("BREW", { status: 400 }), "status: BREW "],
  ["OPTIONS with 200", by("OPTIONS", { status: 200 }), "status: OPTIONS "],
  [
    "a redirect without its query",
    where(status(301), (r) => ({ headers: { ...r.headers, Location: "/api/users/" } })),
    "redirect: ",
  ],
  ["a redirect for now", only(301, { status: 302 }), "status: "],
  [
    "weak tags not compared",
    where(
      ({ headers, reply }) => reply.status === 304 && /^W/.test(headers["if-none-match"] ?? ""),
      () => ({ status: 200 }),
    ),
    "status: ",
  ],
  ["HTML when asked for it", sent("accept", "text/html", () => html), "same page: "],
  ["a range cut wrongly", sent("range", "bytes=-5", cut), "range: "],
  ["a stale range", sent("if-range", '"nope"', cut), "status: "],
  ["one tag for two encodings", packed((plain) => gzipSync(plain), {}), "etag: "],
  ["other bytes under the encoding", packed(() => gzipSync("{}"), { ETag: '"z"' }), "encoding: "],
  ["an encoding that is none", packed((plain) => Buffer.from(plain), { ETag: '"z"' }), "encoding: "],
];
