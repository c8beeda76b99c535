/** The table of hosts on a terminal: one block a host where its columns would not fit. */
import { COLUMNS, rowOf } from "../hosts/rows.js";
import { TARGETS } from "../hosts/targets.js";
import type { Paint } from "../print/style.js";

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
