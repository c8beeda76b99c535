/** Formats tables without borders. */
import Table from "cli-table3";

type Column = readonly [head: string, align: "left" | "right"];

/** Formats a table whose columns fit their text. */
export function table(columns: readonly Column[], rows: readonly string[][]): string {
  const made = new Table({
    head: columns.map(([head]) => head),
    colAligns: columns.map(([, align]) => align),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  made.push(...rows);
  return made.toString().replace(/ +$/gm, "");
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
  right: "",
  "right-mid": "",
  mid: "",
  "mid-mid": "",
  middle: "",
};
