/** The plots of a diff, drawn as SVG while the report is written: the page itself draws nothing. */
import type { Diff } from "../../diff/change.js";
import { countJoins } from "./joins.js";
import { html, type Markup } from "./markup.js";
import { fieldsPlot } from "./plots/fields.js";
import { flowPlot } from "./plots/flow.js";
import { figure, type Plot } from "./plots/frame.js";
import { joinsPlot } from "./plots/joins.js";

/** The section of plots; those that would be empty are left out. */
export async function plots(diff: Diff): Promise<Markup> {
  const drawn: Plot[] = [];
  if (diff.fields.size > 0) drawn.push(fieldsPlot(diff));
  if (diff.flow.length > 0) drawn.push(flowPlot(diff));
  if (diff.added + diff.removed > 0) drawn.push(joinsPlot(await countJoins(diff)));
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${drawn.map(figure)}
</section>
`;
}
