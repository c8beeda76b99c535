/** Reading JSON without a change: the value is JSON.parse's, or the reason names what JSON.parse would change. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExactNumber, readJson, readMembers } from "../../../src/core/source/json-text.js";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}0${"}".repeat(levels)}`;

describe("readJson", () => {
  test("reads any value in any notation as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJson(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  test("reads what is left of a text exactly if JSON.parse does", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.nat(3),
        fc.constantFrom("", '"', ",", "]", "}", "\\", " "),
        (...drawn) => {
          const [value, at, removed, inserted] = drawn;
          const whole = JSON.stringify(value);
          const from = at % (whole.length + 1);
          const text = whole.slice(0, from) + inserted + whole.slice(from + removed);
          const read = readJson(text);
          if ("value" in read) expect(read).toEqual({ value: JSON.parse(text) });
          else if (/^(?:line|expected)/.test(read.why)) expect(() => JSON.parse(text)).toThrow(SyntaxError);
          // What is left of a number may be inexact, and of a name another one's.
          else expect(read.why).toMatch(/^(?:the number|an object has) /);
        },
      ),
    );
  });

  test("finds a name that an object at any depth has twice", () => {
    const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"toString"', '""');
    const { value } = fc.letrec<{ value: { text: string; isRepeated: boolean } }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom('"a:1"', "1", "null", "[]", "{}").map((text) => ({ text, isRepeated: false })),
        fc.array(tie("value"), { maxLength: 3 }).map((items) => ({
          text: `[${items.map(({ text }) => text)}]`,
          isRepeated: items.some(({ isRepeated }) => isRepeated),
        })),
        fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map((members) => ({
          text: `{${members.map(([key, { text }]) => `${key}:${text}`)}}`,
          isRepeated:
            new Set(members.map(([key]) => JSON.parse(key))).size < members.length ||
            members.some(([, { isRepeated }]) => isRepeated),
        })),
      ),
    }));
    fc.assert(
      fc.property(value, ({ text, isRepeated }) => {
        const read = readJson(text);
        if (!isRepeated) expect(read).toEqual({ value: JSON.parse(text) });
        else expect(read).toEqual({ why: expect.stringMatching(/^an object has the name ".*" twice$/) });
        expect(readMembers(`{"x":${text}}`)).toEqual(isRepeated ? read : { members: new Map([["x", text]]) });
      }),
    );
  });

  test.each([
    ["9007199254740993", "9007199254740992"],
    ["1e400", "null"],
    ["-1e400", "null"],
    ["1e-400", "0"],
    ["0.1000000000000000055", "0.1"],
    ["-0", "0"],
    ["-0.0", "0"],
    ["-0e5", "0"],
    ["123456789012345678901234567890123456789012345678", "1.2345678901234568e+47"],
  ])("the number %s would become %s", (digits, becomes) => {
    const shown = digits.length > 40 ? `${digits.slice(0, 39)}…` : digits;
    const why = `the number ${shown} would become ${becomes}`;
    expect(readJson(digits)).toEqual({ why });
    expect(readJson(`{"a": 1, "b": [true, {"c": ${digits} }, 1e401]}`)).toEqual({ why });
    expect(readJson(`["${digits}", 1]`)).toEqual({ value: [digits, 1] });
  });

  test.each(["1.0", "1e5", "1E+5", "12.50", "0.0", "0e7", "-1.50", "9007199254740992", "1e21", "5e-324", "-0.5"])(
    "the number %s is read",
    (digits) => {
      expect(readJson(`[${digits}]`)).toEqual({ value: [Number(digits)] });
    },
  );

  test.each([
    ["", "expected a value, found nothing"],
    [" \n", "expected a value, found nothing"],
    ["[1,\n2 3]", "line 2, column 3: comma expected, found 3"],
    ["{'a': 1}", "line 1, column 2: invalid symbol, found '"],
    ["[-]", "line 1, column 2: invalid symbol, found -"],
    ["01", "line 1, column 1: end of file expected, found 01"],
    [`[1 ${"x".repeat(100)}]`, `line 1, column 4: invalid symbol, found ${"x".repeat(39)}…`],
    [nested(321), "nested deeper than 320 levels"],
    [objects(5000), "nested deeper than 320 levels"],
    ["[".repeat(200_000), "nested deeper than 320 levels"],
  ])("refuses text %#", (text, why) => {
    expect(readJson(text)).toEqual({ why });
  });

  test("reads 320 levels", () => {
    for (const text of [nested(320), objects(320)]) expect(readJson(text)).toEqual({ value: JSON.parse(text) });
  });
});

test("a number is exact if its double is written as the same decimal value", () => {
  const digits = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
    fc
      .tuple(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.stringMatching(/^\d{1,20}$/),
        fc.constantFrom("", "e5", "E-3", "e+0", "e-30"),
      )
      .map(([whole, fraction, exponent]) => `${whole}.${fraction}${exponent}`),
  );
  fc.assert(
    fc.property(digits, (text) => {
      const isSame = !Object.is(Number(text), -0) && areEqual(text, String(Number(text)));
      expect(isExactNumber(text)).toBe(isSame);
    }),
    { numRuns: 2000 },
  );
});

/** Compares decimal numbers as fractions of whole numbers. */
function areEqual(one: string, other: string): boolean {
  const [top, bottom] = fractionOf(one);
  const [otherTop, otherBottom] = fractionOf(other);
  return top * otherBottom === otherTop * bottom;
}

function fractionOf(text: string): [top: bigint, bottom: bigint] {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n];
}

describe("readMembers", () => {
  test("keeps names, their order, and each value's text", () => {
    const space = fc.constantFrom("", " ", "\t", " \r\n");
    const value = fc.oneof(
      fc.tuple(fc.jsonValue(), fc.nat(2)).map(([drawn, indent]) => JSON.stringify(drawn, null, indent)),
      fc.constantFrom("9007199254740993", "-0", "1e400", "12.50", '"\\u0061:,{"', '[1, {"x": 1.0}]'),
    );
    const members = fc.uniqueArray(fc.tuple(fc.oneof(fc.string(), fc.constantFrom("__proto__", "2", "1")), value), {
      selector: ([name]) => name,
      maxLength: 5,
    });
    fc.assert(
      fc.property(members, space, (drawn, gap) => {
        const inside = drawn.map(([name, text]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${text}${gap}`);
        const read = readMembers(`${gap}{${inside}}${gap}`) as { members: ReadonlyMap<string, string> };
        expect([...read.members]).toEqual(drawn);
      }),
    );
  });

  test.each([
    ["[1, 2]", "expected an object, found [1, 2]"],
    [" null ", "expected an object, found null"],
    ['"a:b,c"', 'expected an object, found "a:b,c"'],
    [`[${"1,".repeat(40)}1]`, `expected an object, found [${"1,".repeat(19)}…`],
    ['{"a": 1, "a": 1}', 'an object has the name "a" twice'],
    ['{"a": 1, "\\u0061": 1}', 'an object has the name "\\u0061" twice'],
    ['{"a": [{"b": 1, "b": 1}]}', 'an object has the name "b" twice'],
    ['{"a": 1 "b": 1}', 'line 1, column 9: comma expected, found "'],
    ["", "expected a value, found nothing"],
    [objects(5000), "nested deeper than 320 levels"],
  ])("refuses line %#", (line, why) => {
    expect(readMembers(line)).toEqual({ why });
  });
});
