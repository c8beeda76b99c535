/** Texts of many megabytes, of which V8 cannot follow every pattern: none of them is a bug. */
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareSides } from "../../src/core/compare/compare.js";
import { withDefaults } from "../../src/core/settings/settings.js";
import { build } from "../../src/index.js";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { passed } from "../../src/verify/verdict.js";
import { openOnly } from "../diff/sides/opened.js";
import { plainRows, type Row, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

/** More than V8 keeps choices for, in each of the patterns that are asked. */
const LONG = 9_000_000;

// As V8 does by itself once a process has many patterns: then each turn of a part that repeats is a choice.
beforeAll(() => setFlagsFromString("--no-regexp-optimization"));
afterAll(() => setFlagsFromString("--regexp-optimization"));

const publish = (columns: Row) => {
  const folder = scratch();
  const rows = plainRows(3).map((row, at) => (at === 1 ? { ...row, ...columns } : row));
  const db = writeUsers(join(folder, "users.sqlite"), rows);
  return build({ db, dist: join(folder, "dist"), baseUrl: "https://directory.example.com", explorer: true });
};

test.each<[string, Row]>([
  ["lines without end", { bio: "\n".repeat(LONG) }],
  ["a word without end", { display_name: "é".repeat(LONG) }],
  ["writing without spaces", { last_name: "漢".repeat(LONG) }],
  ["a host of many parts", { image_url: `https://${"a.".repeat(LONG)}com/` }],
])("%s: it is published, verified and compared", async (_, columns) => {
  const { folder } = await publish(columns);
  expect(passed(await verifyRelease({ folder, workers: 0 }))).toBe(true);
  const { folder: plain } = await publish({});
  const effects = { cwd: folder, dist: folder, scratch: scratch(), source: withDefaults("diff", {}) };
  const result = await compareSides(await openOnly(plain, effects), await openOnly(folder, effects));
  try {
    const changed: unknown[] = [];
    for await (const { id } of result.changes()) changed.push(id);
    expect(changed).toEqual([userId(1)]);
  } finally {
    result.close();
  }
});

test("a pattern that cannot be followed to a text's end is one that the text does not match", async () => {
  await expect(publish({ languages: JSON.stringify([`DE${"-A".repeat(2 * LONG)}`]) })).rejects.toThrow(
    "1 of 3 users is invalid",
  );
});
