/** HTML and SVG from templates in which whatever is put in is text, unless it was made by a template itself. */
import { visible } from "../../print/text.js";

/** Markup that is safe as it stands. */
export class Markup {
  constructor(readonly source: string) {}
}

/** What a template takes: markup as it is, lists of it in a row, nothing for `undefined`, and all else as text. */
type Part = Markup | readonly Markup[] | string | number | undefined;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup from a template: texts become text, in an element or a quoted attribute, with nothing invisible in them. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(sourceOf)));
}

function sourceOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.source;
  if (typeof part === "object") return part.map(({ source }) => source).join("");
  return visible(String(part)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
