/** `rollcall verify` of parts, lookup and explorer on disk. */
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/release/release.js";
import {
  edit,
  FULL,
  namedRows,
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

test("progress counts records, then recreated files", async () => {
  const seen: unknown[] = [];
  await verifyRelease({ folder: await plainRelease({ lookup: true }), onProgress: (done) => seen.push(done) });
  const files = [0, 1, 2, 3].map((files) => ({ files, total: 3 }));
  expect(seen.slice(-4)).toEqual(files);
  expect(seen.slice(0, -4)).toContainEqual(expect.objectContaining({ records: 7, total: 7 }));
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

test("parts, lookup or index.json of another release", async () => {
  const other = await plainRelease(FULL, namedRows(["0 Anna", "Ben", "C", "D", "E", "F", "G"]));
  const withOther = async (...paths: string[]) => {
    const folder = await release("full");
    for (const path of paths) {
      rmSync(join(folder, path), { recursive: true });
      cpSync(join(other, path), join(folder, path), { recursive: true });
    }
    reseal(folder);
    return verified(folder);
  };
  expect(await withOther("bulk", "bulk.json")).toMatchObject({
    ...{ differing: ["bulk"], bulk: { count: 1, findings: [{ path: PART, page: 1, id: userId(0) }] } },
  });
  expect(await withOther("lookup")).toMatchObject({
    differing: ["lookup"],
    lookup: { findings: expect.arrayContaining([expect.objectContaining({ path: WORDS })]) },
  });
  expect(await withOther(INDEX)).toMatchObject({
    lookup: { count: 1, findings: [{ path: INDEX, found: 'words.0 "0"', expected: '"7"' }] },
  });
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
  expect(lookup).toMatchObject({ outcome: "differs", findings: [{ path: KEYS, found: "no such file" }] });
});

test("stops unpacking a part that would unpack to ten gigabytes", async () => {
  const folder = await release("full");
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  writePart(folder, Buffer.concat([gzipSync(partText(folder)), ...Array.from({ length: 10_240 }, () => megabyte)]));
  reseal(folder);
  expect((await verified(folder)).bulk).toMatchObject({ count: 1, findings: [{ path: PART, found: "more records" }] });
});

test("with invalid pages, the lookup is skipped, and other rows report the pages", async () => {
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

test("an explorer without its lookup, and an index.html alone", async () => {
  const folder = await release("full");
  rmSync(join(folder, "lookup"), { recursive: true });
  reseal(folder);
  const { differing, lookup } = await verified(folder);
  expect(differing).toEqual(["description", "lookup"]);
  expect(lookup?.findings).toContainEqual(
    expect.objectContaining({ path: INDEX, found: "no such file", expected: "one, as the records make it" }),
  );

  const alone = await release("plain");
  writeFileSync(join(alone, "index.html"), "<!doctype html>\n");
  reseal(alone);
  const found = await verified(alone);
  expect(found.explorer?.findings.map(({ path }) => path)).toContain(SUMMARY);
  expect(found.lookup?.findings.map(({ path }) => path)).toContain(INDEX);
});
