/**
 * Makes foreign text safe in Markdown by putting all of it into code spans. In one, renderers ignore emphasis, links,
 * images, HTML and entities, and GitHub ignores mentions, issue numbers, commits, addresses and emoji. Two characters can
 * end one early: a backtick, and the `|` that ends a table cell.
 */
import { visible } from "../../print/text.js";
import { firstOf } from "../fit.js";

const LONGEST = 200;

/** Any text as a code span, cut to a length that fits into a table. */
export function code(text: string): string {
  return span(firstOf(text, LONGEST, visible));
}

/** A code span of text that is already short and escaped for printing, as excerpts are. */
export function span(text: string): string {
  // In a table's code span, `\|` means `|`. Renderers disagree about `\\|`, so after a backslash `|` is written as a JSON
  // escape; so is a backtick, everywhere.
  const escaped = text.replaceAll("`", "\\u0060").replace(/(?<=\\)\|/g, "\\u007c");
  return `\`${escaped.replaceAll("|", "\\|") || " "}\``;
}

/** A row of a table. Its cells must already be Markdown. */
export function markdownRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** @param aligned `---` or `---:` for each column. */
export function markdownTable(titles: readonly string[], aligned: readonly string[], rows: readonly string[]): string {
  return `\n${markdownRow(...titles)}${markdownRow(...aligned)}${rows.join("")}`;
}
