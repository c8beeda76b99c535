/** A column chart over time, and its words and figures. */
import { count, number, time, type Words } from "../../print/numbers.js";
import { html, type Markup } from "../markup.js";
import type { Figures } from "./figure.js";
import type { TimeBin, Times } from "./times.js";

export interface TimesTextGiven {
  /** Beginning of the sentence: what the bars show. */
  about: string;
  times: Times;
  /** Words for records. */
  words: Words;
  /** Whether the times are days. */
  isDay: boolean;
  /** For each number of a bin: CSS class of its bars, and heading in the table. */
  kinds: readonly (readonly [kind: string, heading: string])[];
}

/** Says what a bar is, and how many records are outside of the chart. */
export function timesSentence({ about, times: { unit, before, after }, words }: TimesTextGiven): string {
  const left = [before > 0 && `${count(before, words)} earlier`, after > 0 && `${number(after)} later`];
  const notDrawn = left.filter(Boolean).join(" and ");
  const bar = /^\d/.test(unit) ? unit : `${unit.startsWith("hour") ? "an" : "a"} ${unit}`;
  return `${about}; a bar is ${bar}.${notDrawn && ` Not drawn: ${notDrawn}.`}`;
}

/** The bins with records. */
export function timesFigures({ times, isDay, kinds }: TimesTextGiven): Figures {
  const bins = times.bins.filter(({ counts }) => counts.some((records) => records > 0));
  return {
    head: [isDay ? "From" : "From (UTC)", ...kinds.map(([, heading]) => heading)],
    rows: bins.map(({ start, counts }) => [timeText(start, isDay), ...counts]),
  };
}

/** The smallest height of a column, as a part of the chart. */
const SHORTEST = 0.01;

/** Draws a column for each bin: upwards for its first number, downwards for the second. It is as wide as its container. */
export function timesChart({ times: { bins, unit }, isDay, kinds }: TimesTextGiven): Markup {
  const startOf = ({ start }: TimeBin) => timeText(start, isDay || !unit.includes("hour"));
  const most = (kind: number) => Math.max(...bins.map(({ counts }) => counts[kind] ?? 0));
  const zero = most(0);
  const height = zero + most(1);
  const columns = bins.flatMap((bin, at) =>
    kinds.map(([kind], nth) => {
      const records = bin.counts[nth] ?? 0;
      if (records === 0) return html``;
      const tall = Math.max(records, SHORTEST * height);
      const name = `${startOf(bin)}: ${number(records)} ${kind}`;
      return html`<rect class="${kind}" x="${at + 0.05}" width="0.9" y="${nth === 0 ? zero - tall : zero}" height="${tall}"><title>${name}</title></rect>
`;
    }),
  );
  const end = (bin: TimeBin | undefined) => bin && html`<span>${startOf(bin)}</span>`;
  return html`<svg class="columns" role="img" aria-labelledby="times-title" viewBox="0 0 ${bins.length} ${height}" preserveAspectRatio="none">
<line class="zero" x1="0" x2="${bins.length}" y1="${zero}" y2="${zero}"/>
${columns}</svg>
<p class="ends">${end(bins[0])}<span>up to ${number(Math.max(zero, height - zero))}</span>${bins.length > 1 ? end(bins.at(-1)) : undefined}</p>
`;
}

function timeText(moment: Date, isDay: boolean): string {
  return isDay ? time(moment).slice(0, "2026-11-21".length) : time(moment);
}
