/** Files in the habits of eight countries: each value is published as it was given, or by a rule that init announced. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { init } from "./found.js";

interface Country {
  name: string;
  separator: "," | ";" | "\t";
  /** Writes whole numbers in groups. */
  group(digits: string): string;
  point: "." | ",";
  /** Writes a day of an ISO date. */
  day(year: string, month: string, day: string): string;
  encoding: "utf-8" | "windows-1252" | "shift_jis" | "utf-16le";
  city: string;
}

const thousands = (mark: string) => (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, mark);
/** Groups of two digits above the thousands: `12,34,567`. */
const lakhs = (digits: string) => digits.replace(/\B(?=(?:\d{2})*\d{3}$)/g, ",");

const COUNTRIES: readonly Country[] = [
  {
    name: "US",
    separator: ",",
    group: thousands(","),
    point: ".",
    day: (year, month, day) => `${month}/${day}/${year}`,
    encoding: "utf-8",
    city: "O'Fallon",
  },
  {
    name: "DE",
    separator: ";",
    group: thousands("."),
    point: ",",
    day: (year, month, day) => `${day}.${month}.${year}`,
    encoding: "windows-1252",
    city: "Köln",
  },
  {
    name: "FR",
    separator: ";",
    group: thousands("\u202f"),
    point: ",",
    day: (year, month, day) => `${day}/${month}/${year}`,
    encoding: "utf-8",
    city: "Nîmes",
  },
  {
    name: "CH",
    separator: ";",
    group: thousands("’"),
    point: ".",
    day: (year, month, day) => `${day}.${month}.${year}`,
    encoding: "utf-16le",
    city: "Zürich",
  },
  {
    name: "IN",
    separator: ",",
    group: lakhs,
    point: ".",
    day: (year, month, day) => `${day}-${month}-${year}`,
    encoding: "utf-8",
    city: "दिल्ली",
  },
  {
    name: "SE",
    separator: "\t",
    group: thousands("\u00a0"),
    point: ",",
    day: (year, month, day) => `${year}-${month}-${day}`,
    encoding: "windows-1252",
    city: "Malmö",
  },
  {
    name: "BR",
    separator: ";",
    group: thousands("."),
    point: ",",
    day: (year, month, day) => `${day}/${month}/${year}`,
    encoding: "windows-1252",
    city: "São Paulo",
  },
  {
    name: "JP",
    separator: ",",
    group: thousands(","),
    point: ".",
    day: (year, month, day) => `${year}/${month}/${day}`,
    encoding: "shift_jis",
    city: "東京",
  },
];

/** The bytes of a text in one of the encodings. */
function encoded(text: string, encoding: Country["encoding"]): Buffer {
  if (encoding === "utf-8") return Buffer.from(text);
  if (encoding === "utf-16le") return Buffer.from(`\uFEFF${text}`, "utf16le");
  if (encoding === "windows-1252") return Buffer.from(text, "latin1");
  return Buffer.from(text.replaceAll("東京", "\x93\x8c\x8b\x9e"), "latin1");
}

/** A row: two numbers, the second with decimals, and a day. */
interface Row {
  people: number;
  /** Thousandths. */
  area: number;
  date: string;
}

const rows = fc.constantFrom(1, 10, 1000).chain((unit) =>
  fc.array(
    fc.record({
      people: fc.oneof(fc.nat(999), fc.integer({ min: 1000, max: 999_999 }), fc.nat(2 ** 31)),
      area: fc.nat(3_000_000).map((number) => number * (1000 / unit)),
      date: fc
        .date({ min: new Date("1980-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
    }),
    { minLength: 1, maxLength: 8 },
  ),
);

const files = fc.record({
  country: fc.constantFrom(...COUNTRIES),
  rows,
  /** Decimal places of the areas. */
  places: fc.integer({ min: 1, max: 3 }),
  isGrouped: fc.boolean(),
  hasArea: fc.boolean(),
  way: fc.constantFrom("as it is", "convert", "decimal"),
});

type Given = typeof files extends fc.Arbitrary<infer File> ? File : never;

/** The cells of a file, and the numbers that they say in their country. */
function written({ country, rows: all, places, isGrouped, hasArea }: Given) {
  const { group, point, day, city } = country;
  const whole = (digits: string) => (isGrouped ? group(digits) : digits);
  return all.map(({ people, area, date }: Row, at: number) => {
    const value = (area / 1000).toFixed(places);
    const [before = "", after = ""] = value.split(".");
    const [year = "", month = "", dayOfMonth = ""] = date.split("-");
    const cells: Record<string, string> = { code: `K${at}`, city, people: whole(String(people)) };
    if (hasArea) cells["area"] = `${whole(before)}${point}${after}`;
    cells["opened"] = day(year, month, dayOfMonth);
    const numbers: Record<string, number> = { people, area: Number(value) };
    return { cells, numbers };
  });
}

test("each value is published as given, or by a rule that was announced", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (given) => {
      const { country, way } = given;
      const { separator, encoding, point } = country;
      const all = written(given);
      const quoted = (cell: string) => (cell.includes(separator) ? `"${cell}"` : cell);
      const names = Object.keys(all[0]?.cells ?? {});
      const table = [names, ...all.map(({ cells }) => names.map((name) => cells[name] ?? ""))];
      const from = join(scratch(), separator === "\t" ? "towns.tsv" : "towns.csv");
      writeFileSync(from, encoded(table.map((row) => row.map(quoted).join(separator)).join("\r\n"), encoding));
      const options = encoding === "utf-8" || encoding === "utf-16le" ? {} : { encoding };
      const found = await init(from, {
        ...options,
        ...(way === "convert" && { convert: true }),
        ...(way === "decimal" && { decimal: [point] }),
      });
      const contract = join(found.folder, "rollcall.contract.json");
      const query = found.sql === undefined ? undefined : join(found.folder, "rollcall.query.sql");
      const dist = join(found.folder, "dist");
      const baseUrl = "https://example.com";
      const made = await build({ ...options, db: from, contract, query, dist, baseUrl, workers: 0 });
      const { results } = JSON.parse(readFileSync(join(made.folder, "towns/pages/1.json"), "utf8"));
      expect(results).toHaveLength(all.length);
      for (const [at, { cells, numbers }] of all.entries()) {
        const record = results.find(
          (one: { code?: string; id?: number }) => one.code === `K${at}` || one.id === at + 1,
        );
        for (const name of names) {
          const { schema, sql, doubt } = found.of(name);
          if (!schema) continue;
          const value: unknown = record[name];
          const cell = cells[name] ?? "";
          const what = `${country.name} ${way} ${name}: ${cell} became ${value}`;
          if (typeof value === "number") {
            // A column that may be read in two ways is announced, and no query was written for it.
            const isAsWritten = doubt !== undefined && sql === undefined && value === Number(cell);
            expect(isAsWritten || value === numbers[name], what).toBe(true);
          } else if (sql !== undefined) expect(value, what).toMatch(/^\d{4}-\d\d-\d\d$/);
          else expect(value, what).toBe(cell);
          const isNumber = way === "decimal" && name in numbers && country.name !== "IN";
          if (isNumber) expect(typeof value, what).toBe("number");
        }
      }
    }),
  );
});
