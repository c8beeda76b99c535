/** The table of hosts on a terminal: one block a host where its columns would not fit. */
import { COLUMNS, rowOf } from "../hosts/rows.js";
import { SHORTFALLS } from "../hosts/shortfalls.js";
import { TARGETS } from "../hosts/targets.js";
import type { Paint } from "../print/style.js";

/** Every host's cells by the names of the columns, and what it cannot do. */
export function hostRows(): Record<string, unknown>[] {
  return TARGETS.map((target) => ({
    ...Object.fromEntries(rowOf(target).map((cell, at) => [COLUMNS[at] ?? "", cell])),
    shortfalls: SHORTFALLS[target.name] ?? {},
  }));
}

export function describeHosts(paint: Paint): string {
  const width = Math.max(...COLUMNS.map((name) => name.length));
  const blocks = TARGETS.map((target) => {
    const [name = "", ...cells] = rowOf(target);
    const lines = cells.map(
      (cell, at) => `  ${paint("dim", (COLUMNS[at + 1] ?? "").padEnd(width))}  ${cell}`,
    );
    return [`${paint("bold", name)}  ${target.title}`, ...lines].join("\n");
  });
  return blocks.join("\n\n");
}
