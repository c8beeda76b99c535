/** The words of a text are those of its parts between spaces, which builds cache. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldedWords, termOf } from "../../../src/core/contract/lookup.js";
import { draws } from "../../support/random.js";

/** Terms of the words between spaces, as they are collected. */
function termsOf(text: string): string[] {
  return text.split(" ").flatMap((part) => foldedWords(part).map(termOf));
}

const expected = (text: string) => foldedWords(text).map(termOf);

test.each([
  ["İstanbul ISPARTA ışık", ["istanbul", "isparta", "isik"]],
  ["Straße STRASSE", ["strasse", "strasse"]],
  ["東京タワー", ["東京タ", "京タワ", "タワ", "ワ", "ー"]],
  ["Zoë e\u0301te\u0301 Nguyễn", ["zoe", "ete", "nguyen"]],
  ["ann🕊bob 👩‍👧", ["ann", "🕊", "bob", "👩", "👧"]],
  ["שָׁלוֹם محمد", ["שלום", "محمد"]],
  ["Σίσυφος ΣΊΣΥΦΟΣ", ["σισυφοσ", "σισυφοσ"]],
  ["½ ﬁne Ⅷ ㍿ 東㈱京", ["1", "2", "fine", "viii", "株式会", "式会社", "会社", "社", "東", "株", "京"]],
  ["กิตติ a字b", ["กตต", "ตต", "ต", "a", "字", "b"]],
  ["O'Neil-Smith_2", ["o", "neil", "smith", "2"]],
])("%s", (text, words) => {
  expect(foldedWords(text)).toEqual(words);
  expect(termsOf(text)).toEqual(words);
});

test("folds every character of the first planes, alone and between letters", () => {
  const different: string[] = [];
  for (let block = 0; block < 0x20000; block += 0x100) {
    if (block >= 0xd800 && block < 0xe000) continue;
    const characters = Array.from({ length: 0x100 }, (_, at) => String.fromCodePoint(block + at));
    const text = characters.map((character) => `x${character}y ${character}`).join(" ");
    if (termsOf(text).join("\n") !== expected(text).join("\n")) different.push(`${block.toString(16)}: ${text}`);
  }
  expect(different).toEqual([]);
});

test("folds any text, and words longer than a term", () => {
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 1 }) },
    fc.constantFrom("a", "B", " ", "ß", "İ", "ı", "ς", "\u0301", "\u0345", "字", "🕊", "ŉ", "ǰ", "\u{1d400}", "각", "ﷺ"),
  );
  const text = fc
    .array(fc.oneof(unit, fc.constantFrom("a".repeat(47), "é".repeat(48), "\u{1d400}".repeat(49), "ß".repeat(24))), {
      maxLength: 12,
    })
    .map((parts) => Buffer.from(parts.join("")).toString());
  fc.assert(
    fc.property(text, (all) => {
      expect(termsOf(all)).toEqual(expected(all));
    }),
    { numRuns: draws(2000) },
  );
});
