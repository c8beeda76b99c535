import { expect, test } from "vitest";
import { characters, shellWord, shorten, showValue, toJson, visible } from "../../../src/core/print/text.js";

test.each([
  ["plain é 漢字 😀", "plain é 漢字 😀"],
  ["a\nb\tc\r", "a\\u000ab\\u0009c\\u000d"],
  ["\x1b[2J", "\\u001b[2J"],
  ["\x9b1m\x7f", "\\u009b1m\\u007f"],
  ["user\u202etxt.exe", "user\\u202etxt.exe"],
  ["\u2066x\u2069\u200e\ufeff", "\\u2066x\\u2069\\u200e\\ufeff"],
  ["\u2028\u2029", "\\u2028\\u2029"],
  ["\ud800x", "\\ud800x"],
  // Emoji that Unicode recommends, and words of Persian, Hindi and Sinhala.
  ["👩‍💻 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩‍💻 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ["می\u200cخواهم، خانه\u200cها", "می\u200cخواهم، خانه\u200cها"],
  ["क्\u200dष श्\u200cर", "क्\u200dष श्\u200cर"],
  ["ශ්\u200dරී", "ශ්\u200dරී"],
  // At the edge of a word, twice, between others, after a letter that joins nothing, and emoji that are none together.
  ["\u200cنامه\u200c \u200c", "\\u200cنامه\\u200c \\u200c"],
  ["نامه\u200c\u200cای", "نامه\\u200c\\u200cای"],
  ["نامه\u200dای", "نامه\\u200dای"],
  ["An\u200cna An\u200dna", "An\\u200cna An\\u200dna"],
  ["کار\u200cها", "کار\\u200cها"],
  ["क\u200dष क्\u200d", "क\\u200dष क्\\u200d"],
  ["क्\u200dর", "क्\\u200dর"],
  ["😀\u200d😀 👩\u200d", "😀\\u200d😀 👩\\u200d"],
  ["\u{e0041}", "\\udb40\\udc41"],
  ["\uffff\ufffe\ufdd0\u{1fffe}", "\\uffff\\ufffe\\ufdd0\\ud83f\\udffe"],
])("%j is printed as %s", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

test("escaping characters one by one gives the same as together", () => {
  const text = "a\u202e 👩‍💻\u200d می\u200cخواهم \u200cx \ud800 ශ්\u200dරී";
  expect([...characters(text)].map(visible).join("")).toBe(visible(text));
  expect([...characters(text)]).toContain("👩‍💻");
});

test("escaped JSON has the same data", () => {
  const value = { "a\u202eb": ["\u2028", "\x7f", "\u{e0041}", "é😀", "👩‍💻", '"\\', "\n"] };
  const text = toJson(value);
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(text)).toEqual(value);
});

test.each([
  ["x", '"x"'],
  ["", '""'],
  ['say "hi"\n', '"say \\"hi\\"\\n"'],
  ["\u202e", '"\\u202e"'],
  ["x".repeat(60), `"${"x".repeat(60)}"`],
  ["x".repeat(61), `"${"x".repeat(59)}…"`],
  [null, "NULL"],
  [undefined, "nothing"],
  [5, "5"],
  [{ a: [1] }, '{"a":[1]}'],
  [{ blob: "00ff" }, '{"blob":"00ff"}'],
])("shows value %#", (value, expected) => {
  expect(showValue(value)).toBe(expected);
});

test("shortening never splits a character", () => {
  expect(shorten("😀".repeat(5), 4)).toBe("😀😀😀…");
  expect(shorten(`ab${"😀".repeat(5)}`, 4)).toBe("ab😀…");
  expect(shorten("abcd", 4)).toBe("abcd");
});

test.each([
  ["dist", "dist"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://h/?format=api&page=1", "'http://h/?format=api&page=1'"],
  ["it's", "'it'\\''s'"],
  ["", "''"],
])("%j in a shell is %s", (text, expected) => {
  expect(shellWord(text)).toBe(expected);
});
