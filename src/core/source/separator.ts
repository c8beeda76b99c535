/** Finds the separator of a CSV file from its first records. */
import { CsvError } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { readRows } from "./csv-rows.js";
import type { TextInput } from "./text-input.js";

/** Line ends, longest first: csv-parse takes the first that matches. */
const LINE_ENDS = ["\r\n", "\n", "\r"];
/** What a text in JavaScript can hold. */
export const MOST_CHARACTERS = 2 ** 29 - 24;

/** Options of csv-parse for reading a whole file. Rows may differ in length. */
export const WHOLE_FILE = {
  record_delimiter: LINE_ENDS,
  max_record_size: MOST_CHARACTERS,
  relax_column_count: true,
};

const SEPARATORS = [",", ";", "\t", "|"] as const;
const NAMES: Readonly<Record<string, string>> = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

/** Number of records to examine, and of characters that must hold them. */
const MOST_RECORDS = 20;
const MOST_READ = 1 << 20;

export interface Dialect {
  separator: string;
  /** The character around values that hold separators; null if quotes are characters like others. */
  quote: string | null;
  /** The line with the names of columns: 2 after Excel's `sep=;`. */
  firstLine: number;
  /** What a user should know about the choice, as a sentence. */
  note?: string;
}

/** Records of a file's beginning, as one separator splits them. */
interface Split {
  separator: string;
  rows: readonly (readonly string[])[];
  /** The line on which each row ends. */
  lines: readonly number[];
  /** The share of cells that are numbers or have no other separator in them. */
  clean: number;
  /** The share of cells that are numbers. */
  numbers: number;
}

/**
 * Finds how a CSV or TSV file is written.
 *
 * The separator of CSV is the one that splits all of the first records into the same number of columns, more than one. If
 * several do, it is the one with most cells that are numbers or texts without another separator, then with most numbers.
 * @throws UserError that names the line that differs, if a separator fits only some of the records
 */
export async function findDialect(input: TextInput): Promise<Dialect> {
  const { settings, format } = input;
  const start = await beginning(input);
  const [, named] = (format === "csv" && /^sep=([^\r\n])(?:\r\n|\n|\r)/i.exec(start)) || [];
  const firstLine = named === undefined ? 1 : 2;
  const separator = settings.separator ?? named ?? (format === "tsv" ? "\t" : undefined);
  if (separator !== undefined) {
    const quote = await findQuote(input, separator);
    return { separator, quote, firstLine };
  }
  const quote = await findQuote(input, ",");
  const splits = SEPARATORS.map((other) => split(start, other, quote, firstLine));
  const [best] = splits.filter(isEven).sort((one, other) => other.clean - one.clean || other.numbers - one.numbers);
  if (best) return { separator: best.separator, quote, firstLine };
  const uneven = splits.find(({ rows }) => isMostlyEven(rows)) ?? splits.find(({ rows }) => (rows[0]?.length ?? 0) > 1);
  if (uneven) throw unevenError(input, uneven);
  const one = { separator: unused(start), quote, firstLine };
  const note = noteOnOneColumn(input, splits);
  return note === undefined ? one : { ...one, note };
}

/** A note on a file of one column whose lines seem to have several. */
function noteOnOneColumn(input: TextInput, splits: readonly Split[]): string | undefined {
  const hidden = splits.find(({ rows }) => isMost(rows, (row) => row.length > 1));
  if (hidden)
    return `read as one column, though most lines have ${NAMES[hidden.separator]}; ${input.nameOf("separator")} names a separator`;
  const hasSpaces = isMost(splits[0]?.rows ?? [], ([cell = ""]) => /\S {2,}\S/.test(cell));
  return hasSpaces
    ? "read as one column, though most lines have runs of spaces; separate the columns by commas or tabs"
    : undefined;
}

function isMost(rows: Split["rows"], found: (row: readonly string[]) => boolean): boolean {
  return rows.filter(found).length > rows.length / 2;
}

/**
 * Finds whether quotes surround values. In TSV, they do only if every quoted value of the whole file is well-formed (RFC 4180).
 * @throws UserError with the line if such a value of TSV would join lines
 */
async function findQuote(input: TextInput, separator: string): Promise<string | null> {
  const { name, format, settings } = input;
  if (settings.quote !== undefined) return settings.quote === "none" ? null : settings.quote;
  if (format === "csv") return '"';
  let joined: number | undefined;
  try {
    await readRows(input.read(), { ...WHOLE_FILE, delimiter: separator }, (row, line) => {
      if (joined === undefined && row.some((cell) => /[\r\n]/.test(cell))) joined = line;
    });
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
  if (joined === undefined) return '"';
  throw new UserError(
    `${name}, line ${joined}: a quote joins several lines into one value. Pass ${input.wayToSet("quote", "none")} if quotes are characters like others, or ${input.wayToSet("quote", '"')} if they surround values.`,
  );
}

async function beginning(input: TextInput): Promise<string> {
  let text = "";
  for await (const piece of input.read()) {
    text += piece;
    // Without the last line, which may be incomplete.
    if (text.length >= MOST_READ) return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")));
  }
  return text;
}

function split(text: string, separator: string, quote: string | null, firstLine: number): Split {
  const rows: string[][] = [];
  const lines: number[] = [];
  try {
    parseSync(text, {
      delimiter: separator,
      record_delimiter: LINE_ENDS,
      quote,
      from_line: firstLine,
      relax_column_count: true,
      skip_records_with_empty_values: true,
      to: MOST_RECORDS,
      on_record(row: string[], context) {
        rows.push(row);
        lines.push(context.lines);
        return null;
      },
    });
  } catch (error) {
    // The records before the mistake tell enough. Reading the whole file reports the mistake.
    if (!(error instanceof CsvError)) throw error;
  }
  const cells = rows.slice(1).flat();
  const others = SEPARATORS.filter((other) => other !== separator);
  const isNumber = (cell: string) => VALUE.test(cell);
  const isClean = (cell: string) => isNumber(cell) || !others.some((other) => cell.includes(other));
  const share = (found: (cell: string) => boolean) => cells.filter(found).length / Math.max(1, cells.length);
  return { separator, rows, lines, clean: share(isClean), numbers: share(isNumber) };
}

/** Numbers, also with other marks for decimals and thousands. */
const VALUE = /^\s*[-+]?[0-9][0-9.,]*\s*$/;

function isEven({ rows }: Split): boolean {
  const [first] = rows;
  return first !== undefined && first.length > 1 && rows.every((row) => row.length === first.length);
}

function isMostlyEven(rows: Split["rows"]): boolean {
  const usual = usualWidth(rows);
  return usual > 1 && rows.filter((row) => row.length === usual).length > rows.length / 2;
}

/** The number of columns that most rows have. */
function usualWidth(rows: Split["rows"]): number {
  const widths = new Map<number, number>();
  for (const { length } of rows) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [[usual] = [0]] = [...widths].sort(([, one], [, other]) => other - one);
  return usual;
}

function unevenError(input: TextInput, { rows, lines, separator }: Split): UserError {
  const usual = isMostlyEven(rows) ? usualWidth(rows) : (rows[0]?.length ?? 0);
  const isUsual = ({ length }: readonly string[]) => length === usual;
  const at = rows.findIndex((row) => !isUsual(row));
  const where = isMostlyEven(rows) ? "most lines have" : "the first line has";
  const first = rows.findIndex(isUsual);
  const hasTitle = first > 0 && rows.slice(first).every(isUsual);
  const names = hasTitle ? `lines above the names, if they are in line ${lines[first]}` : "lines above the names";
  return new UserError(
    `${input.name}, line ${lines[at]}: the row has ${count(rows[at]?.length ?? 0, "value")} by ${NAMES[separator]}, where ${where} ${usual}. ` +
      `The first line names the columns: correct the line, remove ${names}, or pass ${input.nameOf("separator")}.`,
  );
}

/** A character that the text does not have, so that nothing is split. */
function unused(text: string): string {
  return ["\u001f", "\u001e", "\u001d"].find((character) => !text.includes(character)) ?? "\u001f";
}
