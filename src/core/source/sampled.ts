/** Finds out from samples of a table whether its rows lie nearly in published order. */
import type { Database } from "better-sqlite3";

/** Number of samples, spread evenly, and of consecutive rows in each. */
const SAMPLES = 16;
const ROWS = 64;
/** Minimum share of neighbours in published order that are also neighbours in the table. */
const SHARE = 0.9;

interface Sampled {
  /** The rows of a table for FROM. */
  rows: string;
  /** The column with their numbers. */
  number: string;
  /** ORDER BY of the published order. */
  order: string;
  parameters: Record<string, unknown>;
}

/** Whether rows that follow each other in published order, or in its reverse, mostly do so in a table. */
export function isNearlyInOrder(db: Database, { rows, number, order, parameters }: Sampled): boolean {
  const numberAt = (end: "ASC" | "DESC") =>
    db.prepare<[], number>(`SELECT ${number} FROM ${rows} ORDER BY ${number} ${end} LIMIT 1`).pluck().get() ?? 0;
  const first = numberAt("ASC");
  const last = numberAt("DESC");
  // Columns stay out of the inner query: SQLite would ask for their collations, which only the source's program may have.
  const sampleOf = db
    .prepare<[object], number>(
      `SELECT ${number} FROM ${rows}
       WHERE ${number} IN (SELECT ${number} FROM ${rows} WHERE ${number} >= @from ORDER BY ${number} LIMIT ${ROWS}) ${order}`,
    )
    .pluck();
  let neighbours = 0;
  let kept = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = first + ((last - first) / SAMPLES) * sample;
    const numbers = sampleOf.all({ ...parameters, from });
    const stored = new Map(numbers.toSorted((a, b) => a - b).map((number, at) => [number, at]));
    const places = numbers.map((number) => stored.get(number) ?? 0);
    for (let at = 1; at < places.length; at++) {
      neighbours += 1;
      if (Math.abs((places[at] ?? 0) - (places[at - 1] ?? 0)) === 1) kept += 1;
    }
  }
  return kept >= SHARE * neighbours;
}
