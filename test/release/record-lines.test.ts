/** Reads lines of records.sha256 by number, of any length, in any order, across windows. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { writeKey } from "../../src/contract/record/key.js";
import { RecordLines } from "../../src/release/record-lines.js";
import { scratch } from "../support/files.js";
import { draws } from "../support/random.js";

function linesOf(keys: readonly (string | number)[]): string[] {
  return keys.map((key, at) => `${String(at).padStart(32, "0")}  ${writeKey(key)}\n`);
}

function reading(text: string) {
  const path = join(scratch(), "records.sha256");
  writeFileSync(path, text, "latin1");
  const open = (...places: ConstructorParameters<typeof RecordLines>[1][]) => {
    const list = new RecordLines(path, ...places);
    onTestFinished(() => list.close());
    return list;
  };
  return { path, open };
}

/** More lines than fit into several windows. */
const KEYS: [what: string, keys: (string | number)[]][] = [
  ["of one length", Array.from({ length: 30_000 }, (_, at) => String(at).padStart(36, "k"))],
  ["of two lengths", Array.from({ length: 30_000 }, (_, at) => "k".repeat(1 + (at % 2)))],
  ["integers of every length", Array.from({ length: 40_000 }, (_, at) => (at % 2 ? -1 : 1) * (at ** 3 % 1_000_003))],
  ["longer and longer", Array.from({ length: 3000 }, (_, at) => "k".repeat(1 + at))],
  ["hard text", Array.from({ length: 20_000 }, (_, at) => `“${at}”\n🌦\u0000"\\${"é".repeat(at % 50)}`)],
  ["longer than a window", ["a", "b".repeat(700_000), "c", "d".repeat(2_000_000), "e"]],
  ["one", ["a"]],
  ["none", []],
];

test.each(KEYS)("%s: any lines, in any order", (_, keys) => {
  const lines = linesOf(keys);
  const list = reading(lines.join("")).open();
  expect(list.measure()).toEqual({ lines: lines.length, trailing: 0 });
  const most = Math.max(lines.length, 1);
  const span = fc.tuple(fc.nat(most), fc.nat(Math.min(most, 400)));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 10 }), (spans) => {
      for (const [first, count] of spans) {
        const found = list.lines(first, count).toString("latin1");
        if (found !== lines.slice(first, first + count).join("")) throw new Error(`line ${first}, ${count} of them`);
      }
    }),
    { numRuns: draws(100) },
  );
});

test.each(KEYS)("%s: readers that jump forward and share places", (_, keys) => {
  const lines = linesOf(keys);
  const { open } = reading(lines.join(""));
  const places: { line: number; offset: number }[] = [];
  for (let first = 0; first < lines.length; first += Math.ceil(lines.length / 7)) {
    expect(open(places).lines(first, 2).toString("latin1")).toBe(lines.slice(first, first + 2).join(""));
  }
});

test.each(KEYS)("%s: keys and digests, one by one", (_, keys) => {
  const list = reading(linesOf(keys).join("")).open();
  for (const [at, key] of keys.entries()) {
    if (list.load(at, 1) < 1 || list.key(at) !== writeKey(key) || Number(list.digest(at)) !== at)
      expect(at).toBe("held");
  }
  expect(list.load(keys.length, 1)).toBe(0);
});

test("counts bytes after the last newline, but not as a line", () => {
  const [line = ""] = linesOf(["key"]);
  const { open } = reading(`${line}${line}${line.slice(0, 20)}`);
  expect(open().measure()).toEqual({ lines: 2, trailing: 20 });
  expect(open().lines(1, 5).toString()).toBe(line);
});
