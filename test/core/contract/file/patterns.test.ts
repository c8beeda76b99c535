/** A translated pattern of bytes matches the same texts, or fewer. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inBytes, whyNotPattern } from "../../../../src/core/contract/file/patterns.js";
import { draws } from "../../../support/random.js";

describe("translates patterns to bytes", () => {
  test.each([
    ["^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$", "[A-Z]{2,8}(?:\\-[A-Z0-9]{1,8})*"],
    ["^(?:a|b\\.c|)+$", "(?:a|b\\.c|)+"],
    ["^[!#-[]$", "[!#-\\[]"],
    ["^$", ""],
  ])("%s", (pattern, source) => {
    expect(inBytes(pattern)).toBe(source);
  });
});

const CHARACTERS = [...'aZ09 _-.,:/~!#[]()|^$*+?{}"\\', "\t", "\u007f", "é", "ÿ", "🌦", "\ud83c", "\ufeff", "\u2028"];
const texts = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 8 });

/** Patterns of every part that there is, those that are refused among them. */
const atoms = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "Z", "0", " ", "_", "-", ",", ":", "/", "~", "!", "#") },
  { weight: 3, arbitrary: fc.constantFrom("\\d", "\\w", "\\.", "\\/", "\\$", "\\[", "\\-", "\\|", "\\\\", "\\s") },
  {
    weight: 4,
    arbitrary: fc.constantFrom("[a-z]", "[A-Z0-9]", "[\\w.-]", "[-a]", "[!#-[]", "[a^]", "[^a]", "[ -~]", "[é]"),
  },
  { weight: 1, arbitrary: fc.constantFrom(".", ".", "[^\\w-]", "^", "$", "é", '"', "\\b", "(?=a)", "]", "{") },
);
const { pattern: patterns } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  term: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        atoms,
        fc
          .tuple(fc.constantFrom("(", "(?:"), tie("pattern"), tie("pattern"))
          .map(([open, one, other]) => `${open}${one}|${other})`),
      ),
      fc.constantFrom("", "", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "{0}", "+?"),
    )
    .map((parts) => parts.join("")),
  pattern: fc.array(tie("term"), { maxLength: 4 }).map((terms) => terms.join("")),
}));

/** What JSON writes as it is. Of other texts nothing is taken in bytes: the schema itself is asked. */
const isPlain = (text: string) => JSON.stringify(text) === `"${text}"`;

const isShort = (text: string) => text.length <= 8;

test("both match the same texts, except that bytes match none with escapes", { timeout: 120_000 }, () => {
  let proved = 0;
  fc.assert(
    fc.property(patterns, fc.array(texts, { minLength: 20, maxLength: 20 }), (body, tried) => {
      const pattern = `^${body}$`;
      const source = inBytes(pattern);
      // Some of these patterns take very long on some texts: no contract may have them.
      if (source === undefined || whyNotPattern(pattern) !== undefined) return;
      proved++;
      const [one, other] = [new RegExp(pattern, "u"), new RegExp(`^\\{"a":"${source}","b":"${source}"\\}$`)];
      const taken = fc.sample(fc.stringMatching(one, { size: "xsmall" }), { numRuns: 5 }).filter(isShort);
      for (const text of [...tried.filter(isShort), ...taken]) {
        const bytes = Buffer.from(`{"a":${JSON.stringify(text)},"b":${JSON.stringify(text)}}`).toString("latin1");
        expect(other.test(bytes), `${pattern} ${JSON.stringify(text)}`).toBe(isPlain(text) && one.test(text));
      }
    }),
    { numRuns: draws(1000) },
  );
  expect(proved).toBeGreaterThan(0);
});

test("a pattern of bytes never matches beyond the end of a text", () => {
  const source = inBytes("^[!#-[]*$");
  expect(new RegExp(`^"${source}"$`).test('"a","b"')).toBe(false);
});
