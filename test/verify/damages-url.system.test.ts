/** `rollcall verify URL` finds the damages of the table on a host, even if all digests match. */
import { rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RELEASES } from "../../src/core/release/layout.js";
import { openRelease } from "../../src/core/release/open.js";
import { switchTo } from "../serve/release.js";
import { edit, readSnapshot, releases, reseal } from "../support/damage.js";
import { damagesNamed, isSaid } from "../support/damages.js";
import { type Front, front, type Reply } from "../support/front.js";
import { releaseOf } from "../support/served.js";
import { verdictOf } from "./verdict-of.js";

const options = { baseUrl: "" };
const release = releases(options);
let one: Front;

beforeAll(async () => {
  one = await front({}, "/people", afterAll);
  options.baseUrl = one.baseUrl;
});

/** Serves a copy of a folder, and verifies the host. */
async function verified(folder: string, more: { sample?: number; isCompared?: boolean } = {}) {
  const name = `20261121T034000Z-${readSnapshot(folder).id}`;
  const served = join(one.dist, RELEASES, name);
  rmSync(served, { recursive: true, force: true });
  await cp(folder, served, { recursive: true });
  await switchTo(one.dist, name);
  await one.host.reload();
  expect(releaseOf(one.host).folder).toBe(served);
  const against = more.isCompared ? await openRelease(served) : undefined;
  const { rows } = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against, sample: more.sample });
  return {
    rows,
    differing: rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name),
    row: (own: string) => rows.find(({ name }) => name === own),
  };
}

/** One damage of each kind of file. damages.system.test.ts has all of them: a download is verified like a release on disk. */
test.each([
  [
    "full",
    [
      "a part with one byte of a record changed",
      "a cell of the CSV file",
      "a word is missing",
      "a value is counted wrong",
    ],
  ],
  ["steps", ["two lines of a step in each other's place"]],
] as const)("of the release %s: %j", async (kind, names) => {
  const damages = damagesNamed(...names);
  const folder = await release(kind);
  for (const { make } of damages) make(folder);
  const { differing, rows } = await verified(folder);
  const expected = damages.flatMap((damage) => damage.rows);
  expect(differing).toEqual(rows.map(({ name }) => name).filter((name) => expected.includes(name)));
  const findings = rows.flatMap((row) => row.findings);
  for (const damage of damages)
    expect(
      findings.some((finding) => isSaid(damage, finding)),
      damage.what,
    ).toBe(true);
});

test("valid steps pass, with a sample, too", async () => {
  const right = await release("steps");
  for (const more of [{}, { sample: 1 }, { sample: 1, isCompared: true }])
    expect(await verified(right, more)).toMatchObject({ differing: [] });
});

test("a sample compares its pages with SHA256SUMS, and downloads nothing else", async () => {
  const folder = await release("full");
  for (const { make } of damagesNamed("two records of a part in each other's place", "a word is made up")) make(folder);
  one.reset();
  const { differing, row } = await verified(folder, { sample: 2 });
  expect(differing).toEqual([]);
  for (const name of ["download", "records", "bulk", "lookup"])
    expect(row(name)).toMatchObject({ outcome: "skipped", note: "it needs all pages; run this without --sample" });
  // Paths that no file has are asked at any rate.
  const files = one.asked.filter((line) => line.startsWith("GET") && !line.endsWith("/nothing"));
  expect(files.filter((line) => /bulk|lookup|page=2$/.test(line))).toEqual(["GET /people/api/users?format=api&page=2"]);
  expect((await verified(folder)).differing).toEqual(["bulk", "lookup"]);
});

test("a release whose wording another version wrote passes", async () => {
  const { row } = await verified(await release("plain"));
  expect(row("lookup")).toMatchObject({ outcome: "skipped", note: "it has no lookup/index.json" });
  expect(row("explorer-page")).toMatchObject({ outcome: "skipped" });
  const folder = await release("full");
  for (const path of ["explorer/style.css", "explorer/app.js", "index.html", "openapi.json"])
    edit(folder, path, (text) => `${text}\n`);
  edit(folder, "lookup/index.json", (text) => text.replace('"version":2', '"version":3'));
  reseal(folder);
  const other = await verified(folder);
  expect(other.differing).toEqual([]);
  expect(other.row("lookup")).toMatchObject({
    outcome: "skipped",
    note: "lookup/index.json has version 3, and only 2 can be compared",
  });
});

test("finds wrong types, cacheable state, and wrong ranges", async () => {
  const folder = await release("full");
  const faults: [path: RegExp, change: (reply: Reply) => Reply][] = [
    [/app\.js$/, (reply) => withHeader(reply, "Content-Type", "text/plain")],
    [/keys\/1\.txt$/, (reply) => withHeader(reply, "Content-Type", "text/html")],
    [/bulk\.json$/, (reply) => withHeader(reply, "Cache-Control", "public, max-age=3600")],
    [/^\/people\/$/, (reply) => withHeader(reply, "Cache-Control", "max-age=600")],
    [
      /bulk\/1\./,
      (reply) => (reply.status === 206 ? { ...reply, body: reply.body.map((byte) => byte ^ 1) as Buffer } : reply),
    ],
  ];
  one.edit(({ url = "" }, reply) => faults.find(([path]) => path.test(url))?.[1](reply));
  onTestFinished(() => one.reset());
  const { differing, row } = await verified(folder);
  expect(differing).toEqual(["file-type", "file-caching", "part-range", "explorer-caching"]);
  expect(new Set(row("file-type")?.findings.map(({ url = "" }) => url.replace(one.baseUrl, "")))).toEqual(
    new Set(["/explorer/app.js", "/lookup/keys/1.txt"]),
  );
});

test("accepts headers with the same meaning in another form", async () => {
  const folder = await release("full");
  one.edit((_, reply) => ({
    ...reply,
    headers: reply.headers.map(([name, value]): [string, string] => {
      if (name === "Link") return [name, `</licence>; rel="license", ${value.replace("rel=", "title=x; rel=")}`];
      if (name === "Allow") return [name, "OPTIONS,HEAD, GET"];
      const isText = ["Vary", "Content-Type", "Cache-Control", "X-Content-Type-Options"].includes(name);
      return [name.toLowerCase(), isText ? value.toUpperCase() : value];
    }),
  }));
  onTestFinished(() => one.reset());
  expect((await verified(folder)).differing).toEqual([]);
});

function withHeader(reply: Reply, name: string, value: string): Reply {
  const headers = reply.headers.map(([key, was]): [string, string] => [key, key === name ? value : was]);
  return { ...reply, headers };
}
