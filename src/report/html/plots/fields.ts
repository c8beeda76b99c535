/** A bar for each field: in how many records it changed, longest first. */
import { scaleLinear } from "d3-scale";
import type { Diff } from "../../../diff/change.js";
import { count, number } from "../../../print/numbers.js";
import { capital, visible } from "../../../print/text.js";
import { bothEndsOf } from "../../fit.js";
import type { Subject } from "../../subject.js";
import { writePath } from "../../value.js";
import { html, type Plot, type PlotDrawing } from "../markup.js";

/** The table of figures has the other fields. */
const MOST_BARS = 12;
const ROW = 34;
const BAR = 8;
/** Pixels of a character (about), and the characters that a figure beside the name may take. */
const [CHARACTER, FIGURE] = [6.3, 6];

export function fieldsPlot({ fields, changed }: Diff, { words: [one, many] }: Subject): Plot {
  const all = [...fields].map(([path, records]) => [writePath(path), records] as const);
  const shown = all.slice(0, MOST_BARS);
  const rest = all.length - shown.length;
  const of = `${capital(many)} whose value differs, of ${count(changed, [`changed ${one}`, `changed ${many}`])}.`;
  return {
    id: "fields",
    title: "Changes by field",
    sentence: rest === 0 ? of : `${of} ${count(rest, "rarer field")} not drawn.`,
    shown: {
      widths: [520, 340],
      draw: (width) => drawBars(shown, width),
      figures: { head: ["Field", capital(many)], rows: all },
    },
  };
}

/** The name and figure are above their bar, so that the longest path fits into the narrowest drawing. */
function drawBars(fields: readonly (readonly [path: string, records: number])[], width: number): PlotDrawing {
  const height = fields.length * ROW;
  const most = Math.max(...fields.map(([, records]) => records));
  const x = scaleLinear([0, most], [0, width]);
  const room = Math.floor(width / CHARACTER) - FIGURE;
  const marks = fields.map(([path, records], at) => {
    const top = at * ROW;
    return html`<text x="0" y="${top + 15}">${bothEndsOf(path, room, visible)}</text>
<text class="figure" x="${width}" y="${top + 15}" text-anchor="end">${number(records)}</text>
<rect class="track" x="0" y="${top + 20}" width="${width}" height="${BAR}" rx="2"/>
<rect class="changed" x="0" y="${top + 20}" width="${Math.max(1.5, x(records)).toFixed(1)}" height="${BAR}" rx="2"/>
`;
  });
  return { height, marks };
}
