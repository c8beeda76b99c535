/** The column chart, over time or over numbers. */
import { count, number, time, type Words } from "../../../core/print/numbers.js";
import { capital } from "../../../core/print/text.js";
import { html, type Markup } from "../markup.js";
import { type Figure, htmlTable } from "./figure.js";
import type { Times } from "./times.js";

interface Column {
  /** What it stands for: `2026-11-21`, `10 to 19`. */
  name: string;
  /** A number for each kind. */
  counts: readonly number[];
}

/** The CSS class of the columns of a kind, and the word for what they count. */
type Kind = readonly [style: string, word: string];

/** The smallest height of a column, as a part of the chart. */
const SHORTEST = 0.01;
/** Maximum width of a column in pixels. */
const WIDEST = 64;

/**
 * Draws columns as wide as their container: upwards for the first kind, downwards for the second. Below them is a table of the
 * numbers, closed at first.
 * @param title that of the figure, whose element has the id `id`.
 * @param head the heading of names in the table.
 */
export function columnChart(
  { id, title }: Pick<Figure, "id" | "title">,
  { head, columns, kinds }: { head: string; columns: readonly Column[]; kinds: readonly Kind[] },
): Markup {
  const most = (kind: number) => Math.max(...columns.map(({ counts }) => counts[kind] ?? 0));
  const zero = most(0);
  const height = zero + most(1);
  const bars = columns.flatMap(({ name, counts }, at) =>
    kinds.map(([style, word], kind) => {
      const records = counts[kind] ?? 0;
      if (records === 0) return html``;
      const tall = Math.max(records, SHORTEST * height);
      return html`<rect class="${style}" x="${at + 0.05}" width="0.9" y="${kind === 0 ? zero - tall : zero}" height="${tall}"><title>${name}: ${number(records)} ${word}</title></rect>
`;
    }),
  );
  const end = (column: Column | undefined) => column && html`<span>${column.name}</span>`;
  const rows = columns.filter(({ counts }) => counts.some((records) => records > 0));
  const numbers = {
    head: [head, ...kinds.map(([, word]) => capital(word))],
    rows: rows.map(({ name, counts }) => [name, ...counts]),
  };
  return html`<div class="chart"><svg role="img" aria-labelledby="${id}-title" width="${WIDEST * columns.length}" viewBox="0 0 ${columns.length} ${height}" preserveAspectRatio="none">
<line x1="0" x2="${columns.length}" y1="${zero}" y2="${zero}"/>
${bars}</svg>
<p class="ends">${end(columns[0])}<span>up to ${number(Math.max(zero, height - zero))}</span>${columns.length > 1 ? end(columns.at(-1)) : undefined}</p></div>
<details><summary>Figures<span class="hidden"> of ${title}</span></summary>
${htmlTable(html`aria-label="Figures of ${title}"`, numbers)}</details>
`;
}

interface TimesGiven {
  title: string;
  /** Beginning of the sentence: what the columns show. */
  about: string;
  times: Times;
  /** Words for records. */
  words: Words;
  /** Whether the times are days. */
  isDay: boolean;
  kinds: readonly Kind[];
}

/** Makes the figure of counts over time. */
export function timesFigure({ title, about, times, words, isDay, kinds }: TimesGiven): Figure {
  const { bins, unit, before, after } = times;
  const isLong = isDay || !unit.includes("hour");
  const columns = bins.map(({ start, counts }) => ({ name: isLong ? dayOf(start) : time(start), counts }));
  const left = [before > 0 && `${count(before, words)} earlier`, after > 0 && `${number(after)} later`];
  const notDrawn = left.filter(Boolean).join(" and ");
  const width = /^\d/.test(unit) ? unit : `${unit === "hour" ? "an" : "a"} ${unit}`;
  return {
    id: "times",
    title,
    sentence: `${about}${isDay ? "" : " (UTC)"}; a column is ${width}.${notDrawn && ` Not drawn: ${notDrawn}.`}`,
    shown: columnChart({ id: "times", title }, { head: "From", columns, kinds }),
  };
}

function dayOf(moment: Date): string {
  return time(moment).slice(0, "2026-11-21".length);
}
