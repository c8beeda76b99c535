/** Names and values as SQL. */

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  // SQLite would stop reading at a NUL.
  if (text.includes("\0")) return `CAST(x'${Buffer.from(text).toString("hex")}' AS TEXT)`;
  return `'${text.replaceAll("'", "''")}'`;
}

/** A constant of a contract as a column would hold it. */
export function quoteValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  return quoteText(typeof value === "string" ? value : JSON.stringify(value));
}

/** A name of a column in the one case in which SQLite compares it: letters of ASCII alone have two. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
