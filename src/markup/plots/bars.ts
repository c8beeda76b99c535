/** Draws bar plots: horizontal bars with names, or vertical bars over time or values. */
import { scaleBand, scaleLinear, scaleUtc } from "d3-scale";
import { bothEndsOf } from "../../print/fit.js";
import { number, time } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { html, type Markup } from "../markup.js";
import type { Plot, PlotDrawing } from "./figure.js";
import type { TimeBin } from "./times.js";
import { type TimesTextGiven, timesFigures, timesSentence } from "./times-chart.js";

/** Horizontal bars: height of a row and of its bar. */
const ROW = 34;
const BAR = 8;
const THINNEST = 1.5;
/** Approximate pixels of a character, and maximum characters of a figure. */
const NAME_CHARACTER = 6.3;
const FIGURE = 6;

export interface NamedBar {
  name: string;
  count: number;
  /** Text at the end of the line; the count by default. */
  figure?: string;
}

/**
 * Draws horizontal bars. Names are above bars, so that long names fit.
 * @param kind CSS class of the bars.
 * @param whole the value of a full bar; the maximum by default.
 */
export function drawNamedBars(
  bars: readonly NamedBar[],
  kind: string,
  width: number,
  whole = Math.max(...bars.map(({ count }) => count)),
): PlotDrawing {
  const x = scaleLinear([0, whole], [0, width]);
  const marks = bars.map(({ name, count, figure = number(count) }, at) => {
    const top = at * ROW;
    const room = Math.floor(width / NAME_CHARACTER) - Math.max(FIGURE, figure.length + 1);
    return html`<text x="0" y="${top + 15}">${bothEndsOf(name, room, visible)}</text>
<text class="figure" x="${width}" y="${top + 15}" text-anchor="end">${figure}</text>
<rect class="track" x="0" y="${top + 20}" width="${width}" height="${BAR}" rx="2"/>
<rect class="${kind}" x="0" y="${top + 20}" width="${Math.max(THINNEST, x(count)).toFixed(1)}" height="${BAR}" rx="2"/>
`;
  });
  return { height: bars.length * ROW, marks };
}

/** Sizes of vertical bars. */
const HEIGHT = 230;
const MARGIN = { left: 52, right: 12, top: 12, bottom: 26 };
const BOTTOM = HEIGHT - MARGIN.bottom;
const PIXELS_PER_TICK = 90;
/** Approximate pixels of a character of a label, and minimum distance of labels. */
const CHARACTER = 7;
const GAP = 10;
/** Maximum width of a bar. */
const WIDEST = 64;

interface TimesGiven extends TimesTextGiven {
  title: string;
  /** In pixels, widest first. */
  widths: readonly number[];
}

/** Makes a plot over time: a bar for the number of each bin. */
export function timesPlot({ title, widths, ...given }: TimesGiven): Plot {
  const { bins } = given.times;
  const [kind = ""] = given.kinds[0] ?? [];
  const draw = (width: number) => drawTimes(bins, kind, width);
  return {
    id: "times",
    title,
    sentence: timesSentence(given),
    shown: { widths, draw, figures: timesFigures(given) },
  };
}

function drawTimes(bins: readonly TimeBin[], kind: string, width: number): PlotDrawing {
  const first = bins[0];
  const last = bins.at(-1);
  if (!first || !last) return { height: 0, marks: [] };
  const x = scaleUtc([first.start, last.end], [MARGIN.left, width - MARGIN.right]);
  const most = Math.max(...bins.map(({ counts }) => counts[0] ?? 0));
  const y = scaleLinear([0, most], [BOTTOM, MARGIN.top]).nice(5);
  const bars = bins.map(({ start, end, counts: [records = 0] }) => {
    const from = x(start);
    const to = x(end);
    const gap = to - from > 4 ? 1 : 0;
    const name = `${time(start)}: ${number(records)}`;
    return html`${column(kind, from + gap / 2, to - gap / 2, y(0), y(records), name)}`;
  });
  return { height: HEIGHT, marks: [...gridLines(y, width), ...bars, ...timeAxis(x, width)] };
}

export interface NamedColumn {
  /** Below the bar, if it fits. */
  label: string;
  /** Full name, for the tooltip. */
  name: string;
  count: number;
}

/** Draws one column for each name. Skips labels that do not fit. */
export function drawNamedColumns(columns: readonly NamedColumn[], kind: string, width: number): PlotDrawing {
  const places = scaleBand([MARGIN.left, width - MARGIN.right]).domain(columns.map(({ name }) => name));
  const y = scaleLinear([0, Math.max(...columns.map(({ count }) => count))], [BOTTOM, MARGIN.top]).nice(5);
  const band = places.bandwidth();
  const wide = Math.min(WIDEST, band * (band > 12 ? 0.85 : 0.95));
  const longest = Math.max(...columns.map(({ label }) => label.length));
  const every = Math.max(1, Math.ceil((longest * CHARACTER + GAP) / band));
  const marks = columns.map(({ label, name, count: records }, at) => {
    const middle = (places(name) ?? 0) + band / 2;
    const text = html`<text class="tick" x="${middle.toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${label}</text>\n`;
    const bar = column(kind, middle - wide / 2, middle + wide / 2, y(0), y(records), `${name}: ${number(records)}`);
    return html`${bar}${at % every > 0 ? undefined : text}`;
  });
  return { height: HEIGHT, marks: [...gridLines(y, width), ...marks] };
}

/** A bar; none for 0, and at least a visible line for any other count. */
function column(kind: string, from: number, to: number, zero: number, end: number, name: string): Markup | undefined {
  if (end === zero) return undefined;
  const height = Math.max(1, zero - end);
  return html`<rect class="${kind}" x="${from.toFixed(1)}" width="${(to - from).toFixed(1)}" y="${(zero - height).toFixed(1)}" height="${height.toFixed(1)}"><title>${name}</title></rect>
`;
}

/** Grid lines at round numbers. */
function gridLines(y: ReturnType<typeof scaleLinear<number>>, width: number): Markup[] {
  const ticks = y.ticks(5).filter(Number.isInteger);
  return ticks.map(
    (
      tick,
    ) => html`<line class="${tick === 0 ? "zero" : "grid"}" x1="${MARGIN.left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${MARGIN.left - 8}" y="${y(tick) + 4}" text-anchor="end">${number(tick)}</text>
`,
  );
}

function timeAxis(x: ReturnType<typeof scaleUtc<number>>, width: number): Markup[] {
  const ticks = Math.max(2, Math.floor((width - MARGIN.left) / PIXELS_PER_TICK));
  const format = x.tickFormat(ticks);
  return x.ticks(ticks).map((tick) => {
    const at = x(tick).toFixed(1);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${BOTTOM}" y2="${BOTTOM + 5}"/>
<text class="tick" x="${at}" y="${HEIGHT - 6}" text-anchor="${x(tick) > width - MARGIN.right - 20 ? "end" : "middle"}">${yearBeyond(tick) ?? format(tick)}</text>
`;
  });
}

/** A year of five digits, which `%Y` would cut to four: the end of the axis of plots that reach the year 9999. */
function yearBeyond(tick: Date): string | undefined {
  const year = tick.getUTCFullYear();
  return year > 9999 ? String(year) : undefined;
}
