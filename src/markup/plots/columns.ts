/** Bars that stand side by side: along time, or one for each of some values. */
import { scaleBand, scaleLinear, scaleUtc } from "d3-scale";
import { number, time } from "../../print/numbers.js";
import { html, type Markup } from "../markup.js";
import { BARS_HEIGHT, BARS_MARGIN, gridLines, timeAxis } from "./axes.js";
import type { PlotDrawing } from "./figure.js";
import type { TimeBin } from "./times.js";

/** Pixels of a character of a label (about), and between two labels. */
const [CHARACTER, GAP] = [7, 10];
/** A bar as wide as a screen would look like more than it is. */
const WIDEST = 64;

export function drawTimeColumns(bins: readonly TimeBin[], kind: string, width: number): PlotDrawing {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return { height: 0, marks: [] };
  const x = scaleUtc([first.start, last.end], [BARS_MARGIN.left, width - BARS_MARGIN.right]);
  const y = upwards(bins.map(({ counts: [count = 0] }) => count));
  const bars = bins.map(({ start, end, counts: [count = 0] }) => {
    const [from, to] = [x(start), x(end)];
    const gap = to - from > 4 ? 1 : 0;
    return column(kind, { from: from + gap / 2, to: to - gap / 2, top: y(count) }, time(start), count);
  });
  return { height: BARS_HEIGHT, marks: [...gridLines(y, width), ...bars, ...timeAxis(x, width)] };
}

export interface NamedColumn {
  /** Below the bar, where there is room. */
  label: string;
  /** In full. */
  name: string;
  count: number;
}

export function drawNamedColumns(columns: readonly NamedColumn[], kind: string, width: number): PlotDrawing {
  const places = scaleBand([BARS_MARGIN.left, width - BARS_MARGIN.right]).domain(columns.map(({ name }) => name));
  const y = upwards(columns.map(({ count }) => count));
  const band = places.bandwidth();
  const wide = Math.min(WIDEST, band * (band > 12 ? 0.85 : 0.95));
  const longest = Math.max(...columns.map(({ label }) => label.length));
  const every = Math.max(1, Math.ceil((longest * CHARACTER + GAP) / band));
  const marks = columns.flatMap(({ label, name, count }, at) => {
    const middle = (places(name) ?? 0) + band / 2;
    const bar = column(kind, { from: middle - wide / 2, to: middle + wide / 2, top: y(count) }, name, count);
    if (at % every > 0) return [bar];
    return [
      bar,
      html`<text class="tick" x="${middle.toFixed(1)}" y="${BARS_HEIGHT - 6}" text-anchor="middle">${label}</text>\n`,
    ];
  });
  return { height: BARS_HEIGHT, marks: [...gridLines(y, width), ...marks] };
}

function upwards(counts: readonly number[]) {
  const most = Math.max(1, ...counts);
  return scaleLinear([0, most], [BARS_HEIGHT - BARS_MARGIN.bottom, BARS_MARGIN.top]).nice(5);
}

/** Nothing where nothing is counted, and something where anything is. */
function column(
  kind: string,
  { from, to, top }: { from: number; to: number; top: number },
  name: string,
  count: number,
): Markup {
  if (count === 0) return html``;
  const height = Math.max(1, BARS_HEIGHT - BARS_MARGIN.bottom - top);
  const y = BARS_HEIGHT - BARS_MARGIN.bottom - height;
  return html`<rect class="${kind}" x="${from.toFixed(1)}" width="${(to - from).toFixed(1)}" y="${y.toFixed(1)}" height="${height.toFixed(1)}"><title>${name}: ${number(count)}</title></rect>
`;
}
