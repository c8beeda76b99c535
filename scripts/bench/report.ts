/** Figures as a person reads them. */
import Table from "cli-table3";
import type { Row } from "./build.js";

/** One table of all builds; the ratio is to `rollcall build` of the same size, round by round. */
export function buildTable(rows: readonly Row[]): string {
  const table = new Table({
    head: ["users", "program", "seconds", "min-max", "time / rollcall", "peak memory"],
    style: { head: [], border: [], compact: true },
    colAligns: ["right", "left", "right", "right", "right", "right"],
  });
  for (const { users, contestant, seconds, ratio, memory } of rows) {
    table.push([
      users.toLocaleString("en"),
      contestant,
      seconds.median.toFixed(2),
      `${seconds.min.toFixed(2)}-${seconds.max.toFixed(2)}`,
      ratio.toFixed(2),
      `${Math.round(memory)} MiB`,
    ]);
  }
  return table.toString();
}
