/** What every plot has around it: a title, a sentence, drawings for several widths, and its figures as a table. */
import { number } from "../../../print/numbers.js";
import { html, type Markup } from "../markup.js";

export interface Plot {
  /** Unique in the page. */
  id: string;
  title: string;
  /** What is to be seen, in a sentence or two. */
  sentence: string;
  /** In pixels, widest first: text in SVG neither wraps nor grows, so the style picks the drawing that fits. */
  widths: readonly number[];
  draw(width: number): Drawing;
  figures: { head: readonly string[]; rows: readonly (readonly (string | number)[])[] };
}

export interface Drawing {
  height: number;
  marks: readonly Markup[];
}

/** The plot as a figure. Who does not see the drawing reads the sentence and the table. */
export function figure({ id, title, sentence, widths, draw, figures }: Plot): Markup {
  return html`<figure id="${id}">
<figcaption><h3 id="${id}-title">${title}</h3><p>${sentence}</p></figcaption>
${widths.map((width) => drawing(id, width, draw(width)))}
<details><summary>Figures<span class="hidden"> of ${title}</span></summary>
<div class="figures" tabindex="0" role="group" aria-label="Figures of ${title}"><table><thead><tr>${figures.head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${figures.rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody></table></div></details>
</figure>
`;
}

function drawing(id: string, width: number, { height, marks }: Drawing): Markup {
  return html`<svg class="w${width}" role="img" aria-labelledby="${id}-title" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${marks}</svg>
`;
}

function cell(value: string | number, column: number): Markup {
  if (column === 0) return html`<th scope="row">${value}</th>`;
  return typeof value === "number" ? html`<td class="number">${number(value)}</td>` : html`<td>${value}</td>`;
}
