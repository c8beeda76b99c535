/** The table of records. */
import { type Contract, type Field, fieldAt } from "../../core/contract/contract.js";
import { foldedWords, matchesAny, nameFields, type WantedWord, wantedWords } from "../../core/contract/lookup.js";
import { valueAt } from "../../core/contract/record/value.js";
import { firstOf } from "../../core/print/fit.js";
import { visible } from "../../core/print/text.js";
import { button, element } from "../markup/page/element.js";
import { cut, textOf, visibleText } from "../markup/page/text.js";
import { empty } from "../markup/page/value.js";
import { headingOf } from "../meaning.js";
import { addressOf, type ListPlace, type Sort } from "./address.js";
import { linkColumn, shownColumns } from "./columns.js";
import { isLink, linkTo } from "./link.js";
import type { ListedRow, ListingFacts } from "./reader.js";
import { referenceLink } from "./references.js";
import { dayOf, namesOf, rangeKind } from "./values.js";

/** Maximum characters of a value in a row. */
const MOST = 40;
/** With more columns, each printed record is a list of its values. */
const MOST_PRINTED = 8;
/** With more columns, all have one width, since fitting them to their values would take seconds. */
const MOST_FITTED = 60;

const ASCII = /^[ -~]*$/;

type CanSort = (sort: Sort) => boolean;

/** Makes an empty table. @param onSort called with the new order; undefined for the published one. */
export function createList(labelledBy: string, describedBy: string, onSort: (sort: Sort | undefined) => void) {
  const head = element("thead");
  const body = element("tbody");
  const attributes = { class: "records", "aria-labelledby": labelledBy, "aria-describedby": describedBy };
  const table = element("table", attributes, head, body);
  const box = element("div", { class: "table" }, table);
  /** The place of the rows, without its columns. */
  let last = "";

  /** A heading; with a button if the list can be sorted by it. */
  const headCell = (field: Field, isRight: boolean, sort: Sort | undefined, isSortable: CanSort) => {
    const order = sort?.path !== field.path ? undefined : sort.isDescending ? "descending" : "ascending";
    const orders = [false, true].map((isDescending) => ({ path: field.path, isDescending })).filter(isSortable);
    // Up, down, back to the published order.
    const next =
      order === undefined ? orders[0] : orders.find(({ isDescending }) => isDescending && !sort?.isDescending);
    const arrow = order === undefined ? "" : order === "ascending" ? " ↑" : " ↓";
    const text = visibleText(headingOf(field));
    const mark = element("span", { "aria-hidden": "true" }, arrow);
    const shown = orders.length > 0 ? button({ class: "sort" }, () => onSort(next), text, mark) : text;
    return element("th", { scope: "col", class: isRight ? "figure" : undefined, "aria-sort": order }, shown);
  };

  return {
    box,
    table,
    /** Replaces all rows. @param isSortable whether a heading can sort the list so. */
    replace(known: ListingFacts, place: ListPlace, rows: readonly ListedRow[], isSortable: CanSort): void {
      const { contract } = known;
      const columns = shownColumns(known, place.columns);
      const linked = linkColumn(columns, contract);
      const sorted = [...head.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
      const cells = columns.map((field) =>
        headCell(field, field !== linked && isFigure(field, contract), place.sort, isSortable),
      );
      head.replaceChildren(element("tr", {}, ...cells));
      if (sorted >= 0) head.querySelectorAll("button")[sorted]?.focus();
      head.hidden = rows.length === 0;
      // Other rows are seen from the first one on.
      const listed = addressOf({ ...place, columns: [] });
      if (listed !== last) box.scrollTop = 0;
      last = listed;
      table.classList.remove("old");
      const text = place.text.trim();
      const seen = {
        columns,
        linked,
        text,
        names:
          place.within === undefined
            ? nameFields(contract).filter(({ path }) => path !== contract.label.path)
            : [fieldAt(contract, place.within)],
        isNamed: place.within === undefined || place.within === contract.label.path,
        role: columns.length > MOST_FITTED ? "cell" : undefined,
        headings: columns.length > MOST_PRINTED ? columns.map(headingOf) : undefined,
        decimals: columns.map((field) => decimalsOf(field, rows, contract)),
        wanted: wantedWords(text),
      };
      table.classList.toggle("many", seen.headings !== undefined);
      table.classList.toggle("fixed", columns.length > MOST_FITTED);
      table.style.setProperty("--columns", String(columns.length));
      body.replaceChildren(...rows.map((row) => recordRow(row, known, seen)));
    },
    /** Marks the rows as outdated until they are replaced. @returns false if there are none */
    markOld(): boolean {
      table.classList.toggle("old", body.hasChildNodes());
      return body.hasChildNodes();
    },
    /** Puts the focus on the link to a record, if it is in the table. */
    focus(key: string): void {
      const link = [...body.querySelectorAll("a")].find(({ dataset }) => dataset["key"] === key);
      link?.focus();
    },
  };
}

interface Seen {
  columns: readonly Field[];
  linked: Field | undefined;
  /** Name fields other than the label. */
  names: readonly Field[];
  /** Whether the label is searched. */
  isNamed: boolean;
  text: string;
  wanted: readonly WantedWord[];
  /** Headings for print, where many columns do not fit beside each other. */
  headings: readonly string[] | undefined;
  /** The role of cells, if they do not have it by themselves. */
  role: string | undefined;
  /** For each column of numbers, the number of decimals that its values are aligned to; undefined for other columns. */
  decimals: readonly (number | undefined)[];
}

function recordRow(
  { record }: ListedRow,
  known: ListingFacts,
  { columns, linked, names, isNamed: isLabelSearched, text, wanted, headings, role, decimals }: Seen,
): HTMLTableRowElement {
  const { contract } = known;
  const { id, shownId, name } = namesOf(record, known);
  const keyText = () => element("bdi", { class: "id" }, ...markedKey(shownId, text));
  const linkText = (field: Field) => {
    if (field.path === contract.label.path && name !== undefined)
      return element("bdi", {}, ...(isLabelSearched ? markedText(name, wanted) : [visibleText(name)]));
    const isNamed = field.path !== contract.label.path && field.path !== contract.key.path;
    const value = isNamed ? shortValue(field, valueAt(record, field)) : keyText();
    return value.textContent?.trim() ? value : keyText();
  };
  const cells = columns.map((field, at) => {
    const heading = headings?.[at];
    if (field === linked) {
      const link = element("a", { class: "record", href: addressOf({ key: id }), "data-key": id }, linkText(field));
      const other = isLabelSearched && hasWanted(name ?? "", wanted) ? [] : otherName(record, names, wanted);
      return element("th", { scope: "row", "data-heading": heading }, link, ...other);
    }
    const value = valueAt(record, field);
    if (field.path === contract.key.path) return element("td", { "data-heading": heading }, keyText());
    const shown = isLink(value) ? linkTo(value, firstOf(value, MOST, visible)) : shortValue(field, value);
    const content = referenceLink(known, field, value, shown)?.link ?? shown;
    const most = decimals[at];
    if (most === undefined) return element("td", { role, "data-heading": heading }, content);
    const pad = typeof value === "number" ? padFor(value, most) : "";
    return element("td", { role, class: "figure", "data-heading": heading, "data-pad": pad || undefined }, content);
  });
  return element("tr", {}, ...cells);
}

/** The first name, other than the label, that matches the search. */
function otherName(record: ListedRow["record"], names: readonly Field[], wanted: readonly WantedWord[]): Node[] {
  for (const field of names) {
    const value = valueAt(record, field);
    if (typeof value !== "string" || !hasWanted(value, wanted)) continue;
    const label = [visibleText(headingOf(field)), ": "];
    return [
      element("span", { class: "why" }, ...label, element("bdi", {}, ...markedText(excerpt(value, wanted), wanted))),
    ];
  }
  return [];
}

/** A text in one line, or the part of a long one that begins a little before the first match. */
function excerpt(text: string, wanted: readonly WantedWord[]): string {
  const line = text.replaceAll(/\r?\n/g, " ");
  if (line.length <= 2 * MOST) return line;
  const runs = [...line.matchAll(/[\p{L}\p{N}\p{M}]+/gu)];
  const at = runs.find(([run]) => hasWanted(run, wanted))?.index ?? 0;
  const begin = at < MOST ? 0 : cut(line, at - MOST / 2);
  return `${begin > 0 ? "…" : ""}${firstOf(line.slice(begin), 2 * MOST, (part) => part)}`;
}

/** Whether a column has numbers other than keys, references and times. They are right-aligned. */
function isFigure(field: Field, contract: Contract): boolean {
  return rangeKind(field, contract) === "number";
}

/** Maximum number of decimals of a column of numbers; undefined for other columns. */
function decimalsOf(field: Field, rows: readonly ListedRow[], contract: Contract): number | undefined {
  if (!isFigure(field, contract)) return undefined;
  return Math.max(0, ...rows.map(({ record }) => fractionOf(valueAt(record, field)).length - 1));
}

/** The decimals of a number with their point; empty for other values, and for numbers with an exponent. */
function fractionOf(value: unknown): string {
  return typeof value === "number" ? (/^-?\d+(\.\d+)$/.exec(String(value))?.[1] ?? "") : "";
}

/** What a number lacks to have this many decimals. It is drawn invisibly, so that points stand below each other. */
function padFor(value: number, decimals: number): string {
  const own = fractionOf(value);
  const whole = own === "" && decimals > 0 ? "." : "";
  return whole + "0".repeat(Math.max(0, decimals - Math.max(0, own.length - 1)));
}

/** A value in one line; for a time, its day. */
function shortValue(field: Field, value: unknown): Node {
  if (value === null || value === undefined) return empty("none");
  if (value === "") return empty("empty");
  const day = dayOf(field, value);
  if (day !== undefined) return element("time", { datetime: day }, day);
  const text = (Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)).replaceAll(/\r?\n/g, " ");
  if (text === "") return empty("empty");
  const shown = firstOf(text, MOST, visible);
  // A table may have tens of thousands of values, and only other letters have a direction.
  return ASCII.test(shown) ? document.createTextNode(shown) : element("bdi", {}, shown);
}

/** Whether a text has a word that is searched for. */
function hasWanted(text: string, wanted: readonly WantedWord[]): boolean {
  const words = wanted.length > 0 ? foldedWords(text) : [];
  return wanted.some((one) => matchesAny(one, words));
}

/** A text with the words that are searched for marked. Scripts without spaces have no marks. */
function markedText(text: string, wanted: readonly WantedWord[]): Node[] {
  if (wanted.length === 0) return [visibleText(text)];
  return text.split(/([\p{L}\p{N}\p{M}]+)/u).map((run) => {
    const [word, ...others] = foldedWords(run);
    const isMarked = word !== undefined && others.length === 0 && hasWanted(run, wanted);
    return isMarked ? element("mark", {}, visibleText(run)) : visibleText(run);
  });
}

/** A key with its prefix marked if that is searched for. */
function markedKey(key: string, searched: string): Node[] {
  if (searched === "" || !key.startsWith(searched)) return [visibleText(key)];
  return [element("mark", {}, visibleText(searched)), visibleText(key.slice(searched.length))];
}
