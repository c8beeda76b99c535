/** A line that is longer than a text can be is refused, and is not read into memory as a whole. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { expect, test } from "vitest";

import { scratch } from "../../support/files.js";
import { importFile } from "../../support/imported.js";

/** Characters of a piece of the line, and the number of pieces. */
const PIECE = 1 << 20;
const PIECES = 2 ** 29 / PIECE;

test.each([
  ["csv", 'id,a\n1,"', /line 2, column 2: .*Correct the line/],
  ["ndjson", '{"id": 1}\n{"a": "', /line 2: longer than 536870888 characters\. Split the record/],
] as const)("%s", { timeout: 300_000 }, async (_format, start, message) => {
  const folder = scratch();
  const path = join(folder, "long.gz");
  const pieces = function* () {
    yield start;
    for (let at = 0; at < PIECES; at++) yield "x".repeat(PIECE);
  };
  await pipeline(Readable.from(pieces()), createGzip({ level: 1 }), createWriteStream(path));
  await expect(importFile(path, {}, join(folder, "to.sqlite"), "written")).rejects.toThrow(message);
});
