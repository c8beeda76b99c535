/** The syntax of nginx: blocks, maps, patterns and values, each with the escapes that its place needs. */

/** Computes the variable `to` from `source`, by the first row that matches. */
export function map(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  return block(`map ${source} $${to}`, [`default ${otherwise};`, ...rows.map(([from, value]) => `${from} ${value};`)]);
}

export function block(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), "}"];
}

export function preflightVariable(header: string, key: string): string {
  return `${key}_${header.toLowerCase().replaceAll("-", "_")}`;
}

export function pattern(text: string, kind: "~" | "~*" | "" = "~"): string {
  return `"${kind}${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A value between double quotes, in which nginx reads variables. */
export function quote(text: string, key: string): string {
  return word(text).replaceAll("$", () => `$${`{${key}_dollar}`}`);
}

/** A text between double quotes, where nginx reads no variables. */
export function word(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
