/** Patterns for other programs, and how the texts that a pattern matches can begin. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canBeginWith, portablePattern } from "../../../../src/core/contract/file/portable-pattern.js";

const MARKS = "-=+@\t\r＝＋－＠";

describe("portablePattern", () => {
  test.each([
    ["^[A-Z]{2}$", "^[A-Z]{2}$"],
    ["^(?:a|bc)+$", "^(a|bc)+$"],
    ["^(?<year>\\d{4})$", "^([0-9]{4})$"],
    ["^\\d+(?:\\.\\d*)?$", "^[0-9]+(\\.[0-9]*)?$"],
    ["^[\\w.-]*$", "^[A-Za-z0-9_.\\-]*$"],
    ["^[^\\d/]$", "^[^0-9/]$"],
    ["^[\\][^-]$", "^[\\]\\[\\^\\-]$"],
    ["^\\$\\^\\/\\{x\\}$", "^[$]\\^/\\{x\\}$"],
    ["^\\x41\\u0042\\t-$", "^AB\\t-$"],
    ["^a$|^b$", "^(a|b)$"],
    ["^.{1,3}$", "^.{1,3}$"],
    ["^é$", "^é$"],
    ["^$", "^$"],
  ])("%s is written as %s", (pattern, portable) => {
    expect(portablePattern(pattern)).toBe(portable);
  });

  test.each([
    ["^a", "that ends anywhere"],
    ["a$", "that begins anywhere"],
    ["^a|b$", "with one anchor an alternative"],
    ["^(?=a)a$", "with a lookahead"],
    ["^(?<!b)a$", "with a lookbehind"],
    ["^(a)\\1$", "with a back-reference"],
    ["^a\\b$", "with a boundary"],
    ["^\\s$", "with white space, which differs"],
    ["^\\p{L}$", "with a category"],
    ["^[\\p{L}]$", "with a category in a class"],
    ["^a+?$", "with a lazy repetition"],
    ["^[]$", "with an empty class"],
    ["^🕊$", "with a character of two units"],
    ["^\\u{0}$", "with a control character"],
    ["^a^b$", "with an anchor inside"],
    ["(", "that is wrong"],
  ])("%s, %s, is not portable", (pattern) => {
    expect(portablePattern(pattern)).toBeUndefined();
  });

  test("matches the same texts", () => {
    const atom = fc.constantFrom("a", "-", "\\.", "\\d", "\\w", "[a-c-]", "[^-\\]]", "\\$", "(?:a|-b)", "(x|)", "\\^");
    const repeated = fc.tuple(atom, fc.constantFrom("", "?", "*", "+", "{2}", "{1,2}")).map((parts) => parts.join(""));
    const pattern = fc.array(repeated, { maxLength: 4 }).map((parts) => `^${parts.join("")}$`);
    const text = fc.string({ unit: fc.constantFrom(..."abcx-.1_$]^Z\n"), maxLength: 5 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (own, texts) => {
        const portable = portablePattern(own) ?? "";
        for (const value of texts)
          expect(new RegExp(portable).test(value), `${own} ${portable}`).toBe(new RegExp(own, "u").test(value));
      }),
    );
  });
});

describe("canBeginWith", () => {
  test.each([
    "^[A-Z]{2}$",
    "^0x[0-9a-f]+$",
    "^(?:a|b)-$",
    "^a?b-$",
    "^(a|b*c)=$",
    "^\\d",
    "^\\p{L}+-$",
    "^(?=.)a$",
    "^a$|^b$",
    "^$",
    "^(x|)$",
    "^[^\\W]$",
  ])("no text that %s matches begins with a mark", (pattern) => {
    expect(canBeginWith(pattern, MARKS)).toBe(false);
  });

  test.each([
    "a",
    "-",
    "^.$",
    "^-?\\d+$",
    "^(?:a|-b)$",
    "^a*-$",
    "^(a|)-$",
    "^\\W$",
    "^[^a]$",
    "^[+]$",
    "^\\s$",
    "^(?!-).+$",
    "^\\bx|^=$",
    "^a*",
    "^",
    "^(?:)@$",
    "^()\\1=$",
    "^＝$",
    "^[\\u0009]$",
    "(",
    "^a{0}-$",
    "^(?:a?b?)+-$",
  ])("a text that %s matches may begin with a mark", (pattern) => {
    expect(canBeginWith(pattern, MARKS)).toBe(true);
  });

  test("is true for each pattern that matches such a text", () => {
    const atom = fc.constantFrom(
      "a",
      "-",
      "=",
      "\\d",
      "[a-c-]",
      "[^a]",
      "(?:a|-b)",
      "(x|)",
      "(?:a*)",
      "@?",
      "(?=a)",
      "\\b",
    );
    const repeated = fc.tuple(atom, fc.constantFrom("", "?", "*", "+", "{0,2}")).map((parts) => parts.join(""));
    const pattern = fc
      .array(repeated, { maxLength: 4 })
      .map((parts) => `^${parts.join("")}$`)
      .filter(isPattern);
    const text = fc.string({ unit: fc.constantFrom(..."-=@abx1"), maxLength: 4 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (own, texts) => {
        const expression = new RegExp(own, "u");
        if (texts.some((value) => MARKS.includes(value[0] ?? "x") && expression.test(value)))
          expect(canBeginWith(own, MARKS), own).toBe(true);
      }),
    );
  });
});

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
