/** The table of records, which is a list of cards on a phone. */
import type { Contract, Field } from "../../contract/contract.js";

import {
  facetFields,
  foldedWords,
  isAmong,
  isUnspaced,
  nameFields,
  type WantedWord,
  wantedWords,
} from "../../contract/lookup.js";
import { isNullable, kindOf } from "../../contract/record/kind.js";
import { headingOf, valueAt } from "../../contract/record/value.js";
import { element } from "../../markup/page/element.js";
import { cut, textOf, visibleText } from "../../markup/page/text.js";
import { empty } from "../../markup/page/value.js";
import type { ExplorerSummary } from "../summary.js";
import { addressOf } from "./address.js";
import { namesOf } from "./found.js";
import type { Basis, ListedRow } from "./reader.js";

/** Characters of a value in a row. */
const MOST = 40;
const TIME = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d)/;
/** Characters of a value that stay in one line: as many as a day has, and a few more. */
const UNBROKEN = 12;

/** An empty table. */
export function createList(labelledBy: string, describedBy: string) {
  const [head, body] = [element("thead"), element("tbody")];
  const attributes = { class: "records", "aria-labelledby": labelledBy, "aria-describedby": describedBy };
  const table = element("table", attributes, head, body);
  head.hidden = true;
  let rowOf = (_: ListedRow) => element("tr");
  return {
    table,
    /** Takes all rows away; what comes next is of this snapshot, and was found by this text. */
    begin(known: Basis, searched: string): void {
      const columns = columnsOf(known.contract, known.summary);
      head.replaceChildren(headRow([known.contract.label, ...columns]));
      head.hidden = true;
      body.replaceChildren();
      table.classList.remove("old");
      const text = searched.trim();
      const names = nameFields(known.contract).filter(({ path }) => path !== known.contract.label.path);
      rowOf = (row) => recordRow(row, known, { columns, names, text, wanted: wantedWords(text) });
    },
    add(rows: readonly ListedRow[]): void {
      // Without rows, headings would be of nothing.
      head.hidden &&= rows.length === 0;
      body.append(...rows.map((row) => rowOf(row)));
    },
    /** Marks the rows as outdated until the next `begin`; returns false if there are none. */
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

function headRow(fields: readonly Field[]): HTMLElement {
  const cells = fields.map((field, at) => {
    const kind = at > 0 && isFigure(field) ? "head figure" : "head";
    return element("th", { scope: "col", class: kind }, visibleText(headingOf(field)));
  });
  return element("tr", {}, ...cells);
}

interface Seen {
  columns: readonly Field[];
  /** By whose words a record may be found, besides its label. */
  names: readonly Field[];
  text: string;
  wanted: readonly WantedWord[];
}

function recordRow({ record }: ListedRow, known: Basis, { columns, names, text, wanted }: Seen): HTMLTableRowElement {
  const { id, shownId, name } = namesOf(record, known);
  const idText = element("bdi", { class: "id" }, ...markedKey(shownId, text));
  const link = element("a", { class: "record", href: addressOf({ key: id }), "data-key": id });
  const who = element("th", { scope: "row", class: "who" }, link);
  link.append(name === undefined ? idText : element("bdi", {}, ...markedText(name, wanted)));
  if (name !== undefined) who.append(idText);
  if (!hasWanted(name ?? "", wanted)) who.append(...otherNames(record, names, wanted));
  const cells = columns.map((field) => {
    const value = shortValue(valueAt(record, field));
    const isNarrow = (value.textContent ?? "").length <= UNBROKEN;
    const label = element("span", { class: "about", "aria-hidden": "true" }, visibleText(headingOf(field)));
    const kinds = [isFigure(field) ? "figure" : "", isNarrow ? "narrow" : ""].filter(Boolean).join(" ");
    return element("td", { class: kinds || undefined }, label, value);
  });
  return element("tr", {}, who, ...cells);
}

/** The first name besides the label by which a record was found. */
function otherNames(record: ListedRow["record"], names: readonly Field[], wanted: readonly WantedWord[]): Node[] {
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

/** A value in one line; of a time, its day. */
function shortValue(value: unknown): Node {
  if (value === null || value === undefined) return empty("none");
  const text = textOf(value);
  if (text === "") return empty("empty");
  const [day] = typeof value === "string" ? (TIME.exec(value) ?? []) : [];
  if (day !== undefined) return element("time", { datetime: text }, day);
  const end = cut(text, MOST);
  return element("bdi", {}, visibleText(text.slice(0, end)), end < text.length ? "…" : "");
}

/** Whether any word of a text is among what is searched for. */
function hasWanted(text: string, wanted: readonly WantedWord[]): boolean {
  return piecesOf(text, wanted).some(({ isMarked }) => isMarked);
}

/** A text in which each such word is marked. */
function markedText(text: string, wanted: readonly WantedWord[]): Node[] {
  const runs: Piece[] = [];
  for (const { text: piece, isMarked } of piecesOf(text, wanted)) {
    const last = runs.at(-1);
    if (last?.isMarked === isMarked) last.text += piece;
    else runs.push({ text: piece, isMarked });
  }
  return runs.map(({ text, isMarked }) => (isMarked ? element("mark", {}, visibleText(text)) : visibleText(text)));
}

/** A key, of which the beginning is marked where that is what is searched for. */
function markedKey(key: string, searched: string): Node[] {
  if (searched === "" || !key.startsWith(searched)) return [visibleText(key)];
  return [element("mark", {}, visibleText(searched)), visibleText(key.slice(searched.length))];
}

/** Characters that are looked at to know a word by: more than any has that is not a line by itself. */
const MOST_SHOWN = 64;

interface Piece {
  text: string;
  isMarked: boolean;
}

/** Words and what is between them. Where writing puts no spaces between words, each character with its marks. */
function piecesOf(text: string, wanted: readonly WantedWord[]): Piece[] {
  if (wanted.length === 0) return [{ text, isMarked: false }];
  const runs = text.match(/[\p{L}\p{N}\p{M}\p{So}]+|[^\p{L}\p{N}\p{M}\p{So}]/gu) ?? [];
  return runs.flatMap((run) => {
    const words = foldedWords(run);
    return words.some(isUnspaced) ? charactersOf(run, wanted) : { text: run, isMarked: words.some(isWantedBy(wanted)) };
  });
}

function isWantedBy(wanted: readonly WantedWord[]) {
  return (word: string) => wanted.some((one) => isAmong(one, [word]));
}

/** Characters of a run of which some are of writing without spaces. A word that is found is marked from its first to its last. */
function charactersOf(run: string, wanted: readonly WantedWord[]): Piece[] {
  const characters = run.match(/.\p{M}*/gsu) ?? [];
  let marked = 0;
  let isBegun = false;
  return characters.map((text, at) => {
    const [word = ""] = foldedWords(characters.slice(at, at + MOST_SHOWN).join(""));
    const isAlone = isUnspaced(word);
    if (isAlone || !isBegun)
      for (const one of wanted)
        if (isAmong(one, [word])) marked = Math.max(marked, Array.from(isAlone ? one.word : word).length);
    isBegun = !isAlone;
    return { text, isMarked: marked-- > 0 };
  });
}

/** Besides the record's name and key. */
const MOST_COLUMNS = 4;
const MOST_FACETS = 2;
/** Characters of a text that has a column. */
const SHORT = 16;

/** The time that the order goes by, facets that tell records apart, then short values in published order. */
export function columnsOf(contract: Contract, { facets }: Pick<ExplorerSummary, "facets">): readonly Field[] {
  const { fields, order, key, label } = contract;
  const time = order.find(({ schema }) => schema.format === "date" || schema.format === "date-time");
  const telling = new Set(facets.filter(({ values, more }) => values.length + more > 1).map(({ path }) => path));
  const facet = facetFields(contract);
  const chosen = facet.filter(({ path }) => telling.has(path)).slice(0, MOST_FACETS);
  const isOther = ({ path }: Field) => path !== key.path && path !== label.path;
  const named = [time, ...chosen].filter((field) => field !== undefined).filter(isOther);
  const paths = new Set(named.map(({ path }) => path));
  const short = fields.filter(
    (field) => isOther(field) && !paths.has(field.path) && !facet.includes(field) && isShort(field),
  );
  const ordered = short.sort((one, other) => rankOf(one, order) - rankOf(other, order));
  return [...new Map([...named, ...ordered].map((field) => [field.path, field])).values()].slice(0, MOST_COLUMNS);
}

/** What the order goes by comes first; what is seldom there comes last. */
function rankOf({ path, schema }: Field, order: Contract["order"]): number {
  if (order.some((other) => other.path === path)) return 0;
  return isNullable(schema) ? 2 : 1;
}

/** Whether every value is short, and not the same in every record as far as is known. */
function isShort({ schema }: Field): boolean {
  const { format, maxLength = Number.POSITIVE_INFINITY, examples = [], pattern = "" } = schema;
  const observed = schema["x-observed"];
  if (schema.const !== undefined || observed?.const !== undefined) return false;
  const kind = kindOf(schema);
  if (kind === "integer" || format === "date") return true;
  if (kind !== "string" || format) return false;
  if (maxLength <= SHORT) return true;
  const isBounded = /^\^.*\$$/s.test(pattern) && !/[*+]|,\}/.test(pattern);
  return isBounded && examples.length > 0 && examples.every((example) => String(example).length <= SHORT);
}
