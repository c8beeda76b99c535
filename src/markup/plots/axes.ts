/** What bars stand on: lines at round numbers, and times below them. */
import type { scaleLinear, scaleUtc } from "d3-scale";
import { number } from "../../print/numbers.js";
import { html, type Markup } from "../markup.js";

/** Of a plot with bars that stand side by side. */
export const BARS_HEIGHT = 230;
export const BARS_MARGIN = { left: 52, right: 12, top: 12, bottom: 26 };
const PIXELS_PER_TICK = 90;

/** A unit of a bar in words: `a day`, `an hour`, `3 months`. */
export function withArticle(unit: string): string {
  if (/^\d/.test(unit)) return unit;
  return unit === "hour" ? `an ${unit}` : `a ${unit}`;
}

/** Lines at round numbers, above and below zero. */
export function gridLines(y: ReturnType<typeof scaleLinear<number>>, width: number): Markup[] {
  const ticks = y.ticks(5).filter(Number.isInteger);
  return ticks.map(
    (
      tick,
    ) => html`<line class="${tick === 0 ? "zero" : "grid"}" x1="${BARS_MARGIN.left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${BARS_MARGIN.left - 8}" y="${y(tick) + 4}" text-anchor="end">${number(Math.abs(tick))}</text>
`,
  );
}

export function timeAxis(x: ReturnType<typeof scaleUtc<number>>, width: number): Markup[] {
  const ticks = Math.max(2, Math.floor((width - BARS_MARGIN.left) / PIXELS_PER_TICK));
  const format = x.tickFormat(ticks);
  return x.ticks(ticks).map((tick) => {
    const at = x(tick).toFixed(1);
    const bottom = BARS_HEIGHT - BARS_MARGIN.bottom;
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${bottom}" y2="${bottom + 5}"/>
<text class="tick" x="${at}" y="${BARS_HEIGHT - 6}" text-anchor="${x(tick) > width - BARS_MARGIN.right - 20 ? "end" : "middle"}">${yearBeyond(tick) ?? format(tick)}</text>
`;
  });
}

/** A year of five digits, of which the usual format writes the last four only: the axis of plots that reach the year 9999 ends there. */
function yearBeyond(tick: Date): string | undefined {
  const year = tick.getUTCFullYear();
  return year > 9999 ? String(year) : undefined;
}
