/** A bar for each field: in how many users it changed, longest first. */
import { scaleLinear } from "d3-scale";
import type { Diff } from "../../../diff/change.js";
import { count, number } from "../../../print/numbers.js";
import { html, type Plot, type PlotDrawing } from "../markup.js";

/** The table of figures has the other fields. */
const MOST_BARS = 12;
const ROW = 34;
const BAR = 8;

export function fieldsPlot({ fields, changed }: Diff): Plot {
  const all = [...fields];
  const shown = all.slice(0, MOST_BARS);
  const rest = all.length - shown.length;
  const of = `Users in whom a field differs, of ${count(changed, "changed user")}.`;
  return {
    id: "fields",
    title: "Changes by field",
    sentence: rest === 0 ? of : `${of} ${count(rest, "rarer field")} not drawn.`,
    shown: {
      widths: [520, 340],
      draw: (width) => drawBars(shown, width),
      figures: { head: ["Field", "Users"], rows: all },
    },
  };
}

/** The name and figure are above their bar, so that the longest path fits into the narrowest drawing. */
function drawBars(fields: readonly (readonly [path: string, users: number])[], width: number): PlotDrawing {
  const height = fields.length * ROW;
  const most = Math.max(...fields.map(([, users]) => users));
  const x = scaleLinear([0, most], [0, width]);
  const marks = fields.map(([path, users], at) => {
    const top = at * ROW;
    return html`<text x="0" y="${top + 15}">${path}</text>
<text class="figure" x="${width}" y="${top + 15}" text-anchor="end">${number(users)}</text>
<rect class="track" x="0" y="${top + 20}" width="${width}" height="${BAR}" rx="2"/>
<rect class="changed" x="0" y="${top + 20}" width="${Math.max(1.5, x(users)).toFixed(1)}" height="${BAR}" rx="2"/>
`;
  });
  return { height, marks };
}
