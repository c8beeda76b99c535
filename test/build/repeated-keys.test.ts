/** Repeated keys are found in the list of a release's records. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayRepeatKeys } from "../../src/build/repeated-keys.js";
import { writeKey } from "../../src/contract/record/key.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";

/** Of keys that differ only little. */
test.each<[what: string, keyOf: (at: number) => string | number]>([
  ["UUIDs", userId],
  ["integers", (at) => at - 10_000],
  ["texts of one letter, again and again", (at) => "k".repeat(1 + (at % 1500)) + (at >= 1500 ? at : "")],
  ["long texts that differ in their last letter", (at) => `${"é".repeat(400)}${at}`],
  ["texts that differ in their first letters", (at) => `${at}${"x".repeat(500)}`],
])("%s are told apart, and two that are the same are found, however many there are", (_, keyOf) => {
  const path = join(scratch(), "records.sha256");
  const lines = Array.from({ length: 20_000 }, (_, at) => `${"0".repeat(32)}  ${writeKey(keyOf(at))}\n`);
  writeFileSync(path, lines.join(""), "latin1");
  expect(mayRepeatKeys(path, lines.length)).toBe(false);
  lines[19_999] = lines[7] ?? "";
  writeFileSync(path, lines.join(""), "latin1");
  expect(mayRepeatKeys(path, lines.length)).toBe(true);
  expect(mayRepeatKeys(path, lines.length - 1)).toBe(false);
});
