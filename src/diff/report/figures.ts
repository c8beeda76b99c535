/** The tables and the chart of the HTML report. */
import type { Diff } from "../../core/compare/change.js";
import type { Field } from "../../core/contract/contract.js";
import { valueAt } from "../../core/contract/record/value.js";
import { count } from "../../core/print/numbers.js";
import { capital } from "../../core/print/text.js";
import { timesFigure } from "../../explorer/markup/figures/chart.js";
import { type Figure, figuresSection, htmlTable, type Table } from "../../explorer/markup/figures/figure.js";
import { TimeCounter, type Times } from "../../explorer/markup/figures/times.js";
import { html, type Markup } from "../../explorer/markup/markup.js";
import { type FacetMoves, type Report, writePath } from "./model.js";

/** The section with all tables and charts that are not empty. */
export async function figures(report: Report): Promise<Markup> {
  return figuresSection([
    ...(report.fields.length > 0 ? [changesByField(report)] : []),
    ...report.facets.map((facet, at) => movesOf(facet, report.words, at + 1)),
    ...(await addedAndRemoved(report)),
  ]);
}

/** The number of records in which each field changed, most first. */
function changesByField({ diff, fields, words: [one, many] }: Report): Figure {
  const all = count(diff.changed, [`changed ${one}`, `changed ${many}`]);
  return {
    id: "fields",
    title: "Changes by field",
    sentence: `${capital(many)} whose value differs, of ${all}.`,
    shown: bars("fields", { head: ["Field", capital(many)], rows: fields }),
  };
}

/** Maximum moves of a list. */
const MOST_MOVES = 100;

/** The moves between values of a facet, most records first. @param nth the number of the facet in the report, from 1. */
function movesOf({ path, moves }: FacetMoves, words: Report["words"], nth: number): Figure {
  const id = `flow${nth}`;
  const moved = moves.reduce((sum, { count: records }) => sum + records, 0);
  const omitted = moves.length - MOST_MOVES;
  const rest = omitted > 0 ? ` Not listed: ${count(omitted, "rarer move")}.` : "";
  const listed = moves.slice(0, MOST_MOVES);
  const rows = listed.map((move) => [move.from, move.to, move.count]);
  return {
    id,
    title: `Moves of ${path}`,
    sentence: `${count(moved, words)} went from one value to another.${rest}`,
    shown: bars(id, { head: ["From", "To", capital(words[1])], rows }),
  };
}

/** A table whose last column has bars, the longest first. */
function bars(id: string, { head, rows }: Table): Markup {
  return htmlTable(html`aria-labelledby="${id}-title"`, { head, rows, whole: Number(rows[0]?.at(-1)) });
}

/** Added and removed records by time; nothing without such records, or without a time. */
async function addedAndRemoved({ diff, wordings, words }: Report): Promise<Figure[]> {
  const { time } = wordings.added;
  if (time === undefined || diff.added + diff.removed === 0) return [];
  const times = await countTimes(diff, time);
  if (times.bins.length === 0) return [];
  const path = writePath(time.path);
  const shown = timesFigure({
    title: `Added and removed ${words[1]} by ${path}`,
    about: `Added ones stand above the line and removed ones below, by ${path}`,
    times,
    words,
    isDay: time.schema.format === "date",
    kinds: [
      ["added", "added"],
      ["removed", "removed"],
    ],
  });
  return [shown];
}

/** Counts added and removed records by the time in a field, in at most 60 bins and in bounded memory. */
export async function countTimes(diff: Diff, field: Field): Promise<Times> {
  const counter = new TimeCounter(2);
  for await (const change of diff.changes()) {
    if (change.kind === "changed") break;
    const value = valueAt(change.record, field);
    if (typeof value === "string") counter.add(value, change.kind === "added" ? 0 : 1);
  }
  return counter.bins();
}
