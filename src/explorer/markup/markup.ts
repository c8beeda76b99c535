/** Templates for HTML and SVG. They escape all values except results of other templates. */
import { BREAKS, toJson, visible } from "../../core/print/text.js";

/** Markup that needs no escaping. */
export class Markup {
  constructor(readonly source: string) {}
}

/** Values of templates: markup is inserted unescaped, `undefined` as nothing, anything else as text. */
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

/** A text whose lines may break between its words. */
export function breakable(text: string): Markup {
  return html`${text.split(BREAKS).map((part, at) => html`${at === 0 ? undefined : html`<wbr>`}${part}`)}`;
}

/** Writes JSON for a script element, which it cannot close. Invisible characters are escaped. */
export function jsonForScript(value: unknown): Markup {
  return new Markup(toJson(value).replaceAll("<", "\\u003c"));
}

/**
 * The beginning of a web page, up to its title. Its Content-Security-Policy, which must come first, allows what `sources` name
 * and nothing else: no form targets, and no conversion of text to markup.
 * @param sources directives: `style-src 'self'`
 */
export function pageHead(title: string, sources: readonly string[]): Markup {
  const policy = [
    "default-src 'none'",
    ...sources,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
`;
}
