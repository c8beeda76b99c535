/** Templates for HTML and SVG. They escape everything that is put in, except the results of other templates. */
import { visible } from "../../print/text.js";

/** Markup that needs no escaping. */
export class Markup {
  constructor(readonly source: string) {}
}

/** Markup and lists of it are put in as they are, `undefined` as nothing, all else as text. */
type Part = Markup | readonly Markup[] | string | number | undefined;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes texts for elements and quoted attributes, and makes invisible characters visible. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(sourceOf)));
}

function sourceOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.source;
  if (typeof part === "object") return part.map(({ source }) => source).join("");
  return visible(String(part)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** A plot of the report. */
export interface Plot {
  /** Unique in the page. */
  id: string;
  title: string;
  /** A sentence or two about what the plot shows. */
  sentence: string;
  /** Either a table that shows all of it, or drawings. */
  shown: Markup | Drawings;
}

export interface Drawings {
  /** In pixels, widest first. Text in SVG does not wrap, so there are several drawings, and the style shows one that fits. */
  widths: readonly number[];
  draw(width: number): PlotDrawing;
  figures: { head: readonly string[]; rows: readonly (readonly (string | number)[])[] };
}

export interface PlotDrawing {
  height: number;
  marks: readonly Markup[];
}
