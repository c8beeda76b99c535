/** The table of records, which is a list of cards on a phone. */
import type { Field } from "../../contract/contract.js";
import { headingOf } from "../../contract/heading.js";
import { nameFields, wantedWords } from "../../contract/lookup.js";
import { kindOf } from "../../contract/record/kind.js";
import { valueAt } from "../../contract/record/value.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";
import { addressOf } from "./address.js";
import { shortValue } from "./cells.js";
import { columnsOf } from "./columns.js";
import { namesOf } from "./found.js";
import { hasWanted, markedKey, markedText, type SearchedWords } from "./marks.js";
import type { Basis, ListedRow } from "./reader.js";

/** Characters of a value that stay in one line: as many as a day has, and a few more. */
const UNBROKEN = 12;

export interface RecordList {
  readonly table: HTMLTableElement;
  /** Takes all rows away; what comes next is of this snapshot, and was found by this text. */
  begin(known: Basis, searched: string): void;
  add(rows: readonly ListedRow[]): void;
  /** Marks the rows as not of what is asked for; false where there are none. The next `begin` takes that back. */
  markOld(): boolean;
  /** Puts the focus on the link to a record; false where it is not in the table. */
  focus(key: string): boolean;
}

/** An empty table. */
export function createList(labelledBy: string, describedBy: string): RecordList {
  const [head, body] = [element("thead", { role: "rowgroup" }), element("tbody", { role: "rowgroup" })];
  const attributes = {
    class: "records",
    role: "table",
    "aria-labelledby": labelledBy,
    "aria-describedby": describedBy,
  };
  const table = element("table", attributes, head, body);
  head.hidden = true;
  let rowOf = (_: ListedRow) => element("tr", {});
  return {
    table,
    begin(known, searched) {
      const columns = columnsOf(known.contract, known.summary);
      head.replaceChildren(headRow([known.contract.label, ...columns]));
      head.hidden = true;
      body.replaceChildren();
      table.classList.remove("old");
      const text = searched.trim();
      const names = nameFields(known.contract).filter(({ path }) => path !== known.contract.label.path);
      rowOf = (row) => recordRow(row, known, { columns, names, text, wanted: wantedWords(text) });
    },
    add(rows) {
      // Without rows, headings would be of nothing.
      head.hidden &&= rows.length === 0;
      body.append(...rows.map((row) => rowOf(row)));
    },
    markOld() {
      table.classList.toggle("old", body.hasChildNodes());
      return body.hasChildNodes();
    },
    focus(key) {
      const link = [...body.querySelectorAll("a")].find(({ dataset }) => dataset["key"] === key);
      link?.focus({ preventScroll: true });
      return link !== undefined;
    },
  };
}

function headRow(fields: readonly Field[]): HTMLElement {
  const cells = fields.map((field, at) =>
    element(
      "th",
      { role: "columnheader", scope: "col", class: at > 0 && isFigure(field) ? "head figure" : "head" },
      visibleText(headingOf(field)),
    ),
  );
  return element("tr", { role: "row" }, ...cells);
}

interface Seen {
  columns: readonly Field[];
  /** By whose words a record may be found, besides its label. */
  names: readonly Field[];
  text: string;
  wanted: SearchedWords;
}

function recordRow({ record }: ListedRow, known: Basis, { columns, names, text, wanted }: Seen): HTMLTableRowElement {
  const { id, shownId, name } = namesOf(record, known);
  const idText = element("bdi", { class: "id" }, ...markedKey(shownId, text));
  const link = element("a", { class: "record", href: addressOf({ key: id }), "data-key": id });
  const who = element("th", { role: "rowheader", scope: "row", class: "who" }, link);
  link.append(name === undefined ? idText : element("bdi", {}, ...markedText(name, wanted)));
  if (name !== undefined) who.append(idText);
  if (!hasWanted(name ?? "", wanted)) who.append(...otherNames(record, names, wanted));
  const cells = columns.map((field) => {
    const value = shortValue(valueAt(record, field));
    const isNarrow = (value.textContent ?? "").length <= UNBROKEN;
    const label = element("span", { class: "about", "aria-hidden": "true" }, visibleText(headingOf(field)));
    const kinds = [isFigure(field) ? "figure" : "", isNarrow ? "narrow" : ""].filter(Boolean).join(" ");
    return element("td", { role: "cell", class: kinds || undefined }, label, value);
  });
  return element("tr", { role: "row" }, who, ...cells);
}

/** The first name besides the label by which a record was found. */
function otherNames(record: ListedRow["record"], names: readonly Field[], wanted: SearchedWords): Node[] {
  for (const field of names) {
    const value = valueAt(record, field);
    if (typeof value !== "string" || !hasWanted(value, wanted)) continue;
    const label = [visibleText(headingOf(field)), ": "];
    return [element("span", { class: "why" }, ...label, element("bdi", {}, ...markedText(value, wanted)))];
  }
  return [];
}

/** Whether a column is one of numbers, which stand below each other by their ends. */
function isFigure({ schema }: Field): boolean {
  return ["integer", "number"].includes(kindOf(schema));
}
