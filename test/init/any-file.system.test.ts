/** Nothing changes at the door: what is published of any text file or table says the same as what was written. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { draws } from "../support/random.js";
import { checkObjects, checkTable, forms, objects, tables } from "./files.js";

/** Files for each change; all of them nightly. */
const FILES = { numRuns: Math.max(150, draws(8000)) };
const OBJECTS = { numRuns: Math.max(50, draws(2000)) };

test("publishes each cell of any CSV, TSV or table as it was written, or refuses the file", async () => {
  const folder = join(scratch(), "any");
  const refused: string[] = [];
  const check = fc.asyncProperty(tables, forms, async (columns, form) => {
    const message = await checkTable(folder, columns, form);
    if (message !== undefined) refused.push(message);
  });
  await fc.assert(check, FILES);
  // In a file of one column, commas in most rows may be separators.
  for (const message of refused) expect(message).toMatch(/ or pass --separator\.$/);
  expect(refused.length).toBeLessThan(FILES.numRuns / 20);
});

test("publishes each value of any NDJSON as it was written, or refuses the file", async () => {
  const folder = join(scratch(), "any");
  const refused: string[] = [];
  const lineEnds = fc.constantFrom("\n", "\r\n", "\r");
  const check = fc.asyncProperty(objects, lineEnds, async (rows, lineEnd) => {
    const message = await checkObjects(folder, rows, lineEnd);
    if (message !== undefined) refused.push(message);
  });
  await fc.assert(check, OBJECTS);
  expect(refused).toEqual([]);
});
