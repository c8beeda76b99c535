/** Rows that lie in published order are copied as they lie, others are sorted whole: both give the same release and problems. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { KeyHashes } from "../../../src/build/key-hashes.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { build, InvalidRecordsError } from "../../../src/index.js";
import { openSource } from "../../support/candidates.js";
import { contractWith } from "../../support/contracts.js";
import { scratch } from "../../support/files.js";
import { draws, type Random, seeded } from "../../support/random.js";

const baseUrl = "https://a.example";
const FILE = contractWith(
  ["thing", "things"],
  {
    id: { type: "string" },
    rollcall_number: { type: ["string", "null"] },
    rollcall_place: { type: "integer" },
    rollcall_row: { type: "string", pattern: "^[a-z0-9]*$" },
  },
  { order: ["-rollcall_place", "id"] },
);
const CONTRACT = contractOf(FILE);
const IN_ORDER = "rollcall_place DESC, id";

type Value = string | number | bigint | null | Buffer;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Writes the table `things`, as an SQL ORDER BY says, and the view `seen` of it, whose rows are always sorted whole. */
function write(rows: readonly (readonly Value[])[], order: string, swaps: readonly [number, number][] = []): string {
  const file = join(scratch(), "things.sqlite");
  const db = new Database(file);
  const names = "id, rollcall_number, rollcall_place, rollcall_row";
  db.pragma("synchronous = OFF");
  db.exec(`BEGIN; CREATE TABLE raw (${names})`);
  const insert = db.prepare("INSERT INTO raw VALUES (?, ?, ?, ?)");
  for (const row of rows)
    insert.run(...row.map((value) => (Number.isInteger(value) ? BigInt(value as number) : value)));
  db.exec(`CREATE TABLE things (${names}); INSERT INTO things SELECT * FROM raw ORDER BY ${order}; DROP TABLE raw;
    CREATE VIEW seen AS SELECT * FROM things; COMMIT`);
  const swap = db.prepare("UPDATE things SET rowid = ? WHERE rowid = ?");
  for (const [one, other] of swaps) {
    swap.run(-1, one);
    swap.run(one, other);
    swap.run(other, -1);
  }
  db.close();
  return file;
}

function valid(count: number): Value[][] {
  return Array.from({ length: count }, (_, at) => [`t${at}`, at % 3 === 0 ? null : `n${at}`, at, `r${at}`]);
}

/** How the rows of a table are copied: the row at each of the first places. */
async function rowsAt(db: string, table: string): Promise<unknown[]> {
  const source = await openSource({ db, contract: CONTRACT, table });
  const copy = new Database(source.copy.path, { readonly: true });
  const { order } = source.copy.tables;
  const rows = copy.prepare(`SELECT row FROM ${order} ORDER BY position LIMIT 3`).pluck().all();
  copy.close();
  source.close();
  return rows;
}

test("copies rows in published order or its reverse as they lie, and sorts others whole", async () => {
  const reversed = write(valid(500), "rollcall_place, id");
  expect(await rowsAt(reversed, "things")).toEqual([500, 499, 498]);
  expect(await rowsAt(reversed, "seen")).toEqual([1, 2, 3]);
  expect(await rowsAt(write(valid(500), "rollcall_place * 7919 % 500"), "things")).toEqual([1, 2, 3]);
  // The first rows alone do not decide.
  const begun = write(valid(2000), "iif(rollcall_place < 200, rollcall_place, 200 + rollcall_place * 7919 % 2000)");
  expect(await rowsAt(begun, "things")).toEqual([1, 2, 3]);
});

/** What a build gives: the id of its release, or its problems. */
async function resultOf(db: string, table: string, skipInvalid: boolean): Promise<unknown> {
  const folder = scratch();
  const problems = join(folder, "problems.ndjson");
  const options = { db, table, contract: FILE, dist: join(folder, "dist"), baseUrl, pageSize: 7, workers: 0 };
  try {
    const { id, skipped } = await build({ ...options, problems, skipInvalid });
    return { id, skipped, problems: readFileSync(problems, "utf8") };
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { message: error.message, problems: readFileSync(problems, "utf8") };
  }
}

/** Values, of which few are invalid, so that many sources have problems but also valid records. */
function randomRow(random: Random, most: number): Value[] {
  const odd = random.chance(0.03);
  const text = `${random.below(most)}`;
  const huge = 2n ** 53n + BigInt(random.below(most));
  const key = odd
    ? random.of<Value>([null, Buffer.from("t1"), 7, "t1"])
    : random.of<Value>([`t${text}`, `t${text}-`, huge]);
  const place = odd ? random.of<Value>([null, "3", 2.5, huge]) : random.below(9);
  const row = random.chance(0.01)
    ? random.of<Value>(["É", Buffer.from("a"), null, "-"])
    : random.of<Value>([text, huge]);
  return [key, random.of<Value>([null, "", text, "\u0000", '"', -huge]), place, row];
}

test("sorted keys and sorted rows give the same release and problems", async () => {
  const random = seeded();
  for (let draw = 0; draw < draws(200); draw++) {
    const count = random.below(90);
    const rows = Array.from({ length: count }, () => randomRow(random, 20 * count));
    const swaps = count < 40 ? [] : [[1 + random.below(20), 21 + random.below(19)] as [number, number]];
    const db = write(rows, random.of([IN_ORDER, "rollcall_place, id DESC"]), swaps);
    for (const skipInvalid of [false, true])
      expect(await resultOf(db, "things", skipInvalid), `source ${draw}`).toEqual(
        await resultOf(db, "seen", skipInvalid),
      );
  }
});

test("equal hashes of different keys change nothing", async () => {
  const db = write(valid(50), IN_ORDER);
  const expected = await resultOf(db, "things", false);
  const mayRepeat = vi.spyOn(KeyHashes.prototype, "mayRepeat").mockReturnValue(true);
  expect(await resultOf(db, "things", false)).toEqual(expected);
  expect(mayRepeat).toHaveBeenCalledOnce();
});

test("finds repeated keys among records that are valid otherwise, and leaves them out", async () => {
  const db = write([...valid(20), ["t3", null, 30, "r"], ["t3", null, 31, "r"]], IN_ORDER);
  const found = await resultOf(db, "things", false);
  expect(found).toEqual(await resultOf(db, "seen", false));
  expect(found).toMatchObject({ message: expect.stringContaining("3 of 22 things are invalid (problems: 3)") });
  expect(await resultOf(db, "things", true)).toMatchObject({ skipped: 3 });
});
