/** The tables and the chart of the HTML report. */
import type { Field } from "../contract/contract.js";
import { valueAt } from "../contract/record/value.js";
import type { Diff } from "../diff/change.js";
import { html, type Markup } from "../markup/markup.js";
import { type Figures, figure, figuresBelow, figuresTable, type Plot } from "../markup/plots/figure.js";
import { TimeCounter, type Times } from "../markup/plots/times.js";
import { timesChart, timesFigures, timesSentence } from "../markup/plots/times-chart.js";
import { count } from "../print/numbers.js";
import { BREAKS, capital } from "../print/text.js";
import { type Facet, type Report, writePath } from "./model.js";

/** The section with all tables and charts that are not empty. */
export async function plots(report: Report): Promise<Markup> {
  const shown = [
    ...(report.fields.length > 0 ? [fieldsPlot(report)] : []),
    ...report.facets.map((facet, at) => movesPlot(facet, report.words, at + 1)),
    ...(await addedAndRemoved(report)),
  ];
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${shown.map(figure)}
</section>
`;
}

/** The number of records in which each field changed, most first. */
function fieldsPlot({ diff, fields, words: [one, many] }: Report): Plot {
  const all = count(diff.changed, [`changed ${one}`, `changed ${many}`]);
  return {
    id: "fields",
    title: "Changes by field",
    sentence: `${capital(many)} whose value differs, of ${all}.`,
    shown: bars("fields", {
      head: ["Field", capital(many)],
      rows: fields.map(([path, records]) => [breakable(path), records]),
    }),
  };
}

/** Maximum moves of a list. */
const MOST_MOVES = 100;

/** The moves between values of a facet, most records first. @param nth the number of the facet in the report, from 1. */
function movesPlot({ path, moves }: Facet, words: Report["words"], nth: number): Plot {
  const id = `flow${nth}`;
  const moved = moves.reduce((sum, { count: records }) => sum + records, 0);
  const omitted = moves.length - MOST_MOVES;
  const rest = omitted > 0 ? ` Not listed: ${count(omitted, "rarer move")}.` : "";
  const listed = moves.slice(0, MOST_MOVES);
  const rows = listed.map((move) => [breakable(move.from), breakable(move.to), move.count]);
  return {
    id,
    title: `Moves of ${path}`,
    sentence: `${count(moved, words)} went from one value to another.${rest}`,
    shown: bars(id, { head: ["From", "To", capital(words[1])], rows }),
  };
}

/** A table whose last column has bars, the longest first. */
function bars(id: string, { head, rows }: Figures): Markup {
  const whole = Number(rows[0]?.at(-1));
  return html`${figuresTable(html`aria-labelledby="${id}-title"`, { head, rows, whole })}\n`;
}

/** A text whose lines may break between its words. */
function breakable(text: string): Markup {
  return html`${text.split(BREAKS).map((part, at) => html`${at === 0 ? undefined : html`<wbr>`}${part}`)}`;
}

/** Added and removed records by time; nothing without such records, or without a time. */
async function addedAndRemoved({ diff, subjects, words }: Report): Promise<Plot[]> {
  const { time } = subjects.added;
  if (time === undefined || diff.added + diff.removed === 0) return [];
  const times = await countTimes(diff, time);
  if (times.bins.length === 0) return [];
  const isDay = time.schema.format === "date";
  const path = writePath(time.path);
  const title = `Added and removed ${words[1]} by ${path}`;
  const about = `Added ones stand above the line and removed ones below, by ${path}${isDay ? "" : " (UTC)"}`;
  const kinds = [
    ["added", "Added"],
    ["removed", "Removed"],
  ] as const;
  const given = { about, times, words, isDay, kinds };
  const shown = html`${timesChart(given)}${figuresBelow(title, timesFigures(given))}`;
  return [{ id: "times", title, sentence: timesSentence(given), shown }];
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
