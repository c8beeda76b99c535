/** Bars along time: up for added records, down for removed ones. */
import { scaleLinear, scaleUtc } from "d3-scale";
import type { Field } from "../../../contract/contract.js";
import { count, number, time } from "../../../print/numbers.js";
import type { Subject } from "../../subject.js";
import { writePath } from "../../value.js";
import { html, type Markup, type Plot, type PlotDrawing } from "../markup.js";
import type { Bin, Times } from "../times.js";

const HEIGHT = 230;
const MARGIN = { left: 52, right: 12, top: 12, bottom: 26 };
const PIXELS_PER_TICK = 90;

/** @param field the time that records go by. */
export function timesPlot({ bins, unit, before, after }: Times, { words }: Subject, field: Field): Plot {
  const left = [before > 0 && `${count(before, words)} earlier`, after > 0 && `${number(after)} later`];
  const notDrawn = left.filter(Boolean).join(" and ");
  const [, many] = words;
  const isDay = field.schema.format === "date";
  const path = writePath(field.path);
  return {
    id: "times",
    title: `Added and removed ${many} by ${path}`,
    sentence: `Added ones stand above the line and removed ones below, by ${path}${isDay ? "" : " (UTC)"}; a bar is ${article(unit)}${unit}.${
      notDrawn && ` Not drawn: ${notDrawn}.`
    }`,
    shown: {
      widths: [1080, 520, 340],
      draw: (width) => drawBars(bins, width),
      figures: {
        head: [isDay ? "From" : "From (UTC)", "Added", "Removed"],
        rows: bins
          .filter(({ added, removed }) => added + removed > 0)
          .map((bin) => [time(bin.start).slice(0, isDay ? "2026-11-21".length : undefined), bin.added, bin.removed]),
      },
    },
  };
}

function article(unit: string): string {
  if (/^\d/.test(unit)) return "";
  return unit === "hour" ? "an " : "a ";
}

function drawBars(bins: readonly Bin[], width: number): PlotDrawing {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return { height: 0, marks: [] };
  const x = scaleUtc([first.start, last.end], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear(
    [-Math.max(...bins.map(({ removed }) => removed)), Math.max(...bins.map(({ added }) => added))],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(5);
  const bars = bins.map((bin) => {
    const [from, to] = [x(bin.start), x(bin.end)];
    const gap = to - from > 4 ? 1 : 0;
    const bar = (kind: "added" | "removed", a: number, b: number) =>
      bin[kind] === 0
        ? undefined
        : html`<rect class="${kind}" x="${(from + gap / 2).toFixed(1)}" width="${(to - from - gap).toFixed(1)}" y="${a.toFixed(1)}" height="${Math.max(1, b - a).toFixed(1)}"><title>${time(bin.start)}: ${number(bin[kind])} ${kind}</title></rect>
`;
    return html`${bar("added", y(bin.added), y(0))}${bar("removed", y(0), y(-bin.removed))}`;
  });
  return { height: HEIGHT, marks: [...grid(y, width), ...bars, ...axis(x, width)] };
}

/** Lines at round numbers of records, above and below zero. */
function grid(y: ReturnType<typeof scaleLinear<number>>, width: number): Markup[] {
  const ticks = y.ticks(5).filter(Number.isInteger);
  return ticks.map(
    (
      tick,
    ) => html`<line class="${tick === 0 ? "zero" : "grid"}" x1="${MARGIN.left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${MARGIN.left - 8}" y="${y(tick) + 4}" text-anchor="end">${number(Math.abs(tick))}</text>
`,
  );
}

function axis(x: ReturnType<typeof scaleUtc<number>>, width: number): Markup[] {
  const ticks = Math.max(2, Math.floor((width - MARGIN.left) / PIXELS_PER_TICK));
  const format = x.tickFormat(ticks);
  return x.ticks(ticks).map((tick) => {
    const at = x(tick).toFixed(1);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${HEIGHT - MARGIN.bottom}" y2="${HEIGHT - MARGIN.bottom + 5}"/>
<text class="tick" x="${at}" y="${HEIGHT - 6}" text-anchor="${x(tick) > width - MARGIN.right - 20 ? "end" : "middle"}">${format(tick)}</text>
`;
  });
}
