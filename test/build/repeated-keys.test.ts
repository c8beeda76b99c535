/** Repeated keys are found in the list of a release's records. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayRepeatKeys } from "../../src/build/repeated-keys.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";

test("ids that differ only little are told apart, and two that are the same are found, however many there are", () => {
  const folder = scratch();
  const lines = Array.from({ length: 20_000 }, (_, at) => `${"0".repeat(32)}  ${userId(at)}\n`);
  writeFileSync(join(folder, "records.sha256"), lines.join(""));
  expect(mayRepeatKeys(join(folder, "records.sha256"), lines.length)).toBe(false);
  lines[19_999] = lines[7] ?? "";
  writeFileSync(join(folder, "records.sha256"), lines.join(""));
  expect(mayRepeatKeys(join(folder, "records.sha256"), lines.length)).toBe(true);
  expect(mayRepeatKeys(join(folder, "records.sha256"), lines.length - 1)).toBe(false);
});
