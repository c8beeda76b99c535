/** `rollcall verify URL` finds the damages of the table on a host, even if all digests match. */
import { rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RELEASES } from "../../src/release/layout.js";
import { openRelease } from "../../src/release/open.js";
import { verifyHost } from "../../src/verify/host/host.js";
import { switchTo } from "../server/release.js";
import { edit, readSnapshot, releases, reseal } from "../support/damage.js";
import { DAMAGES, type Damage, damagesNamed, isSaid, saidBy } from "../support/damages.js";
import { type Front, front, type Reply } from "../support/front.js";

const options = { baseUrl: "" };
const release = releases(options);
let one: Front;

beforeAll(async () => {
  one = await front({}, "/people", afterAll);
  options.baseUrl = one.baseUrl;
});

/** Serves a copy of a folder, and verifies the host. */
async function verified(folder: string, more: { sample?: number; isCompared?: boolean; allow?: string[] } = {}) {
  const name = `20261121T034000Z-${readSnapshot(folder).id}`;
  const served = join(one.dist, RELEASES, name);
  rmSync(served, { recursive: true, force: true });
  await cp(folder, served, { recursive: true });
  await switchTo(one.dist, name);
  await one.host.reload();
  expect(one.host.release.folder).toBe(served);
  const against = more.isCompared ? await openRelease(served) : undefined;
  const { rows } = await verifyHost({
    ...{ baseUrl: one.baseUrl, against, sample: more.sample },
    allowed: new Map(more.allow?.map((name) => [name, undefined])),
  });
  return {
    rows,
    differing: rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name),
    row: (own: string) => rows.find(({ name }) => name === own),
  };
}

/** Damages with other rows by URL than on disk: a host has no older release, and no unlisted file. */
const BY_URL: Record<string, string> = {
  "an empty part": "bulk part-range part-if-range",
  "a step without its last line": "",
  "a remove of nobody": "",
  "a step without the line that removes": "",
  "a put of a record that is the same before": "",
  "a put of a record that is gone": "",
};
const rowsOf = ({ what, rows }: Damage) => BY_URL[what]?.split(" ") ?? rows;

/** Combines one damage of each kind, which are independent: parts, lookup, explorer. */
const kinds = ["bulk", "lookup", "explorer"].map((row) =>
  DAMAGES.filter(({ of, rows }) => of === "full" && rows.join() === row),
);
const together = Array.from({ length: Math.max(...kinds.map(({ length }) => length)) }, (_, at) =>
  kinds.flatMap((kind) => kind[at] ?? []),
);

async function check(folder: string, damages: readonly Damage[]) {
  const { differing, rows } = await verified(folder);
  const names = damages.flatMap(rowsOf);
  expect(differing).toEqual(rows.map(({ name }) => name).filter((name) => names.includes(name)));
  return rows.flatMap(({ findings }) => findings);
}

test.each(together.map((damages) => [damages.map(({ what }) => what).join("; "), damages] as const))(
  "%s",
  async (_, damages) => {
    const folder = await release("full");
    for (const { make } of damages) make(folder);
    await check(folder, damages);
  },
);

const steps = DAMAGES.filter(({ of }) => of === "steps");
test.each(steps)("$what", async (damage) => {
  const folder = await release("steps");
  damage.make(folder);
  const findings = await check(folder, [damage]);
  const isOwn = damage.what === "a changes.json of another state" || damage.what in BY_URL;
  if (!isOwn && !findings.some((finding) => isSaid(damage, finding)))
    expect(findings.map(saidBy)).toEqual(damage.found);
});

test("valid steps pass, with a sample, too", async () => {
  const right = await release("steps");
  for (const more of [{}, { sample: 1 }, { sample: 1, isCompared: true }])
    expect(await verified(right, more)).toMatchObject({ differing: [] });
});

test("a sample checks parts on its pages, and skips the lookup", async () => {
  const folder = await release("full");
  for (const { make } of damagesNamed("two records of a part in each other's place", "a word is made up")) make(folder);
  const { differing, row } = await verified(folder, { sample: 2 });
  expect(differing).toEqual(["bulk"]);
  expect(row("lookup")).toMatchObject({
    outcome: "skipped",
    note: "it needs all pages; run this without --sample",
  });
  expect((await verified(folder, { sample: 3 })).differing).toContain("lookup");
});

test("skips checks without files; an explorer of another version differs unless allowed", async () => {
  const { row } = await verified(await release("plain"));
  expect(row("lookup")).toMatchObject({ outcome: "skipped", note: "it has no lookup/index.json" });
  expect(row("explorer-page")).toMatchObject({ outcome: "skipped" });
  const folder = await release("full");
  edit(folder, "explorer/style.css", (text) => `${text}\n`);
  reseal(folder);
  expect((await verified(folder)).row("explorer")).toMatchObject({ outcome: "differs", count: 1 });
  expect((await verified(folder, { allow: ["explorer"] })).row("explorer")).toMatchObject({ outcome: "allowed" });
});

test("finds wrong types, cacheable state, and wrong ranges", async () => {
  const folder = await release("full");
  const faults: [path: RegExp, change: (reply: Reply) => Reply][] = [
    [/app\.js$/, (reply) => withHeader(reply, "Content-Type", "text/plain")],
    [/keys\/1\.txt$/, (reply) => withHeader(reply, "Content-Type", "text/html")],
    [/bulk\.json$/, (reply) => withHeader(reply, "Cache-Control", "public, max-age=3600")],
    [
      /bulk\/1\./,
      (reply) => (reply.status === 206 ? { ...reply, body: reply.body.map((byte) => byte ^ 1) as Buffer } : reply),
    ],
  ];
  one.edit(({ url = "" }, reply) => faults.find(([path]) => path.test(url))?.[1](reply));
  onTestFinished(() => one.reset());
  const { differing, row } = await verified(folder);
  expect(differing).toEqual(["file-type", "file-caching", "part-range"]);
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
