import fc from "fast-check";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { excerpts, joined } from "../../../src/diff/report/excerpt.js";
import { wordingOf } from "../../../src/diff/report/model.js";
import { DECEIVING } from "../../support/deceiving.js";
import { draws } from "../../support/random.js";

const LONG = "The quick brown fox jumps over the lazy dog, and then it rests. ".repeat(4);

const USERS = wordingOf(USERS_CONTRACT);

function sidesOf(path: string, old: unknown, now: unknown) {
  return excerpts({ path, old, new: now }, USERS);
}

function shown(path: string, old: unknown, now: unknown): string[] {
  return sidesOf(path, old, now).map(joined);
}

test.each([
  ["kyc_status", "PENDING", "VERIFIED", "PENDING", "VERIFIED"],
  ["referrals_count", 3, 12, "3", "12"],
  ["off_chain.last_withdrawn_at", null, "2026-01-01T00:00:00.000000Z", "null", "2026-01-01T00:00:00.000000Z"],
  ["off_chain.liveness_config.require_head_movement", false, true, "false", "true"],
  ["languages", [], ["EN"], "[]", '["EN"]'],
  ["first_name", "", "null", '""', '"null"'],
  ["image_url", "https://a.example/|", "https://a.example/b", '"https://a.example/|"', "https://a.example/b"],
  ["bio", 'a\nb "c"', "a\u202eb\\", '"a\\nb \\"c\\""', '"a\\u202eb\\\\"'],
])("%s: %j to %j", (path, old, now, before, after) => {
  expect(shown(path, old, now)).toEqual([before, after]);
});

test("shows long texts around the difference", () => {
  const [old, now] = shown("bio", `${LONG}Likes tea.${LONG}`, `${LONG}Likes rum.${LONG}`);
  expect(old).toMatch(/^"….{20,}Likes tea\..{20,}…"$/);
  expect(now).toBe(old?.replace("tea", "rum"));
});

test("shows both ends of a long difference", () => {
  expect(shown("bio", "", `A${LONG}Z`)).toEqual(['""', expect.stringMatching(/^"AThe quick .*….* rests\. Z"$/)]);
});

test.each([
  ["é", "e\u0301", "\\u00e9", "e\\u0301"],
  ["a b", "a\u00a0b", "a b", "a\\u00a0b"],
  ["x", "x\ufe0f", "x", "x\\ufe0f"],
  ["Ａ", "A", "\\uff21", "A"],
])("distinguishes texts that look alike: %s", (old, now, before, after) => {
  expect(shown("bio", old, now)).toEqual([`"${before}"`, `"${after}"`]);
});

test("distinguishes short ones without quotes", () => {
  const url = "https://img.example.com/";
  expect(shown("image_url", `${url}é`, `${url}e\u0301`)).toEqual([`${url}\\u00e9`, `${url}e\\u0301`]);
});

test.each([
  ["I like tea best", "I like team best", "tea", "team"],
  ["caf\u0065\u0301 Nord", "cafe Nord", "caf\u0065\u0301", "cafe"],
  ["from 12.5 to 20", "from 13.5 to 20", "12.5", "13.5"],
  ["می‌خواهم", "می‌خواهد", "می‌خواهم", "می‌خواهد"],
  ["a 👩‍💻 here", "a 👩‍🔧 here", "👩‍💻", "👩‍🔧"],
  ["see green tea", "see tea", "green ", ""],
])("marks whole changed words: %s to %s", (old, now, before, after) => {
  expect(sidesOf("bio", old, now).map(({ middle }) => middle)).toEqual([before, after]);
});

test("does not cut a letter from its accent in a long word", () => {
  const word = "x".repeat(100);
  const [old] = sidesOf("bio", `${word}e\u0301`, `${word}e`);
  expect(old.middle).toBe("e\u0301");
});

test.each([
  ["نامه‌ای", "نامهای", "", "\\u200c"],
  ["👩‍💻", "👩💻", "", "\\u200d"],
  ["Anna", "An\u200dna", "\\u200d", ""],
])("escapes a joiner that is the only difference: %s and %s", (one, other, ...joiners) => {
  const [old, now] = sidesOf("display_name", one, other);
  expect([old.middle, now.middle]).toEqual(joiners.reverse());
});

test("omits the letter before a joiner if it is far", () => {
  const accents = "\u0301".repeat(100);
  const [old, now] = shown("bio", `e${accents}\u0302${accents}`, `e${accents}\u0303${accents}`);
  expect(old).toContain("\u0302");
  expect(now).toContain("\u0303");
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .array(fc.constantFrom("a", "b", "e\u0301", "\u0301", "\u202e", "😀", "\udb40\udc41", '"', "\\", "\u00a0"), {
      maxLength: 300,
    })
    .map((parts) => parts.join("")),
);
/** Two texts that differ little. */
const pair = fc
  .tuple(text, text, text, text)
  .map(([before, old, now, after]) => [before + old + after, before + now + after] as const);

test("distinguishes any two texts, safely and briefly", () => {
  fc.assert(
    fc.property(pair, ([old, now]) => {
      fc.pre(old !== now && !`${old}${now}`.includes("…"));
      const [before, after] = shown("bio", old, now);
      expect(before).not.toBe(after);
      for (const side of [before, after]) {
        expect(side).not.toMatch(DECEIVING);
        expect(side?.length).toBeLessThan(100);
      }
    }),
    { numRuns: draws(1000) },
  );
});

test("shows short values completely, with the same surrounding text", () => {
  fc.assert(
    fc.property(pair, ([old, now]) => {
      const sides = sidesOf("bio", old, now);
      for (const [text, side] of [
        [old, sides[0]],
        [now, sides[1]],
      ] as const) {
        if (JSON.stringify(text).length > 60 || /[^\x20-\x7e]/.test(text)) continue;
        expect(JSON.parse(joined(side))).toBe(text);
        expect(old + now).toContain(JSON.parse(`"${side.middle}"`));
      }
    }),
  );
});

test("a million characters take no time", () => {
  const old = "e\u0301".repeat(500_000);
  expect(joined(sidesOf("bio", old, `${old}x`)[1])).toMatch(/x"$/);
  expect(joined(sidesOf("bio", `x${old}`, old)[0])).toMatch(/^"x/);
  expect(joined(sidesOf("bio", "\u0301".repeat(500_000), "\u0301".repeat(500_001))[1]).length).toBeLessThan(100);
});
