/** Figures of a page: a title, a sentence, and a table with bars or a chart. */
import { number } from "../../../core/print/numbers.js";
import { breakable, html, Markup } from "../markup.js";

export interface Figure {
  /** Unique in the page. */
  id: string;
  title: string;
  /** A sentence or two about what it shows. */
  sentence: string;
  /** A table or a chart. */
  shown: Markup;
}

/** The section with all figures. */
export function figuresSection(figures: readonly Figure[]): Markup {
  return html`<section class="figures" aria-labelledby="figures-title">
<h2 id="figures-title">At a glance</h2>
${figures.map(figure)}</section>
`;
}

function figure({ id, title, sentence, shown }: Figure): Markup {
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3><p>${sentence}</p></figcaption>
${shown}</figure>
`;
}

export interface Table {
  head: readonly string[];
  rows: readonly (readonly (Markup | string | number)[])[];
  /** The number of a full bar. Without it, numbers have no bars. */
  whole?: number;
}

/** A table that scrolls. @param label the attribute that names it. */
export function htmlTable(label: Markup, { head, rows, whole }: Table): Markup {
  const headCell = (name: string) => html`<th scope="col">${name}</th>`;
  const row = (cells: Table["rows"][number]) =>
    html`<tr>${cells.map((value, column) => cell(value, column, whole))}</tr>\n`;
  return html`<div class="scroll" tabindex="0" role="group" ${label}><table><thead><tr>${head.map(headCell)}</tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>
`;
}

function cell(value: Markup | string | number, column: number, whole: number | undefined): Markup {
  const shown = value instanceof Markup ? value : breakable(String(value));
  if (column === 0) return html`<th scope="row">${shown}</th>`;
  if (typeof value !== "number") return html`<td>${shown}</td>`;
  // The number beside the bar says the same.
  const bar = whole && html`<meter max="${whole}" value="${value}" aria-hidden="true"></meter>`;
  return html`<td class="number">${number(value)}${bar || undefined}</td>`;
}
