/** The words of a Caddyfile: blocks, maps, patterns and values, each escaped for where it stands. */
import { usageError } from "../../errors.js";
import { literal } from "../rules/patterns.js";

export function block(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...indent(lines), "}"];
}

/** A placeholder `to` that is worked out from `source` by the first row that fits. */
export function map(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  const lines = rows.map(([from, value]) => `${from} ${value}`);
  return [`map ${source} {${to}} {`, ...indent([...lines, `default ${otherwise}`]), "}"];
}

/** What a group of a pattern has found. */
export function group(number: number): string {
  return `$${`{${number}}`}`;
}

export function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? line : `\t${line}`));
}

/** A text that is meant letter by letter; Go's expressions know letters, not bytes. */
export function letters(text: string): string {
  return [...text]
    .map((letter) => (letter > "\x7f" ? `\\x{${letter.codePointAt(0)?.toString(16)}}` : literal(letter)))
    .join("");
}

export function pattern(text: string): string {
  return caddyWord(`~${text}`);
}

/** A value that Caddy takes letter by letter. */
export function quoteCaddy(text: string): string {
  return caddyWord(literally(text));
}

/** Placeholders are read in values wherever they stand. */
export function literally(text: string): string {
  return text.replaceAll("{", "\\{");
}

/** One word of a Caddyfile, in which placeholders are read. */
export function caddyWord(text: string): string {
  // The environment is put in before anything is read, quoted or not.
  if (text.includes("{$"))
    throw usageError(`A Caddyfile cannot hold ${JSON.stringify(text)}: it would read {$...} as a variable.`);
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}
