import { isRecord, type Session } from "./session.js";

/** Checks the form of JSON text, which a parser does not show, after every string was made empty. */
export function checkText(session: Session, name: string, content: string, value: unknown, records: number): void {
  const bare = content.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '""');
  session.check(/[^\n]\n$/.test(bare), "JSON text", `${name}: does not end with exactly one newline`);
  const keys = sortedKeys(value);
  session.check(keys >= 0, "JSON text", `${name}: keys are not sorted`);
  const written = bare.match(/""\s*:/g)?.length ?? 0;
  session.check(keys < 0 || keys === written, "JSON text", `${name}: a key is given twice`);
  const numbers = bare.match(/-?\d[\d.eE+-]*/g) ?? [];
  const odd = numbers.find((number) => !/^(0|-?[1-9]\d*)$/.test(number));
  session.check(odd === undefined, "JSON text", `${name}: ${odd} is not how an integer is written`);
  let depth = 0;
  const starts: number[] = [];
  bare.split("\n").forEach((line, at) => {
    session.check(depth < 3, "JSON text", `${name}: a record goes on in line ${at + 1}`);
    for (const letter of line) {
      if (letter === "{" && depth === 2) starts.push(at);
      if (letter === "{" || letter === "[") depth += 1;
      if (letter === "}" || letter === "]") depth -= 1;
      if (depth > 2 && /\s/.test(letter)) session.note("JSON text", `${name}: white space in line ${at + 1}`);
    }
  });
  session.check(new Set(starts).size === records, "JSON text", `${name}: not one record per line`);
}

/** How many keys a value has at every depth; negative when some are out of order. */
function sortedKeys(value: unknown): number {
  if (Array.isArray(value)) return total(value.map(sortedKeys));
  if (!isRecord(value)) return 0;
  const keys = Object.keys(value);
  const ordered = keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key);
  return ordered ? total([keys.length, ...Object.values(value).map(sortedKeys)]) : -1;
}

function total(counts: number[]): number {
  return counts.some((count) => count < 0) ? -1 : counts.reduce((sum, count) => sum + count, 0);
}
