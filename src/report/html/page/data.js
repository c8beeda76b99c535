/** Reads the changes, which are in the page as blocks of JSON. A block is parsed only when it is needed. */
import { byId } from "../../../markup/page/element.js";

/**
 * @typedef {"added" | "removed" | "changed"} Kind
 * @typedef {{ source: Element, kind: Kind, first: number, rows: number }} Block rows of one kind; the first has number `first`
 * @typedef {{ path: string, old: unknown, now: unknown }} Field `old` and `now` are the same unless the record changed
 * @typedef {{ kind: Kind, id: string, names: string[], fields: Field[] }} Change the names that a record goes by besides its key, best first
 */

/** @type {Block[]} */
export const BLOCKS = [];
for (const source of document.querySelectorAll("script[data-rows]")) {
  const last = BLOCKS.at(-1);
  BLOCKS.push({
    source,
    kind: /** @type {Kind} */ (source.getAttribute("data-kind")),
    first: last ? last.first + last.rows : 0,
    rows: Number(source.getAttribute("data-rows")),
  });
}

/** How many changes there are. */
export const TOTAL = BLOCKS.reduce((sum, { rows }) => sum + rows, 0);

/**
 * What the contract says: the paths, by their numbers, and those of the fields that introduce a record; and the page where
 * records of the new snapshot can be looked at, if there is one.
 * @type {{ paths: readonly string[], facts: readonly string[], explorer?: string }}
 */
export const { paths: PATHS, facts: FACTS, explorer: EXPLORER } = JSON.parse(byId("contract", HTMLScriptElement).text);

/**
 * All changes of a block, in order.
 * @param {Block} block
 * @returns {Change[]}
 */
export function changesOf({ source, kind }) {
  return JSON.parse(source.textContent ?? "").map((/** @type {unknown[]} */ row) => toChange(kind, row));
}

/**
 * The changes with these numbers, which must be in ascending order.
 * @param {readonly number[]} numbers
 * @returns {Change[]}
 */
export function changesAt(numbers) {
  const found = [];
  /** @type {Block | undefined} */
  let block;
  /** @type {Change[]} */
  let changes = [];
  for (const at of numbers) {
    if (!block || at >= block.first + block.rows) {
      block = BLOCKS.find(({ first, rows }) => at < first + rows);
      changes = block ? changesOf(block) : [];
    }
    const change = block && changes[at - block.first];
    if (change) found.push(change);
  }
  return found;
}

/**
 * A row is `[key, [name, ...], path, value, ...]`, or for a changed record `path, old, new`.
 * @param {Kind} kind
 * @param {unknown[]} row
 * @returns {Change}
 */
function toChange(kind, row) {
  const [id, names] = row;
  const step = kind === "changed" ? 3 : 2;
  const fields = [];
  for (let at = 2; at < row.length; at += step) {
    const path = PATHS[Number(row[at])] ?? "";
    fields.push({ path, old: row[at + 1], now: row[at + step - 1] });
  }
  return { kind, id: String(id), names: /** @type {string[]} */ (names), fields };
}
