/** The syntax of a Caddyfile: blocks, maps, patterns and values, each with the escapes that its place needs. */
import { usageError } from "../../errors.js";
import { literal } from "../rules/patterns.js";

export function caddyBlock(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...indent(lines), "}"];
}

/** Computes the placeholder `to` from `source`, by the first row that matches. */
export function caddyMap(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  const lines = rows.map(([from, value]) => `${from} ${value}`);
  return [`map ${source} {${to}} {`, ...indent([...lines, `default ${otherwise}`]), "}"];
}

/** The text that a group of a pattern has matched. */
export function group(number: number): string {
  return `$${`{${number}}`}`;
}

export function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? line : `\t${line}`));
}

/** A pattern that matches only this text; Go's expressions have letters where `literal` has bytes. */
export function letters(text: string): string {
  return [...text]
    .map((letter) => (letter > "\x7f" ? `\\x{${letter.codePointAt(0)?.toString(16)}}` : literal(letter)))
    .join("");
}

export function caddyPattern(text: string): string {
  return caddyWord(`~${text}`);
}

/** A value without placeholders. */
export function quoteCaddy(text: string): string {
  return caddyWord(literally(text));
}

/** Escapes what would be a placeholder, anywhere in a value. */
export function literally(text: string): string {
  return text.replaceAll("{", "\\{");
}

/** One word of a Caddyfile, in which placeholders are replaced. @throws UserError (usage) for a variable of the environment. */
export function caddyWord(text: string): string {
  // Caddy replaces these before it reads anything, quoted or not.
  if (text.includes("{$"))
    throw usageError(`A Caddyfile cannot hold ${JSON.stringify(text)}: it would read {$...} as a variable.`);
  if (/^[\w.:/$-]+$/.test(text)) return text;
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}
