/** A Parquet file from a stranger: numbers in it that would take memory or time are refused, and each damage is a finding. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { parquetColumns, parquetSchema, storedLineOf } from "../../src/build/artifacts/parquet-columns.js";
import { type Contract, contractOf } from "../../src/core/contract/contract.js";
import { valueAt } from "../../src/core/contract/record/value.js";
import type { Release } from "../../src/core/release/open.js";
import { PlainHash } from "../../src/verify/disk/packed.js";
import { checkParquet } from "../../src/verify/disk/parquet.js";
import { checkColumn } from "../../src/verify/disk/parquet-form.js";
import { thingsWith } from "../build/artifacts/parquet-files.js";
import { scratch } from "../support/files.js";
import { draws, seeded } from "../support/random.js";

const CONTRACT = contractOf(
  thingsWith({
    flag: { type: ["boolean", "null"] },
    list: { type: ["array", "null"], items: { type: "integer" } },
    number: { type: "number" },
    other: { "x-json": true },
    text: { type: ["string", "null"] },
    when: { type: "string", format: "date-time" },
  }),
);

const RECORDS = Array.from({ length: 60 }, (_, at) => ({
  flag: at % 7 === 0 ? null : at % 2 === 0,
  key: String(at).padStart(3, "0"),
  list: at % 5 === 0 ? null : Array.from({ length: at % 4 }, (_, item) => item + at),
  number: at / 3,
  other: at % 3 === 0 ? { a: [at] } : at,
  text: at % 9 === 0 ? null : `text ${at % 4}`,
  when: `2026-01-31T12:00:${10 + (at % 50)}Z`,
}));

/** A file of the records in two row groups. */
function fileOf(codec: "GZIP" | "UNCOMPRESSED"): Buffer {
  const writer = new ByteWriter();
  const columns = parquetColumns(CONTRACT);
  const parquet = new ParquetWriter({
    writer,
    codec,
    schema: parquetSchema(columns),
    compressors: { GZIP: (bytes) => gzipSync(bytes) },
  });
  const columnData = columns.map(({ field, store }) => {
    return { name: field.path, data: RECORDS.map((record) => store(valueAt(record, field))) };
  });
  parquet.write({ columnData, rowGroupSize: 40 });
  parquet.finish();
  return Buffer.from(writer.getBytes());
}

/** Checks a file against the records. @returns what was found, as texts */
async function check(bytes: Uint8Array, contract: Contract = CONTRACT): Promise<string[]> {
  const folder = mkdtempSync(join(scratch(), "release-"));
  writeFileSync(join(folder, "records.parquet"), bytes);
  const made = new PlainHash();
  const line = storedLineOf(parquetColumns(contract));
  for (const record of RECORDS) made.update(Buffer.from(`${line(record)}\n`));
  const found: string[] = [];
  const release = { folder, contract, snapshot: { count: RECORDS.length } } as Release;
  await checkParquet(release, made, (_, difference) => found.push(difference.found), undefined);
  return found;
}

describe.each(["GZIP", "UNCOMPRESSED"] as const)("%s", (codec) => {
  const right = fileOf(codec);

  test("the records are found", async () => {
    expect(await check(right)).toEqual([]);
  });

  test("a byte that was flipped anywhere is a finding, or is in no value", async () => {
    const random = seeded();
    let findings = 0;
    const times = draws(5_000);
    for (let time = 0; time < times; time++) {
      const bytes = Buffer.from(right);
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      const found = await check(bytes);
      expect(found.length).toBeLessThanOrEqual(1);
      for (const text of found) expect(text).toMatch(/^[^\n]{1,400}$/);
      findings += found.length;
    }
    expect(findings).toBeGreaterThan(times / 3);
  });

  test("some bytes that were set to others are a finding, or are in no value", async () => {
    const random = seeded();
    for (let time = 0; time < draws(5_000); time++) {
      const bytes = Buffer.from(right);
      const begin = random.chance(0.5) ? random.below(bytes.length) : bytes.length - 1 - random.below(1500);
      for (let at = begin; at < begin + 1 + random.below(6); at++) bytes[at] = random.of([0, 0x7f, 0x80, 0xff]);
      expect((await check(bytes)).length).toBeLessThanOrEqual(1);
    }
  });

  test("a file that was cut anywhere is a finding", async () => {
    const random = seeded();
    for (let time = 0; time < draws(300); time++)
      expect(await check(right.subarray(0, random.below(right.length)))).toHaveLength(1);
  });
});

/** A file that has only a footer. */
function withFooter(footer: Uint8Array, length = footer.length): Buffer {
  const end = Buffer.alloc(4);
  end.writeUInt32LE(length);
  return Buffer.concat([Buffer.from("PAR1"), footer, end, Buffer.from("PAR1")]);
}

test.each<[what: string, file: Buffer, found: string]>([
  ["is longer than the file", withFooter(Buffer.alloc(9), 2 ** 31), "a footer of 2147483648 bytes"],
  ["is longer than it can be", withFooter(Buffer.alloc(2 ** 22)), "a footer of 4194304 bytes"],
  ["has structs inside each other", withFooter(Buffer.alloc(50_000, 0x1c)), "too many structs inside each other"],
  [
    "has lists inside each other",
    withFooter(Buffer.concat([Buffer.from([0x19]), Buffer.alloc(50_000, 0x19)])),
    "too many lists inside each other",
  ],
  ["has a long list", withFooter(Buffer.from([0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f])), "a list of 268435455 items"],
  ["has a long text", withFooter(Buffer.from([0x18, 0xff, 0xff, 0xff, 0x7f])), "a value of 268435455 bytes"],
  [
    "has a long number",
    withFooter(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(50_000, 0xff)])),
    "a number of more than 64 bits",
  ],
  ["has a map", withFooter(Buffer.from([0x1b])), "values of the type 11"],
  ["does not end", withFooter(Buffer.from([0x15])), "it ends too early"],
])("a footer that %s is refused", async (_, file, found) => {
  expect(await check(file)).toEqual([`a file that cannot be read as Parquet (${found})`]);
});

const int = (value: number): number[] => {
  const bytes: number[] = [];
  for (let rest = 2 * value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
};
/** A page of ten values. The header is that of a column without nulls or lists unless a member is given. */
function page(data: readonly number[], members: Readonly<Record<number, number>> = {}, encoding = 8): Buffer {
  const all: Record<number, number> = { 1: 10, 2: 0, 3: 10, 4: encoding, 5: 0, 6: 0, ...members };
  const inside = Object.values(all).flatMap((value) => [0x15, ...int(value)]);
  const size = members[20] ?? data.length;
  return Buffer.from([0x15, ...int(3), 0x15, ...int(size), 0x15, ...int(data.length), 0x5c, ...inside, 0, 0, ...data]);
}
const dictionary = (values: number, data: readonly number[]) =>
  Buffer.from([
    0x15,
    ...int(2),
    0x15,
    ...int(data.length),
    0x15,
    ...int(data.length),
    0x4c,
    0x15,
    ...int(values),
    0,
    0,
    ...data,
  ]);

test.each<[what: string, bytes: Buffer, found: string]>([
  ["too many values", page([1], { 1: 2 ** 30, 3: 2 ** 30 }), "pages of 1073741824 values in 1073741824 rows"],
  ["more values than rows", page([1], { 1: 20 }), "20 values in 10 rows"],
  ["more nulls than values", page([1], { 2: 11 }), "sizes that do not fit together"],
  ["levels that end behind it", page([1], { 5: 9 }), "sizes that do not fit together"],
  [
    "too many bytes",
    Buffer.from([0x15, ...int(3), 0x15, ...int(2 ** 30), 0x15, 0, 0]),
    "pages of 1073741824 bytes and more",
  ],
  [
    "less bytes than its header says",
    Buffer.from([0x15, ...int(3), 0x15, 0, 0x15, ...int(99), 0]),
    "a page that ends too late",
  ],
  ["another kind", Buffer.from([0x15, 0, 0x15, 0, 0x15, 0, 0]), "a page of the kind 0"],
  ["another encoding", page([1], {}, 5), "the encoding 5"],
  ["numbers of a dictionary that it lacks", page([1, 20, 0]), "the encoding 8"],
  ["a dictionary of many values", dictionary(2 ** 30, [1]), "a dictionary of 1073741824 values"],
  ["two dictionaries", Buffer.concat([dictionary(1, [1]), dictionary(1, [1])]), "a dictionary after a page"],
  ["a long run", Buffer.concat([dictionary(1, [1]), page([1, 0xfe, 0xff, 0xff, 0x7f, 0])]), "a run of 134217727"],
  ["many groups", Buffer.concat([dictionary(1, [1]), page([0, 0xff, 0xff, 0xff, 0x7f])]), "a run of 134217727"],
  ["a run of nothing", Buffer.concat([dictionary(1, [1]), page([1, 0, 0])]), "a run of 0"],
  ["runs that are too short", Buffer.concat([dictionary(1, [1]), page([1, 4, 0])]), "runs that end too early"],
  ["large numbers", Buffer.concat([dictionary(1, [1]), page([200, 20])]), "numbers of 200 bits"],
  ["too few rows", page([1, 2], { 1: 5, 3: 5 }, 0), "5 rows in the pages of a column, and 10 in the row group"],
])("a column with %s is refused", (_, bytes, found) => {
  const chunk = { bytes, isCompressed: false, isBoolean: false, levels: { definition: 0, repetition: 0 }, rows: 10 };
  expect(() => checkColumn(chunk, { bytes: 1000, values: 100 })).toThrow(
    `a file that cannot be read as Parquet (${found})`,
  );
});

test("a column whose pages are as Rollcall writes them is not refused", () => {
  const chunk = { isCompressed: false, isBoolean: false, levels: { definition: 0, repetition: 0 }, rows: 10 };
  const bytes = Buffer.concat([dictionary(1, [1]), page([1, 20, 0])]);
  expect(() => checkColumn({ ...chunk, bytes }, { bytes: 1000, values: 100 })).not.toThrow();
  expect(() => checkColumn({ ...chunk, bytes }, { bytes: 3, values: 100 })).toThrow("pages of 3 bytes and more");
});
