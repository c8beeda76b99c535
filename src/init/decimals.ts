/** Finds by which decimal mark the numbers of a column are read: its own, one that the user gave, or that of other columns. */
import { usageError } from "../core/errors.js";
import { listed, shellWord } from "../core/print/text.js";
import { toDecimal } from "../core/settings/kinds.js";
import { bothReadings, type Mark, OTHER_MARK } from "../core/source/decimals.js";
import type { ColumnTally } from "./tally.js";

/** How the numbers of a column are read. */
export interface DecimalReading {
  /** The decimal mark; undefined if the column has none, or nothing tells what its mark means. */
  mark?: Mark | undefined;
  /** Whether the user gave the mark. */
  isGiven?: boolean;
  /** Why the numbers may be read in two ways, as a sentence with what to pass. */
  doubt?: string;
  /** Whether the file seems to have decimal commas, so that `1.234` may be 1234. */
  hasCommas?: boolean;
  /** Whether another column shows its decimal mark. */
  isShown?: boolean;
  /** Another column that has the other decimal mark, as a part of a sentence with what to pass. */
  contradiction?: string;
}

/** A number of a column that shows its decimal mark. */
interface Shown {
  column: string;
  text: string;
}

/** Makes the function that finds the reading of a column among all of a table or a file. @param given as `--decimal` has it */
export function decimalReader(
  columns: readonly ColumnTally[],
  separator: string | undefined,
  given: readonly string[],
): (tally: ColumnTally) => DecimalReading {
  const marks = new Map(given.map(toDecimal).map(({ column, mark }) => [column, mark]));
  return (tally) => {
    const { column, decimals } = tally;
    const own = marks.get(column) ?? marks.get(undefined);
    if (own !== undefined) return { mark: own, isGiven: true };
    const shownBy = (mark: Mark): Shown | undefined => findShown(columns, mark, tally);
    if (decimals.mark !== undefined) {
      const other = shownBy(OTHER_MARK[decimals.mark]);
      const text = decimals.sure[decimals.mark] ?? "";
      if (other === undefined) return { mark: decimals.mark };
      const marked = `${quoted(text)} has a decimal ${NAMES[decimals.mark]}, and ${describe(other)} a decimal ${NAMES[OTHER_MARK[decimals.mark]]}`;
      return { mark: decimals.mark, contradiction: `${marked}: ${flag(column, decimals.mark)}` };
    }
    const { ambiguous } = decimals;
    if (!ambiguous) return {};
    const comma = shownBy(",");
    const point = shownBy(".");
    const isShown = comma !== undefined || point !== undefined;
    const hasCommas = comma !== undefined || (separator === ";" && point === undefined);
    const settled = comma && point ? undefined : comma ? "," : point ? "." : undefined;
    const both =
      comma && point ? `, as ${describe(comma)} has a decimal comma, and ${describe(point)} a decimal point` : "";
    const doubt = `${quoted(ambiguous.text)} may be ${bothReadings(ambiguous.text)}${both}: ${flag(column, ",")} or ${flag(column, ".")}`;
    return { mark: settled, doubt, hasCommas, isShown };
  };
}

const NAMES: Readonly<Record<Mark, string>> = { ".": "point", ",": "comma" };

/** The first other column with a decimal mark. A column of points counts only if it is a column of numbers, not of versions. */
function findShown(columns: readonly ColumnTally[], mark: Mark, except: ColumnTally): Shown | undefined {
  const found = columns.find(
    (tally) => tally !== except && tally.decimals.mark === mark && (mark === "," || tally.isNumeric),
  );
  return found && { column: found.column, text: found.decimals.sure[mark] ?? "" };
}

function describe({ column, text }: Shown): string {
  return `${quoted(text)} in ${column}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The flag that settles a column. */
function flag(column: string, mark: Mark): string {
  return `--decimal ${shellWord(`${column}=${mark}`)}`;
}

/** @throws UserError (usage) if `--decimal` names a column that does not exist */
export function requireDecimalColumns(given: readonly string[], columns: readonly string[]): void {
  const missing = given.map(toDecimal).find(({ column }) => column !== undefined && !columns.includes(column));
  if (missing)
    throw usageError(
      `--decimal names the column ${missing.column}, which does not exist; there are ${listed(columns)}.`,
    );
}
