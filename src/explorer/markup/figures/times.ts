/** Counts timestamps in bounded memory, in bins of natural lengths. */
import { type TimeInterval, utcDay, utcHour, utcMonday, utcMonth, utcYear } from "d3-time";

/** A bin from `start` (inclusive) to `end` (exclusive), with a count for each kind. */
export interface TimeBin {
  start: Date;
  end: Date;
  counts: readonly number[];
}

export interface Times {
  /** Oldest first, without gaps; empty if nothing was counted. */
  bins: readonly TimeBin[];
  /** The length of a bin in words: `week`, `3 months`. */
  unit: string;
  /** Numbers of outliers before the first and after the last bin. */
  before: number;
  after: number;
}

/** Lengths to which timestamps are cut, from fine to coarse: `2026-11-21T03`, `2026-11-21`, `2026-11`, `2026`. */
const LENGTHS = [13, 10, 7, 4];
const EPOCH = "0001-01-01T00:00:00Z";
const MOST_MOMENTS = 5000;
const LONGEST_END = "2026-11-21T03:40:00".length;

const DAY = 86_400_000;
/** Possible lengths of a bin: in words, as an interval, in approximate milliseconds, and the LENGTHS that its edges need. */
const UNITS: readonly (readonly [unit: string, every: TimeInterval | null, length: number, needs: number])[] = [
  ["hour", utcHour, DAY / 24, 13],
  ["6 hours", utcHour.every(6), DAY / 4, 13],
  ["day", utcDay, DAY, 10],
  ["week", utcMonday, 7 * DAY, 10],
  ["month", utcMonth, 30.4 * DAY, 7],
  ["3 months", utcMonth.every(3), 91.3 * DAY, 7],
  ["year", utcYear, 365 * DAY, 4],
  ["10 years", utcYear.every(10), 3652 * DAY, 4],
  ["100 years", utcYear.every(100), 36_524 * DAY, 4],
  ["1000 years", utcYear.every(1000), 365_243 * DAY, 4],
];
/** With few records there are fewer bins, so that bins have several records. */
const MOST_BINS = { few: 24, many: 60, perRoot: 4 };

/** Outliers: maximum share of records at each end, and the factor by which they must lengthen the chart. */
const TAIL = 0.005;
const SQUEEZE = 4;

/** The state of a counter: the length of timestamps, and the count of each. It can be sent to another thread. */
export interface CountedTimes {
  length: number;
  moments: ReadonlyMap<string, readonly number[]>;
  /** The earliest and latest timestamp, in seconds or days: `2026-11-21T03:40:00`, `2026-11-21`. Undefined if none was counted. */
  ends: readonly [first: string, last: string] | undefined;
}

/** Counts timestamps. Counters can be joined in any order, with the same result. */
export class TimeCounter {
  #moments = new Map<string, number[]>();
  #length = LENGTHS[0] ?? 0;
  #ends: readonly [first: string, last: string] | undefined;

  /** @param kinds number of counts for each timestamp. */
  constructor(private readonly kinds = 1) {}

  /** Counts a timestamp. @param text a date or a date-time; any other text is ignored. */
  add(text: string, kind = 0): void {
    const moment = momentOf(text);
    if (moment === undefined) return;
    // A day has no hours.
    this.#coarsen(moment.length);
    const counts = this.#countsOf(moment);
    counts[kind] = (counts[kind] ?? 0) + 1;
    this.#bound();
    const cut = moment.slice(0, LONGEST_END);
    this.#stretch(cut, cut);
  }

  counted(): CountedTimes {
    return { length: this.#length, moments: this.#moments, ends: this.#ends };
  }

  /** Adds the counts of another counter. */
  join({ length, moments, ends }: CountedTimes): void {
    if (ends) this.#stretch(...ends);
    this.#coarsen(length);
    for (const [moment, counts] of moments) this.#addAll(moment, counts);
    this.#bound();
  }

  /** The counts in at most sixty bins. */
  bins(): Times {
    const times = [...this.#moments].map(([key, counts]) => ({
      time: Date.parse(key + EPOCH.slice(key.length)),
      counts,
    }));
    times.sort((a, b) => a.time - b.time);
    return inBins(times, this.#length, this.kinds);
  }

  #stretch(first: string, last: string): void {
    const [least = first, most = last] = this.#ends ?? [];
    if (this.#ends && least <= first && most >= last) return;
    this.#ends = [first < least ? first : least, last > most ? last : most];
  }

  #countsOf(moment: string): number[] {
    const key = moment.slice(0, this.#length);
    let counts = this.#moments.get(key);
    if (!counts) {
      counts = zeros(this.kinds);
      this.#moments.set(key, counts);
    }
    return counts;
  }

  #addAll(moment: string, more: readonly number[]): void {
    const counts = this.#countsOf(moment);
    for (const [kind, count] of more.entries()) counts[kind] = (counts[kind] ?? 0) + count;
  }

  #bound(): void {
    while (this.#moments.size > MOST_MOMENTS && this.#length > LAST_LENGTH) this.#coarsen(this.#length - 1);
  }

  /** Cuts timestamps to at most this length. */
  #coarsen(most: number): void {
    if (most >= this.#length) return;
    this.#length = LENGTHS.find((length) => length <= most) ?? LAST_LENGTH;
    const finer = this.#moments;
    this.#moments = new Map();
    for (const [moment, counts] of finer) this.#addAll(moment, counts);
  }
}

const LAST_LENGTH = LENGTHS.at(-1) ?? 0;

/** Parses a time in UTC, or a day; otherwise undefined. */
function momentOf(text: string): string | undefined {
  if (/^\d{4}-\d\d-\d\d(?:$|T.*Z$)/.test(text)) return text;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** @param time in milliseconds. */
interface Moment {
  time: number;
  counts: readonly number[];
}

function inBins(moments: readonly Moment[], length: number, kinds: number): Times {
  const drawn = withoutTails(moments);
  const first = drawn[0]?.time ?? 0;
  const last = drawn.at(-1)?.time ?? 0;
  const most = Math.max(MOST_BINS.few, Math.min(MOST_BINS.many, MOST_BINS.perRoot * Math.sqrt(totalOf(drawn))));
  const [unit, every] = UNITS.find(([, , each, needs]) => needs <= length && (last - first) / each <= most) ?? [];
  const bins: (TimeBin & { counts: number[] })[] = [];
  for (const { time, counts } of drawn) {
    for (let end = bins.at(-1)?.end; every && (!end || end.getTime() <= time); ) {
      const start: Date = end ?? every.floor(new Date(time));
      end = every.offset(start, 1);
      bins.push({ start, end, counts: zeros(kinds) });
    }
    const sums = bins.at(-1)?.counts ?? [];
    for (const [kind, count] of counts.entries()) sums[kind] = (sums[kind] ?? 0) + count;
  }
  const before = totalOf(moments.filter(({ time }) => time < first));
  return { bins, unit: unit ?? "hour", before, after: totalOf(moments) - totalOf(drawn) - before };
}

function zeros(kinds: number): number[] {
  return new Array(kinds).fill(0);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function totalOf(moments: readonly Moment[]): number {
  return moments.reduce((sum, { counts }) => sum + sumOf(counts), 0);
}

/** Removes outliers at both ends, if that shortens the chart enough. */
function withoutTails(moments: readonly Moment[]): readonly Moment[] {
  const total = totalOf(moments);
  const inner: Moment[] = [];
  let seen = 0;
  for (const moment of moments) {
    const until = seen + sumOf(moment.counts);
    if (until > total * TAIL && seen < total * (1 - TAIL)) inner.push(moment);
    seen = until;
  }
  const span = (some: readonly Moment[]) => (some.at(-1)?.time ?? 0) - (some[0]?.time ?? 0);
  return span(moments) > SQUEEZE * span(inner) && span(inner) > 0 ? inner : moments;
}
