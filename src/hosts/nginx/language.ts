/** The syntax of nginx: blocks, maps, patterns and values, each with the escapes that its place needs. */

/** Computes the variable `to` from `source`, by the first row that matches. */
export function nginxMap(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  return nginxBlock(`map ${source} $${to}`, [
    `default ${otherwise};`,
    ...rows.map(([from, value]) => `${from} ${value};`),
  ]);
}

export function nginxBlock(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** The variable that has the value of a header. */
export function headerVariable(header: string, key: string): string {
  return `${key}_${header.toLowerCase().replaceAll("-", "_")}`;
}

export function nginxPattern(text: string, kind: "~" | "~*" | "" = "~"): string {
  return `"${kind}${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A value between double quotes, in which nginx reads variables. */
export function quoteNginx(text: string, key: string): string {
  return nginxWord(text).replaceAll("$", () => `$${`{${key}_dollar}`}`);
}

/** A text between double quotes, where nginx reads no variables. */
export function nginxWord(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
