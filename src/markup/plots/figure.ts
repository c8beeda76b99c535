/** A plot as HTML: title, description, drawings in several widths, and a table of its figures. */
import { number } from "../../print/numbers.js";
import { html, Markup } from "../markup.js";

/** A plot of a page. */
export interface Plot {
  /** Unique in the page. */
  id: string;
  title: string;
  /** A sentence or two about what the plot shows. */
  sentence: string;
  /** A table, or drawings with a table of their figures. */
  shown: Markup | Drawings;
}

export interface Figures {
  head: readonly string[];
  rows: readonly (readonly (Markup | string | number)[])[];
  /** The number of a full bar. Without it, numbers have no bars. */
  whole?: number;
}

interface Drawings {
  /** In pixels, widest first. Text in SVG does not wrap, so CSS shows the drawing that fits. */
  widths: readonly number[];
  draw(width: number): PlotDrawing;
  figures: Figures;
}

export interface PlotDrawing {
  height: number;
  marks: readonly Markup[];
}

/** Makes the HTML of a plot. */
export function figure(plot: Plot): Markup {
  const { id, title, sentence, shown } = plot;
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3><p>${sentence}</p></figcaption>
${shown instanceof Markup ? shown : drawings(id, title, shown)}</figure>
`;
}

/** The drawings of a plot, and a table of its figures for accessibility. */
function drawings(id: string, title: string, { widths, draw, figures }: Drawings): Markup {
  return html`${widths.map((width) => drawing(id, width, draw(width)))}
${figuresBelow(title, figures)}`;
}

/** The table of a picture's figures, closed at first. */
export function figuresBelow(title: string, figures: Figures): Markup {
  return html`<details><summary>Figures<span class="hidden"> of ${title}</span></summary>
${figuresTable(html`aria-label="Figures of ${title}"`, figures)}</details>
`;
}

/** A table that scrolls. @param label the attribute that names it. */
export function figuresTable(label: Markup, { head, rows, whole }: Figures): Markup {
  const row = (cells: Figures["rows"][number]) =>
    html`<tr>${cells.map((value, column) => cell(value, column, whole))}</tr>\n`;
  return html`<div class="figures" tabindex="0" role="group" ${label}><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>`;
}

function drawing(id: string, width: number, { height, marks }: PlotDrawing): Markup {
  return html`<svg class="w${width}" role="img" aria-labelledby="${id}-title" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${marks}</svg>
`;
}

function cell(value: Markup | string | number, column: number, whole: number | undefined): Markup {
  if (column === 0) return html`<th scope="row">${value}</th>`;
  if (typeof value !== "number") return html`<td>${value}</td>`;
  // The number beside the bar says the same.
  const bar = whole && html`<meter max="${whole}" value="${value}" aria-hidden="true"></meter>`;
  return html`<td class="number">${number(value)}${bar || undefined}</td>`;
}
