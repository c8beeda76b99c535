/** What only some readers get: each fault of a host is found, with a release to compare with and without. */
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRelease } from "../../src/release/open.js";
import { createListingServer, type ListingServer } from "../../src/server/server.js";
import { ROW_NAMES } from "../../src/verify/site/rows.js";
import { verifyUrl } from "../../src/verify/site/site.js";
import type { Verdict } from "../../src/verify/verdict.js";
import { writeRelease } from "../server/release.js";
import { type Front, fetchReply, front, type Reply } from "../support/front.js";

const SHAPE = { count: 11, encodings: ["br", "gzip"] as ("br" | "gzip")[], others: { "avatar.svg": "<svg/>" } };

interface Asked {
  url: string;
  coding: string;
}

const isPage = (page: number, { url }: Asked) => url.endsWith(`page=${page}`) || url.endsWith(`/${page}.json`);
const isFile = (name: string) => (asked: Asked) => asked.url.endsWith(`/${name}`);

/** Another release of as many pages, for the same base URL. */
async function older({ dist, baseUrl }: Front): Promise<ListingServer> {
  const others = { "avatar.svg": "<svg></svg>" };
  const host = await createListingServer({
    folder: await writeRelease(dist, { ...SHAPE, others, baseUrl, bio: "old" }),
  });
  onTestFinished(() => host.close());
  return host;
}

/** Serves some answers of another release, under the id of the right one. */
const stale = (which: (asked: Asked) => boolean) => async (one: Front) => {
  const { port } = new URL((await (await older(one)).listen({ port: 0 })).url);
  const { id } = one.host.release.snapshot;
  one.edit(async (req) => {
    if (!which({ url: req.url ?? "", coding: String(req.headers["accept-encoding"]) })) return undefined;
    return withHeader(await fetchReply(port, req), "Snapshot-Id", () => id);
  });
};

function withHeader(reply: Reply, name: string, change: (value: string) => string): Reply {
  const headers = reply.headers.map(([key, value]): [string, string] => [key, key === name ? change(value) : value]);
  return { ...reply, headers };
}

const edits = (change: (asked: Asked, reply: Reply) => Partial<Reply> | undefined) => (one: Front) =>
  one.edit(({ url = "", headers }, reply) => {
    const changed = change({ url, coding: String(headers["accept-encoding"]) }, reply);
    return changed && { ...reply, ...changed };
  });

/** The body's beginning, with a length that says so. */
function cut(reply: Reply): Reply {
  const body = reply.body.subarray(0, reply.body.length / 2);
  return withHeader({ ...reply, body }, "Content-Length", () => `${body.length}`);
}

type Fault = [what: string, make: (one: Front) => unknown, rows: string[], alone?: string[]];

const FAULTS: Fault[] = [
  ["gzip of page 5 of another release", stale((asked) => asked.coding === "gzip" && isPage(5, asked)), ["gzip"]],
  [
    "br of the pages from 2 on cut",
    edits((asked, reply) =>
      asked.coding === "br" && reply.status === 200 && /page=[2-6]$|\/[2-6]\.json$/.test(asked.url)
        ? cut(reply)
        : undefined,
    ),
    ["br", "br-tag"],
  ],
  [
    "br of pages by path gone",
    edits(({ url, coding }) => (coding === "br" && url.endsWith("/3.json") ? { status: 404 } : undefined)),
    ["br"],
  ],
  [
    "pages by path of another release",
    stale(({ url }) => /\/pages\/\d+\.json$/.test(url)),
    ["both-forms", "br", "gzip"],
  ],
  [
    "one page by path of another release",
    stale((asked) => asked.coding === "identity" && asked.url.endsWith("/4.json")),
    ["both-forms"],
  ],
  // Alone, its id is all that is known.
  ["snapshot.json of another release", stale(isFile("snapshot.json")), ["files"], ["snapshot-id", "files"]],
  ["no snapshot.json", edits((asked) => (isFile("snapshot.json")(asked) ? { status: 404 } : undefined)), ["files"]],
  // Alone, what it lists is all that is known: then pages and files are not what it says.
  ["SHA256SUMS of another release", stale(isFile("SHA256SUMS")), ["files"], ["same-bytes", "files"]],
  ["no SHA256SUMS", edits((asked) => (isFile("SHA256SUMS")(asked) ? { status: 404 } : undefined)), ["files"]],
  ["no avatar", edits((asked) => (isFile("avatar.svg")(asked) ? { status: 404 } : undefined)), ["files"]],
  ["the avatar of another release", stale(isFile("avatar.svg")), ["files"]],
  [
    "gzip of the avatar that is none",
    edits((asked) =>
      isFile("avatar.svg")(asked) && asked.coding === "gzip"
        ? { body: gzipSync("x"), headers: [["Content-Encoding", "gzip"]] }
        : undefined,
    ),
    ["files"],
  ],
  [
    "a wrong Snapshot-Id on every answer",
    edits((_asked, reply) => withHeader(reply, "Snapshot-Id", () => "0123456789ab")),
    ["snapshot-id"],
  ],
  [
    "a wrong Snapshot-Id on redirects",
    edits((_asked, reply) =>
      reply.status === 301 ? withHeader(reply, "Snapshot-Id", () => "0123456789ab") : undefined,
    ),
    ["snapshot-id"],
  ],
  [
    "a weak tag on snapshot.json",
    edits((asked, reply) =>
      isFile("snapshot.json")(asked) ? withHeader(reply, "ETag", (tag) => `W/${tag}`) : undefined,
    ),
    ["etag"],
  ],
  [
    "a tag on SHA256SUMS that is no digest, since a file that it lists holds all tags",
    edits((asked, reply) => (isFile("SHA256SUMS")(asked) ? withHeader(reply, "ETag", () => '"1"') : undefined)),
    [],
  ],
];

describe.each(FAULTS)("%s", (_what, make, rows, alone = rows) => {
  test.each([
    ["compared with the release", true, rows],
    ["alone", false, alone],
  ] as const)("%s", async (_how, hasRelease, expected) => {
    const one = await front(SHAPE);
    const against = hasRelease ? await openRelease(one.host.release.folder) : undefined;
    await make(one);
    const verdict = await verifyUrl({ baseUrl: one.baseUrl, against });
    expect(differing(verdict)).toEqual(ROW_NAMES.filter((name) => expected.includes(name)));
  });
});

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);

test("progress counts requests, up to all that there were", async () => {
  const one = await front(SHAPE);
  const seen: { requests: number; total: number }[] = [];
  const { asked } = await verifyUrl({
    baseUrl: one.baseUrl,
    onProgress: (done) => "requests" in done && seen.push(done),
  });
  const counts = seen.map(({ requests }) => requests);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(seen.every(({ requests, total }) => requests <= total)).toBe(true);
  expect(seen.at(-1)).toEqual({ requests: asked?.requests, total: asked?.requests });
  // Six ways of six pages, three of three files, and what a host is read and probed with.
  expect(asked).toMatchObject({
    pages: 6,
    of: 6,
    codings: ["identity", "br", "gzip"],
    links: ["query", "path"],
    files: 3,
  });
  expect(one.asked.filter((line) => /page=\d$|pages\/[1-6].json$/.test(line)).length).toBeGreaterThanOrEqual(36);
});

test("what page 1 does not come in is not asked for of other pages", async () => {
  const one = await front({ count: 11 });
  const codings: string[] = [];
  one.intercept((req) => {
    if (req.url?.endsWith("page=4")) codings.push(String(req.headers["accept-encoding"]));
    return false;
  });
  const { asked } = await verifyUrl({ baseUrl: one.baseUrl });
  expect({ codings, asked: asked?.codings }).toEqual({ codings: ["identity"], asked: ["identity"] });
});

test("a form of URL that gives nothing is given up after a hundred pages", async () => {
  const one = await front({ count: 300, pageSize: 1 });
  one.edit(({ url }, reply) => (/pages\/\d+\.json$/.test(url ?? "") ? { ...reply, status: 404 } : undefined));
  const { rows } = await verifyUrl({ baseUrl: one.baseUrl });
  const count = rows.find(({ name }) => name === "both-forms")?.count ?? 0;
  expect(count).toBeGreaterThanOrEqual(100);
  expect(count).toBeLessThan(100 + 8);
});
