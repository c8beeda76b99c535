/** `rollcall verify URL` proves what is beside a host's pages by those pages, whatever its own digests say: the table of damages, served. */
import { rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RELEASES } from "../../src/release/layout.js";
import { openRelease } from "../../src/release/open.js";
import { verifyUrl } from "../../src/verify/site/site.js";
import { switchTo } from "../server/release.js";
import { edit, readSnapshot, releases, reseal } from "../support/damage.js";
import { DAMAGES, type Damage, isSaid, saidBy } from "../support/damages.js";
import { type Front, front } from "../support/front.js";

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
  expect(one.host.release.folder).toBe(served);
  const against = more.isCompared ? await openRelease(served) : undefined;
  const { rows } = await verifyUrl({ baseUrl: one.baseUrl, against, sample: more.sample });
  return {
    rows,
    differing: rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name),
    row: (own: string) => rows.find(({ name }) => name === own),
  };
}

/** What differs by URL, where that is not what differs on disk: a host shows no older release, and no file that it has not listed. */
const BY_URL: Record<string, string> = {
  "an empty part": "bulk part-range part-if-range",
  "a missing part": "files",
  "its script is missing": "files explorer",
  "a missing step": "files",
  "no changes.json": "",
  "a step without its last line": "",
  "a remove of nobody": "",
  "a step without the line that removes": "",
  "a put of a record that is the same before": "",
  "a put of a record that is gone": "",
};
const rowsOf = ({ what, rows }: Damage) => BY_URL[what]?.split(" ") ?? rows;

/** One damage of each kind at a time, which do not disturb each other: parts, look-up, explorer. */
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

test("steps that are right pass by a sample, which finds what is wrong with its pages only", async () => {
  const sample = { sample: 1 };
  const right = await release("steps");
  for (const more of [{}, sample, { ...sample, isCompared: true }])
    expect(await verified(right, more)).toMatchObject({ differing: [] });
  const named = (what: string) => steps.find((damage) => damage.what === what) ?? expect.fail(what);
  const sampled = async (what: string) => {
    const folder = await release("steps");
    named(what).make(folder);
    return (await verified(folder, sample)).row("changes");
  };
  expect(await sampled("a put of another record")).toMatchObject({ outcome: "differs", count: 1 });
  expect(await sampled("a put of a record that is on no page")).toMatchObject({ outcome: "passed" });
});

test("a sample of the pages proves parts on its pages, no look-up, and the explorer's links", async () => {
  const folder = await release("full");
  for (const what of ["two records of a part in each other's place", "a word is made up", "it leads to another host"])
    DAMAGES.find((damage) => damage.what === what)?.make(folder);
  const { differing, row } = await verified(folder, { sample: 2 });
  expect(differing).toEqual(["bulk", "explorer"]);
  expect(row("lookup")).toMatchObject({
    outcome: "skipped",
    note: "some of the pages do not tell what all of them make; ask for all, without --sample",
  });
  expect((await verified(folder, { sample: 3 })).differing).toContain("lookup");
});

test("without them there is nothing to prove; what another version of the explorer shows is noted", async () => {
  const { row } = await verified(await release("plain"));
  expect(row("lookup")).toMatchObject({ outcome: "skipped", note: "the release has no lookup/index.json" });
  expect(row("explorer-page")).toMatchObject({ outcome: "skipped" });
  const folder = await release("full");
  edit(folder, "explorer/style.css", (text) => `${text}\n`);
  reseal(folder);
  expect((await verified(folder)).row("explorer")).toMatchObject({
    outcome: "noted",
    note: "not as this version of Rollcall writes it: explorer/style.css",
  });
});
