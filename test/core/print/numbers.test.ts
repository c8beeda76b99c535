import { expect, test } from "vitest";
import { count, duration, number, size, time } from "../../../src/core/print/numbers.js";
import { seeded } from "../../support/random.js";

test.each([
  [0, "0 pages"],
  [1, "1 page"],
  [2, "2 pages"],
  [1204, "1,204 pages"],
])("%i: %s", (value, text) => {
  expect(count(value, "page")).toBe(text);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1_150_000, "1.2 MB"],
  [1_340_000, "1.3 MB"],
  [999_949, "999.9 kB"],
  [999_950, "1 MB"],
  [12_000_000_000, "12 GB"],
  [4e15, "4,000 TB"],
])("%i bytes are %s", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test.each([
  [0, "0.00 s"],
  [412, "0.41 s"],
  [1005, "1.01 s"],
  [9994, "9.99 s"],
  [9996, "10 s"],
  [12_340, "12.3 s"],
  [59_949, "59.9 s"],
  [59_960, "1 min 0 s"],
  [125_400, "2 min 5 s"],
  [3_600_000_000, "60,000 min 0 s"],
])("%i ms are %s", (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

test("numbers and times", () => {
  expect(number(1_000_000)).toBe("1,000,000");
  expect(time(new Date(Date.UTC(2026, 10, 21, 3, 40, 0, 999)))).toBe("2026-11-21 03:40:00");
});

test("numbers, sizes and times are written as Intl writes them in English", () => {
  const { next, below } = seeded();
  const intl = new Intl.NumberFormat("en");
  const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  const fine = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  for (let turn = 0; turn < 2000; turn++) {
    const [whole, other] = [Math.round(next() * 10 ** below(17)), next() * 10 ** below(9)];
    for (const value of [whole, other]) expect(number(value)).toBe(intl.format(value));
    const [bytes, milliseconds] = [1000 + below(998_950), below(9995)];
    expect(size(bytes)).toBe(`${short.format(bytes / 1000)} kB`);
    expect(duration(milliseconds)).toBe(`${fine.format(milliseconds / 1000)} s`);
  }
});
