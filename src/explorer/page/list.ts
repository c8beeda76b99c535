/** The table of records. */
import type { Contract, Field } from "../../core/contract/contract.js";
import { foldedWords, matchesAny, nameFields, type WantedWord, wantedWords } from "../../core/contract/lookup.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";
import { firstOf } from "../../core/print/fit.js";
import { visible } from "../../core/print/text.js";
import { button, element } from "../markup/page/element.js";
import { textOf, visibleText } from "../markup/page/text.js";
import { empty } from "../markup/page/value.js";
import { headingOf, isTime } from "../meaning.js";
import { addressOf, type ListPlace, type Sort } from "./address.js";
import { linkColumn, shownColumns } from "./columns.js";
import { isLink, linkTo } from "./link.js";
import type { ListedRow, ListingFacts } from "./reader.js";
import { linkedReference } from "./references.js";
import { dayOf, namesOf } from "./values.js";

/** Maximum characters of a value in a row. */
const MOST = 40;

/** Makes an empty table. @param onSort called with the new order; undefined for the published one. */
export function createList(labelledBy: string, describedBy: string, onSort: (sort: Sort | undefined) => void) {
  const head = element("thead");
  const body = element("tbody");
  const attributes = { class: "records", "aria-labelledby": labelledBy, "aria-describedby": describedBy };
  const table = element("table", attributes, head, body);
  const box = element("div", { class: "table" }, table);

  /** A heading; with a button if the list can be sorted. */
  const headCell = (field: Field, isRight: boolean, sort: Sort | undefined, isSortable: boolean) => {
    const order = sort?.path !== field.path ? undefined : sort.isDescending ? "descending" : "ascending";
    const next = order === "descending" ? undefined : { path: field.path, isDescending: order === "ascending" };
    const arrow = order === undefined ? "" : order === "ascending" ? " ↑" : " ↓";
    const text = visibleText(headingOf(field));
    const mark = element("span", { "aria-hidden": "true" }, arrow);
    const shown = isSortable ? button({ class: "sort" }, () => onSort(next), text, mark) : text;
    return element("th", { scope: "col", class: isRight ? "figure" : undefined, "aria-sort": order }, shown);
  };

  return {
    box,
    table,
    /** Replaces all rows. @param isSortable whether headings sort the list. */
    replace(known: ListingFacts, place: ListPlace, rows: readonly ListedRow[], isSortable: boolean): void {
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
      table.classList.remove("old");
      const text = place.text.trim();
      const seen = {
        columns,
        linked,
        text,
        names: nameFields(contract).filter(({ path }) => path !== contract.label.path),
        wanted: wantedWords(text),
      };
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
      link?.focus({ preventScroll: true });
    },
  };
}

interface Seen {
  columns: readonly Field[];
  linked: Field | undefined;
  /** Name fields other than the label. */
  names: readonly Field[];
  text: string;
  wanted: readonly WantedWord[];
}

function recordRow(
  { record }: ListedRow,
  known: ListingFacts,
  { columns, linked, names, text, wanted }: Seen,
): HTMLTableRowElement {
  const { contract } = known;
  const { id, shownId, name } = namesOf(record, known);
  const keyText = () => element("bdi", { class: "id" }, ...markedKey(shownId, text));
  const linkText = (field: Field) => {
    if (field.path === contract.label.path && name !== undefined)
      return element("bdi", {}, ...markedText(name, wanted));
    const isNamed = field.path !== contract.label.path && field.path !== contract.key.path;
    const value = isNamed ? shortValue(field, valueAt(record, field)) : keyText();
    return value.textContent?.trim() ? value : keyText();
  };
  const cells = columns.map((field) => {
    if (field === linked) {
      const link = element("a", { class: "record", href: addressOf({ key: id }), "data-key": id }, linkText(field));
      const other = hasWanted(name ?? "", wanted) ? [] : otherName(record, names, wanted);
      return element("th", { scope: "row" }, link, ...other);
    }
    const value = valueAt(record, field);
    if (field.path === contract.key.path) return element("td", {}, keyText());
    const shown = isLink(value) ? linkTo(value, firstOf(value, MOST, visible)) : shortValue(field, value);
    const content = linkedReference(known, field.schema, value, shown);
    return element("td", { class: isFigure(field, contract) ? "figure" : undefined }, content);
  });
  return element("tr", {}, ...cells);
}

/** The first name, other than the label, that matches the search. */
function otherName(record: ListedRow["record"], names: readonly Field[], wanted: readonly WantedWord[]): Node[] {
  for (const field of names) {
    const value = valueAt(record, field);
    if (typeof value !== "string" || !hasWanted(value, wanted)) continue;
    const label = [visibleText(headingOf(field)), ": "];
    return [element("span", { class: "why" }, ...label, element("bdi", {}, ...markedText(value, wanted)))];
  }
  return [];
}

/** Whether a column has numbers other than keys and times, which are right-aligned. */
function isFigure(field: Field, { key }: Contract): boolean {
  return field.path !== key.path && ["integer", "number"].includes(kindOf(field.schema)) && !isTime(field);
}

/** A value in one line; for a time, its day. */
function shortValue(field: Field, value: unknown): Node {
  if (value === null || value === undefined) return empty("none");
  if (value === "") return empty("empty");
  const day = dayOf(field, value);
  if (day !== undefined) return element("time", { datetime: day }, day);
  const text = (Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)).replaceAll(/\r?\n/g, " ");
  return text === "" ? empty("empty") : element("bdi", {}, firstOf(text, MOST, visible));
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
