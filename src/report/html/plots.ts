/** The plots of a diff. They are drawn as SVG while the report is written. */
import type { Diff } from "../../diff/change.js";
import { number } from "../../print/numbers.js";
import { movesByFacet } from "../facts.js";
import type { Subjects } from "../subject.js";
import { type Drawings, html, Markup, type Plot, type PlotDrawing } from "./markup.js";
import { fieldsPlot } from "./plots/fields.js";
import { flowPlot } from "./plots/flow.js";
import { timesPlot } from "./plots/times.js";
import { countTimes } from "./times.js";

/** The section with all plots, except those that would be empty. */
export async function plots(diff: Diff, subjects: Subjects): Promise<Markup> {
  const drawn: Plot[] = [];
  if (diff.fields.size > 0) drawn.push(fieldsPlot(diff, subjects.changed));
  for (const [path, flow] of movesByFacet(diff)) {
    const flows = drawn.filter(({ id }) => id.startsWith("flow")).length;
    drawn.push(flowPlot(path, flow, subjects.changed, flows + 1));
  }
  const times = await timesOf(diff, subjects);
  if (times) drawn.push(times);
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${drawn.map(figure)}
</section>
`;
}

/** By the contract of the new snapshot; undefined where it has no time, or nobody who came or went has one. */
async function timesOf(diff: Diff, subjects: Subjects): Promise<Plot | undefined> {
  const { time } = subjects.added;
  if (time === undefined || diff.added + diff.removed === 0) return undefined;
  const times = await countTimes(diff, time);
  return times.bins.length === 0 ? undefined : timesPlot(times, subjects.added, time);
}

function figure(plot: Plot): Markup {
  const { id, title, sentence, shown } = plot;
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3><p>${sentence}</p></figcaption>
${shown instanceof Markup ? shown : drawings(id, title, shown)}</figure>
`;
}

/** The drawings of a plot, and its figures as a table for people who cannot see them. */
function drawings(id: string, title: string, { widths, draw, figures }: Drawings): Markup {
  return html`${widths.map((width) => drawing(id, width, draw(width)))}
<details><summary>Figures<span class="hidden"> of ${title}</span></summary>
<div class="figures" tabindex="0" role="group" aria-label="Figures of ${title}"><table><thead><tr>${figures.head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${figures.rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody></table></div></details>
`;
}

function drawing(id: string, width: number, { height, marks }: PlotDrawing): Markup {
  return html`<svg class="w${width}" role="img" aria-labelledby="${id}-title" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${marks}</svg>
`;
}

function cell(value: string | number, column: number): Markup {
  if (column === 0) return html`<th scope="row">${value}</th>`;
  return typeof value === "number" ? html`<td class="number">${number(value)}</td>` : html`<td>${value}</td>`;
}
