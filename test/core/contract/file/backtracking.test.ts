/** Refuses slow patterns quickly, by counting steps, and accepts common ones. */
import { expect, test } from "vitest";
import { whyNotPattern } from "../../../../src/core/contract/file/patterns.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";

/** All the patterns of a schema, those of lists and of several schemas too. */
function patternsIn(value: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(value, (name, inside) => {
    if (name === "pattern" && typeof inside === "string") found.push(inside);
    return inside;
  });
  return found;
}

test.each([
  ...new Set(patternsIn(USERS_CONTRACT.file)),
  "^[a-z0-9]+(?:[._-][a-z0-9]+)*$",
  "^(0|[1-9]\\d*)(\\.\\d+)?$",
  "^[\\p{L}\\p{M}' -]{1,80}$",
  "^(?!.*--)[a-z-]+$",
  "^.{1,200}$",
  "^https?://[^/?#\\s]+(?:/[^\\s]*)?$",
  "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)$",
  "^\\p{L}+(?: \\p{L}+)*$",
  "^\\p{Lu}[\\p{L}\\p{M}]*(?:[ '-]\\p{Lu}[\\p{L}\\p{M}]*)*$",
  "^(?=.*[0-9])(?!.*  )[a-z0-9 ]+$",
  "^(?:(?!--)[a-z-])+$",
  "^a(?<![)*])b[(?=*]\\(?=*c$",
])("accepts %s", (pattern) => {
  expect(whyNotPattern(pattern)).toBeUndefined();
});

test.each([
  "^(a|a)*$",
  "^(a+)+$",
  "(x+x+)+y",
  "^(?:a?){50}a{50}$",
  "^(\\w+\\s?)*$",
  "^(?:(?:a{0,100}){0,100}){0,100}$",
  "a*a*a*a*a*b",
  "\\s+$",
  "^(.*)\\1$",
  "^(?:\\p{L}+\\p{Lu}*)+$",
  "^\\p{L}*[^x]*\\p{L}*$",
  "^(?:\\[\\p{L}+\\]?)+$",
])("refuses %s, and says what to do", (pattern) => {
  expect(whyNotPattern(pattern)).toMatch(/^may take very long on some texts; begin it with \^/);
});

test.each([
  "(?=a*b)c",
  "(?<=ca*)b",
  "^(?:(?=a*b)a)*$",
  "^(?:(?!.*b)a)+$",
  "^(?=(?:(?=a*b)a)*)a",
  "^x|(?=a*b)c",
  "^(?=a*b)a(?=a*c)",
  "^(?<=ca+)b",
])("refuses %s, whose lookaround scans the text from every position", (pattern) => {
  expect(whyNotPattern(pattern)).toMatch(/^may take very long on some texts; put lookaheads directly/);
});

test("checks the worst patterns by counting steps, not time", () => {
  for (const inside of ["a|a", "a|b|ab", ".*.*", "(?:a{0,99}){0,99}", "(?:\\w|\\d|[a-z])+", "a?b?c?d?e?f?g?h?"]) {
    expect(whyNotPattern(`^(?:${inside}|(?:${inside})*)*${inside}$`)).toBeDefined();
  }
});
