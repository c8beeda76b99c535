/** Bars one below the other, each with its name and figure above it, so that the longest name fits into the narrowest drawing. */
import { scaleLinear } from "d3-scale";
import { bothEndsOf } from "../../print/fit.js";
import { number } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { html } from "../markup.js";
import type { PlotDrawing } from "./figure.js";

const ROW = 34;
const BAR = 8;
const THINNEST = 1.5;
/** Pixels of a character (about), and the characters that a figure beside the name may take. */
const [CHARACTER, FIGURE] = [6.3, 6];

export interface NamedBar {
  name: string;
  count: number;
  /** What stands at the end of the line; the count unless given. */
  figure?: string;
}

/** @param kind the class of bars, which gives them their colour. @param whole what a full bar stands for; the longest unless given. */
export function drawNamedBars(
  bars: readonly NamedBar[],
  kind: string,
  width: number,
  whole = Math.max(...bars.map(({ count }) => count)),
): PlotDrawing {
  const x = scaleLinear([0, whole], [0, width]);
  const marks = bars.map(({ name, count, figure = number(count) }, at) => {
    const top = at * ROW;
    const room = Math.floor(width / CHARACTER) - Math.max(FIGURE, figure.length + 1);
    return html`<text x="0" y="${top + 15}">${bothEndsOf(name, room, visible)}</text>
<text class="figure" x="${width}" y="${top + 15}" text-anchor="end">${figure}</text>
<rect class="track" x="0" y="${top + 20}" width="${width}" height="${BAR}" rx="2"/>
<rect class="${kind}" x="0" y="${top + 20}" width="${Math.max(THINNEST, x(count)).toFixed(1)}" height="${BAR}" rx="2"/>
`;
  });
  return { height: bars.length * ROW, marks };
}
