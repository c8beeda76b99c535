/** `rollcall verify` on disk: parts are proved against pages, and all that can be wrong with them is found and said. */
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Bulk, encodeBulk } from "../../src/bulk/parts.js";
import { sha256 } from "../../src/release/files.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import type { Finding } from "../../src/verify/verdict.js";
import { plainRows, userId } from "../support/database.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { edit, page, plainRelease, reseal } from "./damage.js";

const PART = "bulk/1.ndjson.gz";
const OTHER = "bulk/2.ndjson.gz";

const bulkRelease = () => plainRelease({ bulk: true, encodings: [] });
const readBulk = (folder: string): Bulk => JSON.parse(readFileSync(join(folder, "bulk.json"), "utf8"));
const plainOf = (folder: string, path = PART) => gunzipSync(readFileSync(join(folder, path)));

/** Writes parts that hold these plain bytes, and a bulk.json that says so. */
function writeParts(folder: string, ...plains: (string | Buffer)[]): void {
  const parts = plains.map((plain, at) => {
    const file = `bulk/${at + 1}.ndjson.gz`;
    const bytes = gzipSync(plain);
    writeFileSync(join(folder, file), bytes);
    return { file, count: String(plain).split("\n").length - 1, bytes: bytes.length, sha256: sha256(plain) };
  });
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const joined = Buffer.concat(plains.map((plain) => Buffer.from(plain)));
  writeFileSync(join(folder, "bulk.json"), encodeBulk({ count, sha256: sha256(joined), parts }));
}

/** Replaces a part's file, and says its new size in bulk.json. */
function writePart(folder: string, bytes: Buffer): void {
  writeFileSync(join(folder, PART), bytes);
  const bulk = readBulk(folder);
  const [first, ...others] = bulk.parts;
  if (first)
    writeFileSync(
      join(folder, "bulk.json"),
      encodeBulk({ ...bulk, parts: [{ ...first, bytes: bytes.length }, ...others] }),
    );
}

const setBulk = (folder: string, change: (bulk: Bulk) => object) =>
  writeFileSync(join(folder, "bulk.json"), encodeBulk(change(readBulk(folder)) as Bulk));

/** The row, and the names of others that differ. */
async function verified(folder: string) {
  const { rows } = await verifyRelease({ folder });
  const row = rows.find(({ name }) => name === "bulk");
  const others = rows.filter(({ name, outcome }) => name !== "bulk" && outcome === "differs").map(({ name }) => name);
  return { row, others };
}

test("a release that has parts passes; one that has none is not asked for any", async () => {
  expect((await verified(await bulkRelease())).row).toMatchObject({ request: "1 part", outcome: "passed" });
  expect((await verified(await plainRelease())).row).toMatchObject({ outcome: "skipped", note: "it has no bulk.json" });
});

test("several parts, which may end anywhere between two records", async () => {
  const folder = await bulkRelease();
  const lines = plainOf(folder).toString().split("\n");
  writeParts(folder, lines.slice(0, 2).join("\n").concat("\n"), "", lines.slice(2).join("\n"));
  reseal(folder);
  expect(await verified(folder)).toMatchObject({ row: { request: "3 parts", outcome: "passed" }, others: [] });
});

type Damage = [what: string, make: (folder: string) => void, finding: Partial<Finding>];

const DAMAGES: Damage[] = [
  [
    "cut",
    (folder) => writePart(folder, readFileSync(join(folder, PART)).subarray(0, -20)),
    { path: PART, found: "a file that is not gzip to its end (Z_BUF_ERROR)", expected: "one whole gzip" },
  ],
  [
    "empty",
    (folder) => writePart(folder, Buffer.alloc(0)),
    { path: PART, found: "a file that is not gzip to its end (Z_BUF_ERROR)" },
  ],
  [
    "no gzip",
    (folder) => writePart(folder, Buffer.from("<!doctype html><title>Not found</title>")),
    { path: PART, found: "a file that is not gzip to its end (Z_DATA_ERROR)" },
  ],
  [
    "with garbage behind",
    (folder) => writePart(folder, Buffer.concat([readFileSync(join(folder, PART)), Buffer.from("garbage")])),
    { path: PART, found: "a file that is not gzip to its end (Z_DATA_ERROR)" },
  ],
  [
    "with zeros behind, which gunzip leaves out in silence",
    (folder) => writePart(folder, Buffer.concat([readFileSync(join(folder, PART)), Buffer.alloc(1_000_000)])),
    { path: PART, found: "a file that has 1000000 bytes behind its gzip" },
  ],
  [
    "without its last record",
    (folder) =>
      writePart(
        folder,
        gzipSync(
          plainOf(folder)
            .toString()
            .replace(/[^\n]*\n$/, ""),
        ),
      ),
    { path: PART, found: "an end 1 records too early", expected: "as many as bulk.json counts" },
  ],
  [
    "without the last newline",
    (folder) => writePart(folder, gzipSync(plainOf(folder).subarray(0, -1))),
    { path: PART, found: "an end 1 records too early" },
  ],
  [
    "with a record more",
    (folder) => writePart(folder, gzipSync(`${plainOf(folder)}{}\n`)),
    { path: PART, found: "more records", expected: "no more than bulk.json counts" },
  ],
  [
    "with one byte of a record changed",
    (folder) => writePart(folder, gzipSync(plainOf(folder).toString().replace('"user4"', '"user5"'))),
    { path: PART, page: 2, id: userId(4), expected: "the record of its page, byte for byte" },
  ],
  [
    "with two records in each other's place",
    (folder) => {
      const lines = plainOf(folder).toString().split("\n");
      writeParts(folder, [lines[1], lines[0], ...lines.slice(2)].join("\n"));
    },
    { path: PART, page: 1, id: userId(0) },
  ],
  [
    "with a record that goes on behind its end",
    (folder) => writeParts(folder, plainOf(folder).toString().replace("}\n", "} \n")),
    { path: PART, page: 1, id: userId(0) },
  ],
  [
    "counted too low, in both places",
    (folder) =>
      writeParts(
        folder,
        plainOf(folder)
          .toString()
          .replace(/[^\n]*\n$/, ""),
      ),
    { path: "bulk.json", found: "count 6", expected: "7, as in snapshot.json" },
  ],
  [
    "of another size",
    (folder) => setBulk(folder, (bulk) => ({ ...bulk, parts: bulk.parts.map((part) => ({ ...part, bytes: 3 })) })),
    { path: PART, expected: "3, as in bulk.json" },
  ],
  [
    "of another digest",
    (folder) =>
      setBulk(folder, (bulk) => ({ ...bulk, parts: bulk.parts.map((part) => ({ ...part, sha256: sha256("") })) })),
    { path: "bulk.json", found: `sha256 ${sha256("")} of ${PART}` },
  ],
  [
    "of another digest in all",
    (folder) => setBulk(folder, (bulk) => ({ ...bulk, sha256: sha256("") })),
    { path: "bulk.json", found: `sha256 ${sha256("")}` },
  ],
  ["missing", (folder) => rmSync(join(folder, PART)), { path: PART, found: "no such file", expected: "a part" }],
  [
    "one too many",
    (folder) => writeFileSync(join(folder, OTHER), gzipSync("")),
    { path: OTHER, found: "a file", expected: "none, since bulk.json has no such part" },
  ],
  [
    "without bulk.json",
    (folder) => rmSync(join(folder, "bulk.json")),
    { path: "bulk.json", found: "a file that is no file to read", expected: "the parts that hold all records" },
  ],
  [
    "with a bulk.json that is none",
    (folder) => writeFileSync(join(folder, "bulk.json"), "[]\n"),
    { path: "bulk.json", expected: "the parts that hold all records" },
  ],
  [
    "with a bulk.json of another form",
    (folder) => edit(folder, "bulk.json", (text) => text.replace('"count":', '"count": ')),
    { path: "bulk.json", expected: "keys sorted, no white space, one final newline" },
  ],
  [
    "that leads out of the release",
    (folder) => edit(folder, "bulk.json", (text) => text.replace(PART, "../../etc/passwd")),
    { path: "bulk.json", found: `a file that has a parts.0.file that does not fit: must be ${PART}` },
  ],
  [
    "said to be larger than any part may be",
    (folder) => edit(folder, "bulk.json", (text) => text.replace(/"bytes":\d+/, '"bytes":24000001')),
    { path: "bulk.json" },
  ],
  [
    "of a page that has no records to compare with",
    (folder) => writeFileSync(join(folder, page(2)), "nothing\n"),
    { path: PART, page: 2, expected: "what its page has, which cannot be read" },
  ],
];

test.each(DAMAGES)("a part that is %s", async (_, make, finding) => {
  const folder = await bulkRelease();
  make(folder);
  reseal(folder);
  const { row, others } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs", count: 1, findings: [{ check: "bulk", ...finding }] });
  // All other checks are content, unless a page is broken, or openapi.json describes what is not there.
  const isElsewhere = (finding.page === 2 && !finding.id) || finding.found?.endsWith("no file to read");
  if (!isElsewhere) expect(others).toEqual([]);
});

test("parts in each other's place, or of another release", async () => {
  const folder = await bulkRelease();
  const lines = plainOf(folder).toString().split("\n");
  writeParts(folder, `${lines.slice(0, 3).join("\n")}\n`, lines.slice(3).join("\n"));
  const aside = join(folder, "bulk/aside");
  renameSync(join(folder, PART), aside);
  renameSync(join(folder, OTHER), join(folder, PART));
  renameSync(aside, join(folder, OTHER));
  reseal(folder);
  const { row } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs" });
  expect(row?.findings.map(({ path }) => path)).toEqual(expect.arrayContaining([PART, OTHER]));

  const [one, other] = [
    await bulkRelease(),
    await plainRelease(
      { bulk: true, encodings: [] },
      plainRows(7).map((user) => ({ ...user, bio: "other" })),
    ),
  ];
  rmSync(join(one, "bulk"), { recursive: true });
  for (const name of ["bulk", "bulk.json"]) renameSync(join(other, name), join(one, name));
  reseal(one);
  const foreign = await verified(one);
  expect(foreign.row).toMatchObject({
    outcome: "differs",
    count: 1,
    findings: [{ path: PART, page: 1, id: userId(0) }],
  });
  expect(foreign.others).toEqual([]);
});

test("a part that is a link is not followed", async () => {
  const folder = await bulkRelease();
  const elsewhere = join(scratch(), "part");
  renameSync(join(folder, PART), elsewhere);
  symlinkSync(elsewhere, join(folder, PART));
  const { others } = await verified(folder);
  expect(others).toContain("files");
});

test("a part that would unpack to ten gigabytes is not unpacked, which would take longer than a test may", async () => {
  const folder = await bulkRelease();
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  writePart(folder, Buffer.concat([gzipSync(plainOf(folder)), ...Array.from({ length: 10_240 }, () => megabyte)]));
  reseal(folder);
  expect((await verified(folder)).row).toMatchObject({ count: 1, findings: [{ path: PART, found: "more records" }] });
});

test("any byte of it that is flipped is found", async () => {
  const folder = await bulkRelease();
  const random = seeded(20_261_122);
  const files = [PART, "bulk.json"].map((path) => [path, readFileSync(join(folder, path))] as const);
  for (let round = 0; round < 60; round++) {
    const [path, whole] = random.of(files);
    const bytes = Buffer.from(whole);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    writeFileSync(join(folder, path), bytes);
    const { rows } = await verifyRelease({ folder });
    const differing = rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
    expect(differing, `${path}, byte ${at}`).toContain("digests");
    // A gzip header has bytes that say nothing of what is in it.
    if (path === "bulk.json" || at >= 10) expect(differing, `${path}, byte ${at}`).toContain("bulk");
    writeFileSync(join(folder, path), whole);
  }
});
