/** Reads the lines of records.sha256, of any length, across windows. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeKey } from "../../../src/core/contract/record/key.js";
import { RecordLines } from "../../../src/core/release/record-lines.js";
import { scratch } from "../../support/files.js";

function linesOf(keys: readonly (string | number)[]): string[] {
  return keys.map((key, at) => `${String(at).padStart(32, "0")}  ${writeKey(key)}\n`);
}

function openList(text: string): RecordLines {
  const path = join(scratch(), "records.sha256");
  writeFileSync(path, text, "latin1");
  const list = new RecordLines(path);
  onTestFinished(() => list.close());
  return list;
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

test.each(KEYS)("%s: keys and digests, one by one", (_, keys) => {
  const list = openList(linesOf(keys).join(""));
  for (const [at, key] of keys.entries()) {
    if (!list.next() || list.at !== at || list.key !== writeKey(key) || Number(list.digest) !== at)
      expect(at).toBe("read");
  }
  expect(list.next()).toBe(false);
});

test.each(KEYS)("%s: lines that are the same, and a line that is not", (_, keys) => {
  const lines = linesOf(keys);
  const changed = Math.floor(lines.length / 2);
  const other = lines.map((line, at) => (at === changed ? line.replace(/.\n$/s, "~\n") : line));
  const list = openList(lines.join(""));
  // Windows of this one begin elsewhere, and so do its lines in memory.
  const moved = openList([...linesOf(["first"]), ...other].join(""));
  moved.next();
  const differing: number[] = [];
  while (list.next() && moved.next()) if (!list.isSame(moved)) differing.push(list.at);
  expect(differing).toEqual(lines.length > 0 ? [changed] : []);
});

test("bytes after the last newline are no line", () => {
  const [line = ""] = linesOf(["key"]);
  const list = openList(`${line}${line}${line.slice(0, 20)}`);
  expect([list.next(), list.next(), list.next()]).toEqual([true, true, false]);
});
