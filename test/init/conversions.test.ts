/** The SQL of each conversion agrees with its form: it converts the form's texts as it should, and no other text to a valid value. */
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { acceptorOf } from "../../src/core/contract/record/schema.js";
import { type Conversion, FORMS } from "../../src/init/forms.js";

const db = new Database(":memory:").unsafeMode();
db.defaultSafeIntegers();
afterAll(() => db.close());

function converter({ sql }: Conversion): (text: string) => unknown {
  const statement = db
    .prepare<[string], unknown>(`SELECT ${sql('"my column"')} FROM (SELECT ? AS "my column")`)
    .pluck();
  return (text) => statement.get(text);
}

const digits = (least: number, most = least) => fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`));
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(""));
const grouping = (group: string, point: string) =>
  joined(
    fc.constantFrom("", "", "-", "--"),
    fc.array(digits(1, 4), { minLength: 1, maxLength: 5 }).map((groups) => groups.join(group)),
    fc.constantFrom("", "", point),
    digits(0, 3),
  );

const two = fc.constantFrom("00", "01", "09", "10", "12", "13", "23", "28", "29", "30", "31", "59", "60");
const year = fc.constantFrom("0000", "1969", "2024", "2026", "9999");
const date = joined(year, fc.constantFrom("-", "-", "/"), two, fc.constant("-"), two);
const time = joined(
  date,
  fc.constantFrom(" ", "T", "t", "  "),
  two,
  fc.constant(":"),
  two,
  fc.oneof(joined(fc.constant(":"), two), fc.constant("")),
  fc.constantFrom("", "", ".5", ".123456", ".", "..5", " "),
  fc.constantFrom("", "", "Z", "+02:00", "+0200", "-05:30", "+02", "-11", "+24"),
);

/** Texts like those of some form: some have it, some nearly. */
const text = fc.oneof(
  grouping(",", "."),
  grouping(".", ","),
  grouping("", "."),
  ...[" ", "\u00a0", "\u2009", "\u202f", "'", "’"].flatMap((mark) => [grouping(mark, "."), grouping(mark, ",")]),
  fc.double().map(String),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  time,
  ...["/", "."].flatMap((mark) => [
    fc.tuple(two, two, year).map((parts) => parts.join(mark)),
    fc.tuple(year, two, two).map((parts) => parts.join(mark)),
  ]),
  fc.uuid().map((uuid) => uuid.replaceAll("-", "")),
  fc.stringMatching(/^[0-9a-gA-G]{31,33}$/),
  fc.constantFrom("true", "TRUE", "False", "yes", "truе", "-0", "-0.0", "0.00", "007", "+3", ".5", "5.", "1e3", "0x10"),
  fc.constantFrom("", " ", "-", ".", "n/a", "12 ", " 12", "12\n", "1,234\u0000", "１２"),
  fc.string(),
);

const asUuid = (text: string) => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const withT = (text: string) => text.replace(" ", "T");
const decimal = (text: string) => String(Number(text));
const withoutMarks = (text: string) => text.replace(/[\s'’]/g, "");

/** What each form's texts should become. */
const RESULTS: Readonly<Record<string, (text: string) => string>> = {
  "UUIDs without dashes": asUuid,
  "times without an offset": (text) => `${withT(text)}Z`,
  "times with a space, or an offset without a colon": (text) =>
    withT(text)
      .replace(/[+-]\d\d$/, "$&:00")
      .replace(/([+-]\d\d)(\d\d)$/, "$1:$2"),
  "times without seconds": (text) => `${withT(text)}:00Z`,
  "dates as YYYY/MM/DD": (text) => text.replaceAll("/", "-"),
  "dates as DD.MM.YYYY": (text) => text.split(".").reverse().join("-"),
  "dates as DD/MM/YYYY": (text) => text.split("/").reverse().join("-"),
  "dates as MM/DD/YYYY": (text) => text.replace(/(..).(..).(....)/, "$3-$1-$2"),
  "true and false as text": (text) => text.toLowerCase(),
  "integers as text": (text) => text,
  "numbers as text": decimal,
  "integers with commas": (text) => text.replaceAll(",", ""),
  "numbers with commas": (text) => decimal(text.replaceAll(",", "")),
  "integers with points": (text) => text.replaceAll(".", ""),
  "numbers with a decimal comma": (text) => decimal(text.replaceAll(".", "").replace(",", ".")),
  "integers with spaces": withoutMarks,
  "integers with apostrophes": withoutMarks,
  "numbers with spaces": (text) => decimal(withoutMarks(text)),
  "numbers with spaces and a decimal comma": (text) => decimal(withoutMarks(text).replace(",", ".")),
  "numbers with apostrophes": (text) => decimal(withoutMarks(text)),
  "numbers with apostrophes and a decimal comma": (text) => decimal(withoutMarks(text).replace(",", ".")),
};

const conversions = FORMS.flatMap((form) => (form.becomes ? [[form.what, form.accepts, form.becomes] as const] : []));

describe.each(conversions)("%s", (what, accepts, becomes) => {
  const { schema } = becomes;
  const run = converter(becomes);
  const isValid = acceptorOf(schema);

  test("are converted by SQL", () => {
    fc.assert(
      fc.property(text.filter(accepts), (given) => {
        const made = run(given);
        const expected = RESULTS[what]?.(given);
        if (schema.type === "string") expect(made).toBe(expected);
        else if (schema.type === "boolean") expect([made, expected]).toEqual([made ? 1n : 0n, made ? "true" : "false"]);
        else expect([typeof made, String(made)]).toEqual([schema.type === "integer" ? "bigint" : "number", expected]);
        if (schema.type === "string") expect(isValid(made)).toBe(true);
      }),
    );
  });

  test("any other text stays, or becomes one that the contract refuses", () => {
    fc.assert(
      fc.property(
        text.filter((given) => !accepts(given)),
        (given) => {
          const made = run(given);
          if (made === given) return;
          if (schema.type === "string") expect([given, made, isValid(made)]).toEqual([given, made, false]);
          // A whole number with more digits than readers keep.
          else expect([given, typeof made, Number.isSafeInteger(Number(made))]).toEqual([given, "bigint", false]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
