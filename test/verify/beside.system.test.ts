/** `rollcall verify` of parts, lookup and explorer on disk. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import {
  edit,
  FULL,
  PART,
  page,
  partText,
  plainRelease,
  releases,
  reseal,
  writePart,
  writeParts,
} from "../support/damage.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";

const [OTHER, KEYS, WORDS] = ["bulk/2.ndjson.gz", "lookup/keys/1.txt", "lookup/words/1.txt"];
const [INDEX, SUMMARY] = ["lookup/index.json", "explorer/summary.json"];
const release = releases();

/** The rows that differ or have a note, by name. */
async function verified(folder: string) {
  const { rows } = await verifyRelease({ folder });
  const differing = rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
  const [bulk, lookup, explorer] = ["bulk", "lookup", "explorer"].map((own) => rows.find(({ name }) => name === own));
  return { differing, bulk, lookup, explorer };
}

test("a release with these files passes; without them, the checks are skipped", async () => {
  const passed = (request: unknown) => ({ request, outcome: "passed" });
  expect(await verified(await release("full"))).toMatchObject({
    ...{ differing: [], bulk: passed("1 part"), lookup: passed("3 files") },
    explorer: passed(expect.stringMatching(/^\d files$/)),
  });
  expect(await verified(await release("plain"))).toMatchObject({
    bulk: { outcome: "skipped", note: "it has no bulk.json" },
    lookup: { outcome: "skipped", note: `it has no ${INDEX}` },
    explorer: { outcome: "skipped", note: `it has no ${SUMMARY}` },
  });
  for (const folder of [await plainRelease(FULL, []), await plainRelease({ explorer: true, links: "path" })])
    expect(await verified(folder)).toMatchObject({
      ...{ differing: [], lookup: { outcome: "passed" }, explorer: { outcome: "passed" } },
    });
});

test("accepts parts that end at any record, and refuses parts in the wrong order", async () => {
  const folder = await release("full");
  const lines = partText(folder).split("\n");
  writeParts(folder, `${lines.slice(0, 2).join("\n")}\n`, "", lines.slice(2).join("\n"));
  reseal(folder);
  expect(await verified(folder)).toMatchObject({ differing: [], bulk: { request: "3 parts", outcome: "passed" } });
  rmSync(join(folder, "bulk/3.ndjson.gz"));
  writeParts(folder, `${lines.slice(0, 3).join("\n")}\n`, lines.slice(3).join("\n"));
  for (const [from, to] of [
    [PART, "bulk/aside"],
    [OTHER, PART],
    ["bulk/aside", OTHER],
  ] as const)
    renameSync(join(folder, from), join(folder, to));
  reseal(folder);
  const { bulk } = await verified(folder);
  expect(bulk?.findings.map(({ path }) => path)).toEqual(expect.arrayContaining([PART, OTHER]));
});

test("does not follow a link or a folder in place of a file", async () => {
  const folder = await release("full");
  for (const path of [PART, WORDS]) {
    const elsewhere = join(scratch(), "elsewhere");
    renameSync(join(folder, path), elsewhere);
    symlinkSync(elsewhere, join(folder, path));
  }
  rmSync(join(folder, KEYS));
  mkdirSync(join(folder, KEYS));
  const { differing, lookup } = await verified(folder);
  expect(differing).toContain("files");
  expect(lookup).toMatchObject({
    outcome: "differs",
    findings: [KEYS, WORDS].map((path) => ({ path, found: "no such file" })),
  });
});

test("stops unpacking a part that would unpack to ten gigabytes", async () => {
  const folder = await release("full");
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  writePart(folder, Buffer.concat([gzipSync(partText(folder)), ...Array.from({ length: 10_240 }, () => megabyte)]));
  reseal(folder);
  expect((await verified(folder)).bulk).toMatchObject({
    count: 1,
    findings: [{ path: PART, found: "more plain bytes" }],
  });
});

test("with invalid pages, what they make is skipped, and other rows report the pages", async () => {
  const folder = await release("full");
  writeFileSync(join(folder, page(2)), "nothing\n");
  reseal(folder);
  const { differing, lookup } = await verified(folder);
  expect(lookup).toMatchObject({ outcome: "skipped", note: "the pages that it is made from are not valid" });
  expect(differing).toContain("pages");

  const changed = await release("full");
  edit(changed, page(1), (text) => text.replace(userId(0), userId(0).replace(/^./, "F")));
  reseal(changed);
  expect((await verified(changed)).lookup?.outcome).not.toBe("passed");
});
