/** Counts added and removed records by their time, in bounded memory. */
import { type TimeInterval, utcDay, utcHour, utcMonday, utcMonth, utcYear } from "d3-time";
import type { AnyRecord, Field } from "../../contract/contract.js";
import { valueAt } from "../../contract/record/value.js";
import type { Diff } from "../../diff/change.js";

type Counts = Record<"added" | "removed", number>;

/** How many records have a time from one moment to before another. */
export type Bin = Counts & { start: Date; end: Date };

export interface Times {
  /** Oldest first, without gaps; empty when no record with a time was added or removed. */
  bins: readonly Bin[];
  /** The length of a bin in words: `week`, `3 months`. */
  unit: string;
  /** Records so long before or after all others that those would be squeezed into one bar. */
  before: number;
  after: number;
}

/** Lengths to which timestamps are cut, coarser each time: `2026-11-21T03`, `2026-11-21`, `2026-11`, `2026`. */
const LENGTHS = [13, 10, 7, 4];
const EPOCH = "0001-01-01T00:00:00Z";
const MOST_MOMENTS = 5000;

const DAY = 86_400_000;
/** Possible lengths of a bin: in words, as an interval, in milliseconds (about), and the LENGTHS that its edges need. */
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
/** With fewer records there are fewer bins, because bins of one record each would say nothing. */
const MOST_BINS = { few: 24, many: 60, perRoot: 4 };

/** The share of records at each end that may be left out, and how much longer they must make the plot for that. */
const TAIL = 0.005;
const SQUEEZE = 4;

/** Counts added and removed records by the time in this field, in at most sixty bins. */
export async function countTimes(diff: Diff, field: Field): Promise<Times> {
  let moments = new Map<string, Counts>();
  let [length, ...coarser]: number[] = LENGTHS;
  for await (const change of diff.changes()) {
    if (change.kind === "changed") break;
    const moment = momentOf(change.record, field);
    if (moment === undefined) continue;
    // A day has no hours to count by.
    while (length !== undefined && length > moment.length && coarser.length > 0) [length, ...coarser] = coarser;
    add(moments, moment.slice(0, length), { [change.kind]: 1 });
    while (moments.size > MOST_MOMENTS && coarser.length > 0) {
      [length, ...coarser] = coarser;
      const finer = moments;
      moments = new Map();
      for (const [key, counts] of finer) add(moments, key.slice(0, length), counts);
    }
  }
  const times = [...moments].map(([key, counts]) => ({ time: Date.parse(key + EPOCH.slice(key.length)), ...counts }));
  times.sort((a, b) => a.time - b.time);
  return inBins(times, length ?? 0);
}

/** A time in UTC, or a day; undefined for none. */
function momentOf(record: AnyRecord, field: Field): string | undefined {
  const value = valueAt(record, field);
  if (typeof value !== "string") return undefined;
  if (/^\d{4}-\d\d-\d\d(?:$|T.*Z$)/.test(value)) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function add(moments: Map<string, Counts>, key: string, { added = 0, removed = 0 }: Partial<Counts>): void {
  const counts = moments.get(key) ?? { added: 0, removed: 0 };
  moments.set(key, { added: counts.added + added, removed: counts.removed + removed });
}

/** `time` is in milliseconds. */
type Moment = Counts & { time: number };

function inBins(moments: readonly Moment[], length: number): Times {
  const drawn = withoutTails(moments);
  const [first, last] = [drawn[0]?.time ?? 0, drawn.at(-1)?.time ?? 0];
  const most = Math.max(MOST_BINS.few, Math.min(MOST_BINS.many, MOST_BINS.perRoot * Math.sqrt(recordsOf(drawn))));
  const [unit, every] = UNITS.find(([, , each, needs]) => needs <= length && (last - first) / each <= most) ?? [];
  const bins: Bin[] = [];
  for (const { time, added, removed } of drawn) {
    for (let end = bins.at(-1)?.end; every && (!end || end.getTime() <= time); ) {
      const start: Date = end ?? every.floor(new Date(time));
      end = every.offset(start, 1);
      bins.push({ start, end, added: 0, removed: 0 });
    }
    const bin = bins.at(-1);
    if (bin) [bin.added, bin.removed] = [bin.added + added, bin.removed + removed];
  }
  const before = recordsOf(moments.filter(({ time }) => time < first));
  return { bins, unit: unit ?? "hour", before, after: recordsOf(moments) - recordsOf(drawn) - before };
}

function recordsOf(moments: readonly Moment[]): number {
  return moments.reduce((sum, { added, removed }) => sum + added + removed, 0);
}

/** Leaves out the outermost half per cent of records at each end, unless that makes little difference. */
function withoutTails(moments: readonly Moment[]): readonly Moment[] {
  const total = recordsOf(moments);
  const inner: Moment[] = [];
  let seen = 0;
  for (const moment of moments) {
    const until = seen + moment.added + moment.removed;
    if (until > total * TAIL && seen < total * (1 - TAIL)) inner.push(moment);
    seen = until;
  }
  const span = (some: readonly Moment[]) => (some.at(-1)?.time ?? 0) - (some[0]?.time ?? 0);
  return span(moments) > SQUEEZE * span(inner) && span(inner) > 0 ? inner : moments;
}
