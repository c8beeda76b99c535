import { expect, test } from "vitest";
import { align, painter } from "../../../src/core/print/style.js";
import { Screen } from "../../cli/run.js";

test.each<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "" }, true],
])("colours a terminal (%s) with %j: %s", (isTTY, env, painted) => {
  const text = painter(new Screen(isTTY), env)("red", "x");
  expect(text).toBe(painted ? "\x1b[31mx\x1b[39m" : "x");
});

const plain = (_format: unknown, text: string) => text;

test("aligns columns, without spaces at line ends", () => {
  const lines = [
    { verb: "read", value: "1 user", detail: "a" },
    { verb: "warn", value: "something long without detail" },
    { verb: "write", value: "10 pages", detail: "b" },
  ];
  expect(align(lines, plain)).toBe(
    ["read      1 user      a", "warn      something long without detail", "write     10 pages    b"].join("\n"),
  );
});

test("loud lines are bold yellow; others have a dim verb and a bright value", () => {
  const paint = painter(new Screen(true), {});
  expect(align([{ verb: "skip", value: "x", loud: true }], paint)).toBe("\x1b[1m\x1b[33mskip      x\x1b[39m\x1b[22m");
  expect(align([{ verb: "read", value: "x" }], paint)).toBe("\x1b[2mread      \x1b[22m\x1b[1mx\x1b[22m");
});

test("escapes line breaks in paths", () => {
  expect(align([{ verb: "read", value: "x", detail: "a\nb\u202e" }], plain)).toBe("read      x    a\\u000ab\\u202e");
});
