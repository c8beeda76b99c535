/** Counts numbers with decimals in bounded memory: by value if they are few, otherwise in bins with round bounds. */
import type { Distribution } from "../../explorer/summary.js";
import { addTo, type Bin, isSpread, MOST_BINS, MOST_CELLS, STEPS } from "./bins.js";

type Cell = readonly [from: number, count: number];

/** Powers of ten from zero to the largest value that have growing bins of their own. */
const MOST_POWERS = 7;
/** Decimal digits that every double keeps. Values are rounded to them, so that 0.1 + 0.2 is counted as 0.3. */
const DIGITS = 15;
/** Without more places than this, no digit is left; 10 to a higher power could be infinite. */
const MOST_PLACES = 300;

/** Counts numbers. The result does not depend on the order of `add`. */
export class NumberCounter {
  /** Counts by value, or by the index of a cell of width 10^power. */
  #cells = new Map<number, number>();
  #power: number | undefined;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number, count = 1): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (this.#power !== undefined) this.#widen(lastPower(value));
    addTo(this.#cells, this.#power === undefined ? rounded(value) : indexOf(value, this.#power), count);
    while (this.#cells.size > MOST_CELLS) this.#widen((this.#power ?? lastPower(this.#largest())) + 1);
  }

  /** The distribution; undefined with fewer than two different values. */
  distribution(): Omit<Distribution, "path"> | undefined {
    if (this.#min >= this.#max) return undefined;
    return { min: this.#min, max: this.#max, bins: this.#bins() };
  }

  #bins(): Bin[] {
    const power = this.#power;
    const cells = [...this.#cells]
      .map(([key, count]): Cell => [power === undefined ? key : decimal(key, power), count])
      .sort(([one], [other]) => one - other);
    if (power === undefined && cells.length <= MOST_BINS)
      return cells.map(([value, count]) => ({ from: value, to: value, count }));
    const least = power ?? lastPower(this.#largest());
    const equal = inBins(equalBounds(this.#min, this.#max, least), cells);
    if (isSpread(equal)) return equal;
    return inBins(growingBounds(this.#min, this.#max, least), cells);
  }

  #largest(): number {
    return Math.max(Math.abs(this.#min), Math.abs(this.#max));
  }

  /** Makes cells of width 10^power, unless they are as wide already. */
  #widen(power: number): void {
    const before = this.#power;
    if (before !== undefined && before >= power) return;
    const finer = this.#cells;
    this.#cells = new Map();
    this.#power = power;
    for (const [key, count] of finer) {
      const index = before === undefined ? indexOf(key, power) : shortened(key, power - before);
      addTo(this.#cells, index, count);
    }
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** The first digits of a value as an integer, and the power of ten of the last one: 0.3 is 300000000000000 and -15. */
function digitsOf(value: number): { digits: number; power: number } {
  const [mantissa = "", exponent = ""] = value.toExponential(DIGITS - 1).split("e");
  return { digits: Number(mantissa.replace(".", "")), power: Number(exponent) - DIGITS + 1 };
}

/** The power of ten of a value's last digit. */
function lastPower(value: number): number {
  return value === 0 ? Number.NEGATIVE_INFINITY : digitsOf(value).power;
}

/**
 * The number of times that 10^power goes into a value, rounded down. It is exact, unlike a division by a fraction.
 * @param power at least that of the value's last digit
 */
function indexOf(value: number, power: number): number {
  const { digits, power: own } = digitsOf(value);
  return digits === 0 ? 0 : shortened(digits, power - own);
}

/** An integer without its last digits, rounded down. */
function shortened(digits: number, places: number): number {
  return Math.floor(digits / 10 ** Math.min(MOST_PLACES, places));
}

function decimal(digits: number, power: number): number {
  return Number(`${digits}e${power}`);
}

/** Bounds of bins of one width, which is the least of 1, 2, 5, 10, 20, ... times 10^least that needs few enough bins. */
function equalBounds(min: number, max: number, least: number): number[] {
  for (let power = least; ; power++) {
    const [first, last] = [indexOf(min, power), indexOf(max, power)];
    const step = STEPS.find((each) => Math.floor(last / each) - Math.floor(first / each) < MOST_BINS);
    if (step === undefined) continue;
    const begin = Math.floor(first / step);
    const bins = Math.floor(last / step) - begin + 1;
    return Array.from({ length: bins + 1 }, (_, at) => decimal((begin + at) * step, power));
  }
}

/** Bounds at 0, 1, 2, 5, 10, 20, ... times a power of ten, and mirrored below zero. */
function growingBounds(min: number, max: number, least: number): number[] {
  const highest = lastPower(Math.max(Math.abs(min), Math.abs(max))) + DIGITS;
  const bounds: number[] = [];
  for (let power = Math.max(least, highest - MOST_POWERS); power <= highest; power++)
    for (const step of STEPS) bounds.push(decimal(step, power));
  const all = [...bounds.toReversed().map((bound) => -bound), 0, ...bounds];
  const begin = all.findLastIndex((bound) => bound <= min);
  return all.slice(Math.max(0, begin), all.findIndex((bound) => bound > max) + 1);
}

/** Counts cells in the bins between bounds. Each cell lies within one bin. */
function inBins(bounds: readonly number[], cells: readonly Cell[]): Bin[] {
  const bins = bounds.slice(1).map((to, at) => ({ from: bounds[at] ?? to, to, count: 0 }));
  let at = 0;
  for (const [value, count] of cells) {
    // A cell may begin below the minimum.
    while (at < bins.length - 1 && value >= (bins[at]?.to ?? 0)) at++;
    const bin = bins[at];
    if (bin) bin.count += count;
  }
  return bins;
}
