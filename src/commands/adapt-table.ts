/** The table of hosts on a terminal: one block a host where its columns would not fit. */

import { ADAPTERS } from "../adapters/adapters.js";
import { ADAPTER_COLUMNS, adapterRow } from "../adapters/table.js";
import type { Paint } from "../print/style.js";

export function describeAdapters(paint: Paint): string {
  const width = Math.max(...ADAPTER_COLUMNS.map((name) => name.length));
  const blocks = ADAPTERS.map((target) => {
    const [name = "", ...cells] = adapterRow(target);
    const lines = cells.map((cell, at) => `  ${paint("dim", (ADAPTER_COLUMNS[at + 1] ?? "").padEnd(width))}  ${cell}`);
    return [`${paint("bold", name)}  ${target.title}`, ...lines].join("\n");
  });
  return blocks.join("\n\n");
}
