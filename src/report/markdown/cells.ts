/** Text in Markdown that stays text: every foreign character stands in a code span, where nothing has a meaning. */
import { visible } from "../../print/text.js";
import { firstOf } from "../fit.js";

// In a code span no renderer sees emphasis, links, images, HTML or entities, and GitHub looks for no names, numbers,
// commits, addresses or emoji. Two characters can end one early: a backtick, and the `|` that ends a table's cell.

const LONGEST = 200;

/** Text of any kind, cut to a length that a table bears; safe in a cell and outside. */
export function code(text: string): string {
  return span(firstOf(text, LONGEST, visible));
}

/** Text that is safe to print and short already, as excerpts are. */
export function span(text: string): string {
  return `\`${escapeMarks(text === "" ? " " : text)}\``;
}

/**
 * A `\|` is a `|` in a table's code span. Renderers differ in what they make of `\\|`, so after a backslash it stands
 * as JSON would escape it; and so does the backtick, everywhere.
 */
function escapeMarks(text: string): string {
  return text
    .replaceAll("`", "\\u0060")
    .replace(/(?<=\\)\|/g, "\\u007c")
    .replaceAll("|", "\\|");
}

/** A row of a table; its cells are Markdown already. */
export function markdownRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** @param aligned `---` or `---:` a column. */
export function markdownTable(titles: readonly string[], aligned: readonly string[], rows: readonly string[]): string {
  return `\n${markdownRow(...titles)}${markdownRow(...aligned)}${rows.join("")}`;
}
