/** What `rollcall dev` prints before the first build. */
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocks } from "../../../src/cli/dev/blocks.js";
import { scratch } from "../../support/files.js";
import { fakeIo } from "../run.js";

test.each([
  [5_000_000, "read      people.csv    5 MB; http://127.0.0.1:8080 answers when it is built\n"],
  [4_999_999, ""],
])("of a source of %i bytes", (bytes, line) => {
  const io = fakeIo(scratch());
  const db = join(io.cwd, "people.csv");
  writeFileSync(db, "");
  truncateSync(db, bytes);
  blocks(io, db).onListening("http://127.0.0.1:8080");
  expect(io.stderr.text.replace(`${io.cwd}/`, "")).toBe(line);
});
