/** Repeated keys are found in the list of a release's records. */
import { expect, test } from "vitest";
import { RepeatedKeys } from "../../src/build/repeated-keys.js";
import { writeKey } from "../../src/contract/record/key.js";
import { userId } from "../support/database.js";

/** Of keys that differ only little. */
test.each<[what: string, keyOf: (at: number) => string | number]>([
  ["UUIDs", userId],
  ["integers", (at) => at - 10_000],
  ["texts of one letter, again and again", (at) => "k".repeat(1 + (at % 1500)) + (at >= 1500 ? at : "")],
  ["long texts that differ in their last letter", (at) => `${"é".repeat(400)}${at}`],
  ["texts that differ in their first letters", (at) => `${at}${"x".repeat(500)}`],
])("%s are told apart, and two that are the same are found, however many there are", (_, keyOf) => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `${"0".repeat(32)}  ${writeKey(keyOf(at))}\n`);
  const mayRepeat = (count: number, together: number) => {
    const keys = new RepeatedKeys(count, together);
    // As they come from several threads: some at a time, in any order.
    for (const from of [12_000, 0, 5_000])
      keys.add(Buffer.from(lines.slice(from, Math.min(count, NEXT[from] ?? 0)).join(""), "latin1"));
    const may = keys.mayRepeat();
    keys.close();
    return may;
  };
  for (const together of [20_000, 7_000, 3_000, 900]) expect(mayRepeat(lines.length, together)).toBe(false);
  lines[19_999] = lines[7] ?? "";
  for (const together of [20_000, 7_000, 3_000, 900]) {
    expect(mayRepeat(lines.length, together)).toBe(true);
    expect(mayRepeat(lines.length - 1, together)).toBe(false);
  }
});

/** Where the lines that begin at one place end. */
const NEXT: Readonly<Record<number, number>> = { 0: 5_000, 5000: 12_000, 12000: 20_000 };
