/** Reads the rows of CSV and TSV, each with the line on which it ends. */
import { type Options, Parser } from "csv-parse";
import { count, number } from "../print/numbers.js";
import type { Text } from "./text-input.js";

/** Called for each row. @param line on which it ends */
export type OnRow = (row: string[], line: number) => void;

/**
 * Parses a text row by row.
 * @throws CsvError if the text is malformed, and what `onRow` throws
 */
export async function readRows(text: Text, options: Options, onRow: OnRow): Promise<void> {
  const parser = new RowParser(options, onRow);
  // The error is thrown below.
  parser.on("error", () => {});
  try {
    for await (const piece of text) {
      parser.write(piece);
      parser.requireNoError();
    }
    const ended = new Promise((resolve) => parser.once("close", resolve));
    parser.resume();
    parser.end();
    await ended;
    parser.requireNoError();
  } finally {
    parser.destroy();
  }
}

/** Gives rows to a function at once: an iteration over them costs a promise for each, and csv-parse's own lines an object. */
class RowParser extends Parser {
  #error: unknown;
  /** The lines of the parser up to the last row, and how many of them it counted twice. */
  #lines = 0;
  #twice = 0;

  constructor(
    options: Options,
    private readonly onRow: OnRow,
  ) {
    super(options);
  }

  override push(row: string[] | null): boolean {
    if (row === null) return super.push(null);
    if (this.#error !== undefined) return true;
    try {
      const { lines } = this.info;
      // csv-parse counts CRLF within quotes as two lines.
      if (lines > this.#lines + 1) for (const cell of row) this.#twice += cell.split("\r\n").length - 1;
      this.#lines = lines;
      this.onRow(row, lines - this.#twice);
    } catch (error) {
      this.#error = error;
    }
    return true;
  }

  requireNoError(): void {
    const error = this.#error ?? this.errored;
    if (error) throw error;
  }
}

/** Whether all cells of a row are empty or blank, so that it is not a record. */
export function isEmptyRow(row: readonly string[]): boolean {
  return row.every((cell) => cell.trim() === "");
}

/** Maximum number of lines that a message lists. */
const MOST_LINES = 10;

/** Rows that were left out since they are empty. */
export class EmptyRows {
  #count = 0;
  readonly #lines: string[] = [];

  add(line: number): void {
    this.#count++;
    if (this.#lines.length < MOST_LINES) this.#lines.push(String(line));
  }

  /** `left out 2 empty rows, lines 4 and 5`; undefined if there are none. */
  get note(): string | undefined {
    if (this.#count === 0) return undefined;
    const rest = this.#count - this.#lines.length;
    const named = rest > 0 ? [...this.#lines, `${number(rest)} more`] : this.#lines;
    const before = named.slice(0, -1).join(", ");
    const lines = before === "" ? `line ${named[0]}` : `lines ${before} and ${named.at(-1)}`;
    return `left out ${count(this.#count, "empty row")}, ${lines}`;
  }
}
