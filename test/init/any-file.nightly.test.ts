/** Nothing changes at the door: what is published of any text file or table says the same as what was written, in 10,000 files. */
import { join } from "node:path";
import { test } from "vitest";
import { scratch } from "../support/files.js";
import { checkManyObjects, checkTables } from "./files.js";

test("publishes each cell of any CSV, TSV or table as it was written, or refuses the file", async () => {
  await checkTables(join(scratch(), "any"), 8000);
});

test("publishes each value of any NDJSON as it was written", async () => {
  await checkManyObjects(join(scratch(), "any"), 2000);
});
