/** The table of records; on a phone, a list of cards. */
import { type Contract, type Field, fieldAt } from "../../contract/contract.js";
import {
  facetFields,
  foldedWords,
  isUnspaced,
  matchesAny,
  nameFields,
  type WantedWord,
  wantedWords,
} from "../../contract/lookup.js";
import { kindOf } from "../../contract/record/kind.js";
import { valueAt } from "../../contract/record/value.js";
import { element } from "../../markup/page/element.js";
import { cut, textOf, visibleText } from "../../markup/page/text.js";
import { empty } from "../../markup/page/value.js";
import { BREAKS } from "../../print/text.js";
import { epochTime, fieldsOf, headingOf, isTime } from "../meaning.js";
import type { ExplorerSummary } from "../summary.js";
import { addressOf } from "./address.js";
import { namesOf } from "./found.js";
import type { ListedRow, SnapshotFacts } from "./reader.js";

/** Maximum characters of a value in a row. */
const MOST = 40;
const TIME = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d)/;
/** Values up to this length do not wrap, such as days. */
const UNBROKEN = 12;
/** Longer words may break anywhere. */
const LONGEST_WORD = 24;
/** Maximum number of columns. */
const MOST_COLUMNS = 12;
/** Maximum width in pixels that is reserved for a column. */
const WIDEST = 192;
/** Maximum number of fields on a card. */
const MOST_ON_CARD = 8;

/** Makes an empty table. */
export function createList(labelledBy: string, describedBy: string) {
  const [head, body] = [element("thead"), element("tbody")];
  const attributes = { class: "records", "aria-labelledby": labelledBy, "aria-describedby": describedBy };
  const table = element("table", attributes, head, body);
  const box = element("div", { class: "table" }, table);
  const isNarrow = matchMedia("(max-width: 719px)");
  head.hidden = true;
  let snapshot = "";
  /** Whether all columns are shown, because the contract names them. */
  let isFixed = false;
  /** Which columns fit; undefined until rows were measured. */
  let shown: readonly boolean[] | undefined;
  let width = 0;

  const showColumns = (isShown: (at: number) => boolean) => {
    for (const row of table.rows) for (const [at, cell] of [...row.cells].entries()) cell.hidden = !isShown(at);
  };

  /** Measures the columns, and shows those that fit. */
  const chooseColumns = () => {
    showColumns(() => true);
    table.classList.add("measured");
    const widths = [...(head.rows[0]?.cells ?? [])].map((cell) => Math.min(cell.offsetWidth, WIDEST));
    table.classList.remove("measured");
    width = box.clientWidth;
    let room = width;
    shown = widths.map((needed, at) => {
      if (isNarrow.matches) return at < MOST_ON_CARD;
      if (at > 0 && needed > room) return false;
      room -= needed;
      return true;
    });
    showColumns((at) => shown?.[at] ?? true);
  };
  new ResizeObserver(() => {
    if (box.clientWidth === width || isFixed) return;
    shown = undefined;
    if (body.hasChildNodes()) chooseColumns();
  }).observe(box);

  return {
    box,
    table,
    /** Replaces all rows. @param searched the text whose words are marked. */
    replace(known: SnapshotFacts, searched: string, rows: readonly ListedRow[]): void {
      const { contract } = known;
      const columns = columnsOf(contract, known.summary);
      isFixed = contract.listing.columns !== undefined;
      box.classList.toggle("scrolls", isFixed);
      if (snapshot !== known.snapshot.id) shown = undefined;
      snapshot = known.snapshot.id;
      head.replaceChildren(headRow(columns, known));
      head.hidden = rows.length === 0;
      table.classList.remove("old");
      const text = searched.trim();
      const names = nameFields(contract).filter(({ path }) => path !== contract.label.path);
      const wanted = wantedWords(text);
      body.replaceChildren(...rows.map((row) => recordRow(row, known, { columns, names, text, wanted })));
      if (isFixed || rows.length === 0) return;
      if (shown) showColumns((at) => shown?.[at] ?? true);
      // Keep the columns from page to page, unless their values overflow.
      if (!shown || box.scrollWidth > box.clientWidth) chooseColumns();
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

function headRow(fields: readonly Field[], { contract }: SnapshotFacts): HTMLElement {
  const linked = linkColumn(fields, contract);
  const cells = fields.map((field) => {
    const isNumber = field !== linked && field.path !== contract.key.path && isFigure(field);
    const kind = isNumber ? "head figure" : "head";
    return element("th", { scope: "col", class: kind }, element("span", {}, visibleText(headingOf(field))));
  });
  return element("tr", {}, ...cells);
}

/** The column whose values link to the records: the label, else the key, else the first. */
function linkColumn(columns: readonly Field[], { label, key }: Contract): Field | undefined {
  const at = (path: string) => columns.find((field) => field.path === path);
  return at(label.path) ?? at(key.path) ?? columns[0];
}

interface Seen {
  columns: readonly Field[];
  /** Name fields other than the label. */
  names: readonly Field[];
  text: string;
  wanted: readonly WantedWord[];
}

function recordRow(
  { record }: ListedRow,
  known: SnapshotFacts,
  { columns, names, text, wanted }: Seen,
): HTMLTableRowElement {
  const { contract } = known;
  const { id, shownId, name } = namesOf(record, known);
  const linked = linkColumn(columns, contract);
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
      const who = element("th", { scope: "row", class: classesOf(link, "who") }, link);
      if (!hasWanted(name ?? "", wanted)) who.append(...otherNames(record, names, wanted));
      return who;
    }
    const isKey = field.path === contract.key.path;
    const value = isKey ? keyText() : shortValue(field, valueAt(record, field));
    const label = element("span", { class: "about", "aria-hidden": "true" }, visibleText(headingOf(field)));
    return element(
      "td",
      { class: classesOf(value, isKey ? "record-key" : isFigure(field) ? "figure" : "") },
      label,
      value,
    );
  });
  return element("tr", {}, ...cells);
}

/** CSS classes of a cell: its kind, and how its lines may break. */
function classesOf(value: Node, kind: string): string | undefined {
  const text = value.textContent ?? "";
  const words = text.replace(BREAKS, " ").split(/\s+/);
  const breaks = text.length <= UNBROKEN ? "narrow" : words.some((word) => word.length > LONGEST_WORD) ? "long" : "";
  return [kind, breaks].filter(Boolean).join(" ") || undefined;
}

/** The first name, other than the label, that matches the search. */
function otherNames(record: ListedRow["record"], names: readonly Field[], wanted: readonly WantedWord[]): Node[] {
  for (const field of names) {
    const value = valueAt(record, field);
    if (typeof value !== "string" || !hasWanted(value, wanted)) continue;
    const label = [visibleText(headingOf(field)), ": "];
    return [element("span", { class: "why" }, ...label, element("bdi", {}, ...markedText(value, wanted)))];
  }
  return [];
}

/** Whether a column has numbers, which are right-aligned. */
function isFigure(field: Field): boolean {
  return ["integer", "number"].includes(kindOf(field.schema)) && !isTime(field);
}

/** A value in one line; for a time, its day. */
function shortValue(field: Field, value: unknown): Node {
  if (value === null || value === undefined) return empty("none");
  const text = Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value);
  if (text === "") return empty("empty");
  const time = epochTime(field, value)?.toISOString() ?? text;
  const [day] = typeof value === "string" || time !== text ? (TIME.exec(time) ?? []) : [];
  if (day !== undefined) return element("time", { datetime: time }, day);
  const end = cut(text, MOST);
  return element("bdi", {}, visibleText(text.slice(0, end)), end < text.length ? "…" : "");
}

/** Whether a text has a word that is searched for. */
function hasWanted(text: string, wanted: readonly WantedWord[]): boolean {
  return piecesOf(text, wanted).some(({ isMarked }) => isMarked);
}

/** A text with the words that are searched for marked. */
function markedText(text: string, wanted: readonly WantedWord[]): Node[] {
  const runs: Piece[] = [];
  for (const { text: piece, isMarked } of piecesOf(text, wanted)) {
    const last = runs.at(-1);
    if (last?.isMarked === isMarked) last.text += piece;
    else runs.push({ text: piece, isMarked });
  }
  return runs.map(({ text, isMarked }) => (isMarked ? element("mark", {}, visibleText(text)) : visibleText(text)));
}

/** A key with its prefix marked if that is searched for. */
function markedKey(key: string, searched: string): Node[] {
  if (searched === "" || !key.startsWith(searched)) return [visibleText(key)];
  return [element("mark", {}, visibleText(searched)), visibleText(key.slice(searched.length))];
}

/** Maximum characters that are folded to find a word at a position. */
const MOST_SHOWN = 64;

interface Piece {
  text: string;
  isMarked: boolean;
}

/** Splits a text into words and separators; in scripts without spaces, into characters. */
function piecesOf(text: string, wanted: readonly WantedWord[]): Piece[] {
  if (wanted.length === 0) return [{ text, isMarked: false }];
  const runs = text.match(/[\p{L}\p{N}\p{M}\p{So}]+|[^\p{L}\p{N}\p{M}\p{So}]/gu) ?? [];
  return runs.flatMap((run) => {
    const words = foldedWords(run);
    return words.some(isUnspaced) ? charactersOf(run, wanted) : { text: run, isMarked: words.some(isWantedBy(wanted)) };
  });
}

function isWantedBy(wanted: readonly WantedWord[]) {
  return (word: string) => wanted.some((one) => matchesAny(one, [word]));
}

/** Splits a run in a script without spaces into characters, and marks those of words that are searched for. */
function charactersOf(run: string, wanted: readonly WantedWord[]): Piece[] {
  const characters = run.match(/.\p{M}*/gsu) ?? [];
  let marked = 0;
  let isBegun = false;
  return characters.map((text, at) => {
    const [word = ""] = foldedWords(characters.slice(at, at + MOST_SHOWN).join(""));
    const isAlone = isUnspaced(word);
    if (isAlone || !isBegun)
      for (const one of wanted)
        if (matchesAny(one, [word])) marked = Math.max(marked, Array.from(isAlone ? one.word : word).length);
    isBegun = !isAlone;
    return { text, isMarked: marked-- > 0 };
  });
}

/**
 * The columns of the table: those that the contract names; else label, key, facets with several values, times, then texts and
 * numbers, in the contract's order.
 */
export function columnsOf(contract: Contract, { facets }: Pick<ExplorerSummary, "facets">): readonly Field[] {
  const { label, key, listing } = contract;
  if (listing.columns) return listing.columns.map((path) => fieldAt(contract, path));
  const several = new Set(facets.filter(({ values, more }) => values.length + more > 1).map(({ path }) => path));
  const fields = fieldsOf(contract);
  const choices = facetFields(contract);
  const columns = [
    ...[label, key],
    ...choices.filter(({ path }) => several.has(path)),
    ...fields.filter(isTime),
    ...fields.filter((field) => !choices.some(({ path }) => path === field.path) && isTextOrNumber(field)),
  ];
  return [...new Map(columns.map((field) => [field.path, field])).values()].slice(0, MOST_COLUMNS);
}

/** Whether a field has short values that are not the same in every record. */
function isTextOrNumber({ schema }: Field): boolean {
  if (schema.const !== undefined || schema["x-observed"]?.const !== undefined || schema.format === "uri") return false;
  return ["string", "integer", "number", "mixed"].includes(kindOf(schema));
}
