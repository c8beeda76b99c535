/** Numbers, sizes and times as people read them, the same in every locale. */

import { once } from "./once.js";

const whole = once(() => new Intl.NumberFormat("en"));
const short = once(() => new Intl.NumberFormat("en", { maximumFractionDigits: 1 }));
const fine = once(() => new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
const plurals = once(() => new Intl.PluralRules("en"));

const SIZES = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** `1,204` */
export function number(value: number): string {
  return whole().format(value);
}

/** A noun whose plural adds an s, or what it is for one and for many, as a contract says for its records. */
export type Words = string | readonly [one: string, many: string];

/** `1 page`, `1,204 pages`, `2 people` */
export function count(value: number, words: Words): string {
  return `${number(value)} ${wordFor(value, words)}`;
}

/** The word without its number: `page` for 1, `pages` for any other. */
export function wordFor(value: number, words: Words): string {
  const [one, many] = typeof words === "string" ? [words, `${words}s`] : words;
  return plurals().select(value) === "one" ? one : many;
}

/** `1.3 MB`, in powers of 1000 */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.95 && unit < SIZES.length - 1) [value, unit] = [value / 1000, unit + 1];
  return bytes === 1 ? "1 byte" : `${short().format(value)} ${SIZES[unit]}`;
}

/** `0.41 s`, `12.3 s`, `2 min 5 s` */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.995) return `${fine().format(seconds)} s`;
  if (seconds < 59.95) return `${short().format(seconds)} s`;
  const rounded = Math.round(seconds);
  return `${number(Math.floor(rounded / 60))} min ${rounded % 60} s`;
}

/** `2026-11-21 03:40:00`, in UTC */
export function time(date: Date): string {
  return date.toISOString().slice(0, 19).replace("T", " ");
}
