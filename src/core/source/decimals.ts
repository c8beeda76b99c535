/** Finds what points and commas mean in numbers: decimals, or groups of three digits. `1.234` may be either. */

/** A decimal mark. */
export type Mark = "." | ",";

export const OTHER_MARK: Readonly<Record<Mark, Mark>> = { ".": ",", ",": "." };

/** Spaces and apostrophes between groups of digits: also no-break and narrow spaces, and the typographic apostrophe. */
export const SPACES = " \u00a0\u2009\u202f";
export const APOSTROPHES = "'\u2019";

const WHOLE = "(?:0|[1-9][0-9]*)";
const GROUP = "[1-9][0-9]{0,2}";
const APART = `${GROUP}(?:[${SPACES}${APOSTROPHES}][0-9]{3})+`;

const PLAIN = new RegExp(`^-?(?:${WHOLE}|${APART})$`);
const EITHER = new RegExp(`^-?${GROUP}([.,])[0-9]{3}$`);
const SURE: Readonly<Record<Mark, RegExp>> = { ".": sure(".", ","), ",": sure(",", ".") };

/** Matches numbers that have only one reading: with decimals by `point`, or several groups by `group`. */
function sure(point: Mark, group: Mark): RegExp {
  const grouped = `${GROUP}(?:[${group}][0-9]{3})`;
  return new RegExp(`^-?(?:(?:${WHOLE}|${APART}|${grouped}+)[${point}][0-9]+|${grouped}{2,})$`);
}

/** Numbers over 999 without a mark between groups: beside them, `1.234` has a decimal point. */
const UNGROUPED = /^-?[1-9][0-9]{3,}/;

/** What the cells or texts of a column show about decimal marks. */
export class DecimalColumn {
  /** Texts. */
  #count = 0;
  /** Texts that are numbers by some reading. */
  #numbers = 0;
  /** Whether a text has no mark. */
  #hasPlain = false;
  #isUngrouped = false;
  /** The first number that has this decimal mark in its only reading. */
  readonly sure: Partial<Record<Mark, string>> = {};
  /** The first number with this mark that may be a decimal mark or one between groups. */
  readonly #either: Partial<Record<Mark, string>> = {};

  /** Adds a text that is neither empty nor a mark for NULL. */
  add(text: string): void {
    this.#count++;
    if (UNGROUPED.test(text)) this.#isUngrouped = true;
    if (PLAIN.test(text)) {
      this.#hasPlain = true;
      this.#numbers++;
      return;
    }
    const mark = EITHER.exec(text)?.[1] as Mark | undefined;
    if (mark !== undefined) {
      this.#either[mark] ??= text;
      this.#numbers++;
      return;
    }
    for (const point of MARKS) {
      if (!SURE[point].test(text)) continue;
      this.sure[point] ??= text;
      this.#numbers++;
      return;
    }
  }

  /** Whether no text rules out yet that all numbers may be read in two ways. */
  get mayBeAmbiguous(): boolean {
    const hasMark = this.sure["."] !== undefined || this.sure[","] !== undefined;
    return !hasMark && this.#numbers === this.#count && !(this.#isUngrouped && this.#either["."] !== undefined);
  }

  /** An example of numbers that may all be read in two ways: `1.234`; undefined if one of them, or another text, has one reading. */
  get ambiguous(): { mark: Mark; text: string } | undefined {
    const [mark, another] = MARKS.filter((point) => this.#either[point] !== undefined);
    if (mark === undefined || another !== undefined || !this.mayBeAmbiguous) return undefined;
    return { mark, text: this.#either[mark] ?? "" };
  }

  /** Whether each text has a mark. */
  get isAllMarked(): boolean {
    return !this.#hasPlain;
  }

  /** The decimal mark of the numbers, if they show one and most texts are numbers. */
  get mark(): Mark | undefined {
    const [mark, another] = MARKS.filter((point) => this.sure[point] !== undefined);
    return another === undefined && this.#numbers > this.#count / 2 ? mark : undefined;
  }
}

const MARKS: readonly Mark[] = [".", ","];

/** A field of numbers that are read with a decimal point. */
interface PointField {
  /** The position of its column. */
  at: number;
  column: string;
  /** Texts that mean NULL. */
  marks: readonly string[];
}

/** Finds columns that a contract takes as numbers with a decimal point, though the file has decimal commas. */
export class AmbiguousFields {
  /** Fields all of whose cells so far may be read in two ways, or have no mark. */
  #fields: (PointField & { text?: string })[];
  readonly #others: readonly { column: string; decimals: DecimalColumn }[];
  #hasPoints = false;

  constructor(fields: readonly PointField[], columns: readonly string[]) {
    this.#fields = fields.map((field) => ({ ...field }));
    this.#others = columns.map((column) => ({ column, decimals: new DecimalColumn() }));
  }

  add(cells: readonly string[]): void {
    // Most numbers are settled by their first cell.
    if (this.#fields.length === 0) return;
    this.#fields = this.#fields.filter((field) => this.#staysOpen(field, cells[field.at] ?? ""));
    if (this.#fields.every(({ text }) => text === undefined)) return;
    for (const [at, { decimals }] of this.#others.entries()) {
      const cell = cells[at] ?? "";
      if (cell !== "") decimals.add(cell);
    }
  }

  #staysOpen(field: PointField & { text?: string }, cell: string): boolean {
    if (cell === "" || field.marks.includes(cell)) return true;
    if (mayBeGrouped(cell)) field.text ??= cell;
    else if (!BELOW_1000.test(cell)) {
      if (SURE["."].test(cell)) this.#hasPoints = true;
      return false;
    }
    return true;
  }

  /** A sentence for each column. @param separator of the cells */
  notes(separator: string): string[] {
    const comma = this.#others.find(({ decimals }) => decimals.mark === ",");
    const isShown = comma !== undefined || (separator === ";" && !this.#hasPoints);
    if (!isShown) return [];
    const sign = comma
      ? `${JSON.stringify(comma.decimals.sure[","])} in ${comma.column} has a decimal comma`
      : "semicolons separate the cells";
    return this.#fields.flatMap(({ column, text }) => {
      if (text === undefined) return [];
      const readings = `${column}: ${JSON.stringify(text)} is read as ${Number(text)}, but may be ${text.replace(".", "")}, since ${sign}`;
      return [`${readings}; make the field text, or convert the column in a query, as "rollcall init --decimal" does`];
    });
  }
}

const BELOW_1000 = /^-?[0-9]{1,3}$/;

/** Whether a text may be a decimal, or a number with a point between groups. */
export function mayBeGrouped(text: string): boolean {
  return EITHER.exec(text)?.[1] === ".";
}

/** Both readings of a number: `1234 or 1.234`. */
export function bothReadings(text: string): string {
  return `${text.replace(/[.,]/, "")} or ${text.replace(",", ".")}`;
}
