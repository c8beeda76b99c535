/** Complete reports of realistic diffs. `UPDATE=1 npm test` rewrites the expected files, to be reviewed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Diff } from "../../../src/core/compare/change.js";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { jsonReport, ndjsonReport } from "../../../src/diff/report/json.js";
import { markdownReport } from "../../../src/diff/report/markdown.js";
import { textReport } from "../../../src/diff/report/text.js";
import { collect, plain } from "./collect.js";
import { REALISTIC } from "./realistic.js";

const EXPECTED = new URL("expected/", import.meta.url).pathname;
const isUpdate = process.env["UPDATE"] === "1";
const GATE = "max-removed 0: 1 of 12,376 users removed (0 %)";

/** Reports too long to review, or similar to another: only a digest is stored. */
const LONG = new Set(["hundred-thousand", "two-facets"]);

/** JSON and NDJSON for diffs with all kinds of changes, and difficult texts and keys. json.test.ts covers any diff. */
const MACHINE = new Set(["empty", "every-kind", "hard", "hostile", "parts"]);

const reports = Object.entries(REALISTIC).flatMap(([name, diff]) => {
  const exceeded = name === "every-kind" ? [GATE] : [];
  const printed: Record<string, (diff: Diff) => AsyncGenerator<string>> = {
    txt: (given) => textReport(given, { limit: 20, paint: plain, exceeded }),
    md: (given) => markdownReport(given, { exceeded }),
  };
  const machine = MACHINE.has(name) ? { json: jsonReport, ndjson: ndjsonReport } : {};
  const isLong = LONG.has(name);
  return Object.entries({ ...printed, ...machine }).map(
    ([format, report]) =>
      [
        `${name}.${format}${isLong ? ".sha256" : ""}`,
        async () => {
          const text = await collect(report(diff));
          return isLong ? `${sha256(text)}\n` : text;
        },
      ] as const,
  );
});

test("CI does not rewrite expected reports", () => {
  expect(isUpdate && process.env["CI"]).toBeFalsy();
});

test.each(reports)("%s", async (name, report) => {
  const [file, text] = [join(EXPECTED, name), await report()];
  mkdirSync(EXPECTED, { recursive: true });
  if (isUpdate) writeFileSync(file, text);
  expect(existsSync(file), "run UPDATE=1 npm test, then read what it wrote").toBe(true);
  expect(text).toBe(readFileSync(file, "utf8"));
});

test("every expected file belongs to a test", () => {
  expect(readdirSync(EXPECTED).sort()).toEqual(reports.map(([name]) => name).sort());
});
