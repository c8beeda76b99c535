/** Tables without borders, whose columns fit their text. */
import Table from "cli-table3";

type Align = "left" | "right";

/** @param columns the head of each column, and the side that it is aligned to. */
export function table(columns: readonly (readonly [head: string, align: Align])[], rows: readonly string[][]): string {
  const made = new Table({
    head: columns.map(([head]) => head),
    colAligns: columns.map(([, align]) => align),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  made.push(...rows);
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};
