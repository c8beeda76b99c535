/** Hashes of keys: equal ones for equal keys, whatever else the lines of the record list say. */
import { expect, test } from "vitest";
import { KeyHashes } from "../../src/build/key-hashes.js";

function mayRepeat(...batches: string[][]): boolean {
  const hashes = new KeyHashes(batches.flat().length);
  for (const [at, keys] of batches.entries())
    hashes.add(Buffer.from(keys.map((key) => `${`${at}`.repeat(32)}  ${key}\n`).join("")));
  return hashes.mayRepeat();
}

test("keys may be repeated if one is in two places", () => {
  expect(mayRepeat()).toBe(false);
  expect(mayRepeat(["a", "b"], ["c"])).toBe(false);
  expect(mayRepeat(["a", "b"], ["c", "a"])).toBe(true);
  expect(mayRepeat(["a", "a"])).toBe(true);
});

test("200,000 similar keys have different hashes", () => {
  const keys = Array.from({ length: 200_000 }, (_, at) => String(at));
  expect(mayRepeat(keys)).toBe(false);
  expect(mayRepeat(keys, ["199999"])).toBe(true);
});
