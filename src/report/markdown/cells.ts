/**
 * Makes foreign text safe in Markdown by putting all of it into code spans. In one, renderers ignore emphasis, links,
 * images, HTML and entities, and GitHub ignores mentions, issue numbers, commits, addresses and emoji. Two characters can
 * end one early: a backtick, and the `|` that ends a table cell.
 */

import { firstOf } from "../../print/fit.js";
import { number, type Words, wordFor } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { RIGHT_TO_LEFT } from "../value.js";

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

/** Longer ones fill a comment with what nobody reads. */
const LONGEST_ADDRESS = 2000;

/** Markdown as a link. @param address as `URL.href` and `recordAddress` write it, in which `|` is what could still end a cell. */
export function linked(markdown: string, address: string): string {
  return address.length > LONGEST_ADDRESS ? markdown : `[${markdown}](<${address.replaceAll("|", "%7C")}>)`;
}

/** Words of letters alone. Among other characters, renderers look for markup, links and names of users. */
const PLAIN = /^[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)*$/u;

/** A contract's word as text, or as a code span where it may be taken for more, or turn what stands beside it. */
export function word(text: string): string {
  return PLAIN.test(text) && text.length <= LONGEST && !RIGHT_TO_LEFT.test(text) ? text : code(text);
}

/** `1,204 stations` */
export function counted(value: number, words: Words): string {
  return `${number(value)} ${word(wordFor(value, words))}`;
}

/** As many rows as take no more characters than this, and how many are left. */
export function fitting(rows: readonly string[], room: number): { shown: readonly string[]; rest: number } {
  let used = 0;
  const end = rows.findIndex(({ length }) => {
    used += length;
    return used > room;
  });
  const shown = rows.slice(0, end === -1 ? rows.length : end);
  return { shown, rest: rows.length - shown.length };
}

/** A row of a table. Its cells must already be Markdown. */
export function markdownRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** @param aligned `---` or `---:` for each column. */
export function markdownTable(titles: readonly string[], aligned: readonly string[], rows: readonly string[]): string {
  return `\n${markdownRow(...titles)}${markdownRow(...aligned)}${rows.join("")}`;
}
