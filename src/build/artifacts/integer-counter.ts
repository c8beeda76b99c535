/** Counts integers in bounded memory: by value if they are few, otherwise in bins with round bounds. */
import type { Distribution } from "../../explorer/summary.js";
import { addTo, type Bin, isSpread, MOST_BINS, MOST_CELLS, STEPS } from "./bins.js";

/** Size of the sample that tells whether values repeat, if there are more values than cells. */
const MOST_SAMPLED = 1000;
const SAFE = Number.MAX_SAFE_INTEGER;

/** Counts integers. The result does not depend on the order of `add`. */
export class IntegerCounter {
  #width = 1;
  #cells = new Map<number, number>();
  #growing: Map<number, number> | undefined;
  /** Counts of the values whose hash is below the limit, which does not depend on their order. */
  readonly #sample = new Map<number, number>();
  #limit = 2 ** 32;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number, count = 1): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    addTo(this.#cells, this.#width === 1 ? value : this.#cellOf(value), count);
    if (this.#growing) addTo(this.#growing, growingBinOf(value), count);
    while (this.#cells.size > MOST_CELLS) this.#widen();
    if (hashOf(value) < this.#limit) addTo(this.#sample, value, count);
    while (this.#sample.size > MOST_SAMPLED) this.#lowerLimit();
  }

  /** Whether no value repeats, as with ids. */
  get isUnique(): boolean {
    const counts = this.#width === 1 ? this.#cells : this.#sample;
    return [...counts.values()].every((count) => count === 1);
  }

  /** The distribution; undefined with fewer than two different values. */
  distribution(): Omit<Distribution, "path"> | undefined {
    if (this.#min >= this.#max) return undefined;
    return { min: this.#min, max: this.#max, bins: this.#bins() };
  }

  #bins(): Bin[] {
    const cells = [...this.#cells].sort(([one], [other]) => one - other);
    if (this.#width === 1 && cells.length <= MOST_BINS)
      return cells.map(([value, count]) => ({ from: value, to: value, count }));
    const equal = equalBins(cells, this.#min, this.#max);
    if (isSpread(equal)) return equal;
    return growingBins(this.#growing ?? this.#grow(), this.#min, this.#max);
  }

  #cellOf(value: number): number {
    return Math.floor(value / this.#width) * this.#width;
  }

  #widen(): void {
    this.#growing ??= this.#grow();
    this.#width *= 10;
    const finer = this.#cells;
    this.#cells = new Map();
    for (const [cell, count] of finer) addTo(this.#cells, this.#cellOf(cell), count);
  }

  #lowerLimit(): void {
    this.#limit /= 2;
    for (const value of this.#sample.keys()) if (hashOf(value) >= this.#limit) this.#sample.delete(value);
  }

  /** Makes growing bins from cells. Call it only while each cell is one value. */
  #grow(): Map<number, number> {
    const bins = new Map<number, number>();
    for (const [value, count] of this.#cells) addTo(bins, growingBinOf(value), count);
    return bins;
  }
}

/** A hash from 0 to 2^32 - 1. */
function hashOf(value: number): number {
  return Math.imul(value ^ Math.floor(value / 2 ** 32), 0x9e3779b1) >>> 0;
}

/** Makes bins of one round width. Each cell lies within one bin. */
function equalBins(cells: readonly (readonly [number, number])[], min: number, max: number): Bin[] {
  const width = roundWidth(min, max);
  const first = Math.floor(min / width);
  const bins = Array.from({ length: Math.floor(max / width) - first + 1 }, (_, at) => {
    const from = (first + at) * width;
    return { from: Math.max(-SAFE, from), to: Math.min(SAFE, from + width - 1), count: 0 };
  });
  for (const [cell, count] of cells) {
    // A cell may begin below the minimum.
    const bin = bins[Math.max(0, Math.floor(cell / width) - first)];
    if (bin) bin.count += count;
  }
  return bins;
}

/** The smallest of 1, 2, 5, 10, 20, ... that needs few enough bins. */
function roundWidth(min: number, max: number): number {
  for (let power = 1; ; power *= 10) {
    const step = STEPS.find((each) => Math.floor(max / (each * power)) - Math.floor(min / (each * power)) < MOST_BINS);
    if (step !== undefined) return step * power;
  }
}

/** Makes bins that begin at 0, 1, 2, 5, 10, 20, ..., and mirrored below zero. */
function growingBins(counts: ReadonlyMap<number, number>, min: number, max: number): Bin[] {
  const bins: Bin[] = [];
  for (let near = growingBinOf(min); near <= growingBinOf(max); near = nextGrowing(near)) {
    const far = endOf(near);
    bins.push({ from: Math.min(near, far), to: Math.max(near, far), count: counts.get(near) ?? 0 });
  }
  return bins;
}

/** The end of a value's growing bin that is nearer to zero. */
function growingBinOf(value: number): number {
  if (value === 0) return 0;
  const size = Math.abs(value);
  const power = powerOf(size);
  const step = size < 2 * power ? 1 : size < 5 * power ? 2 : 5;
  return Math.sign(value) * step * power;
}

/** The end of a growing bin that is farther from zero. */
function endOf(near: number): number {
  return near === 0 ? 0 : Math.sign(near) * Math.min(SAFE, outward(Math.abs(near)) - 1);
}

/** The next growing bin towards greater values. */
function nextGrowing(near: number): number {
  if (near >= 0) return near === 0 ? 1 : outward(near);
  return near === -1 ? 0 : growingBinOf(near + 1);
}

/** The next of 1, 2, 5, 10, ... */
function outward(near: number): number {
  const power = powerOf(near);
  return near === power ? 2 * power : near === 2 * power ? 5 * power : 10 * power;
}

/** The power of ten with the same number of digits. */
function powerOf(size: number): number {
  return 10 ** (String(size).length - 1);
}
