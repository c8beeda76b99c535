/** Makes the table row of a change, with details that open below it: all fields, old and new side by side. */
import { recordAddress } from "../../contract/links.js";
import { button, element } from "../../markup/page/element.js";
import { textOf, visibleText } from "../../markup/page/text.js";
import { excerpt, type Part, wholeValue } from "../../markup/page/value.js";
import { commonEnds, lookOf } from "../difference.js";
import { type Change, EXPLORER, INTRODUCING, IS_UNPUBLISHED } from "./changes.js";

/** Fields that a closed row shows. */
const FIRST_FIELDS = 3;
/** The time in a timestamp, which a closed row leaves out. */
const TIME = /(?<=^\d{4}-\d\d-\d\d)T.*Z$/;

const KIND_WORDS = { added: "Added", removed: "Removed", changed: "Changed" };

/** The row of a change, and the row of its details. @param place its number among the results, from 1. */
export function changeRows(change: Change, place: number, open: boolean): HTMLTableRowElement[] {
  const details = element("tr", { id: `details-${place}`, class: "details", "aria-rowindex": place + 1 });
  const [name] = change.names;
  const id = element("span", { class: "id" }, change.id);
  const opener = button(
    { class: "record", "aria-controls": details.id },
    () => show(details.hidden !== false),
    name === undefined ? id : element("bdi", {}, visibleText(name)),
  );
  const show = (wanted: boolean) => {
    opener.setAttribute("aria-expanded", String(wanted));
    if (wanted && !details.hasChildNodes()) details.append(detailsCell(change));
    details.hidden = !wanted;
  };
  show(open);
  const row = element(
    "tr",
    { "aria-rowindex": place + 1 },
    element("td", { class: `kind ${change.kind}` }, KIND_WORDS[change.kind]),
    element("th", { class: "who", scope: "row" }, opener, ...(name === undefined ? [] : [id]), ...explorerLink(change)),
    element("td", { class: "gist" }, gist(change)),
  );
  return [row, details];
}

/** A link to the record in the explorer, or a note that it needs to be published. None for a removed record. */
function explorerLink({ kind, id, names: [name = id] }: Change): HTMLElement[] {
  if (kind === "removed") return [];
  if (IS_UNPUBLISHED) return [element("span", { class: "look" }, "Look at it once published")];
  if (EXPLORER === undefined) return [];
  const href = recordAddress(EXPLORER, id);
  const label = `Look at it: ${visibleText(name).textContent}`;
  const attributes = { class: "look", href, target: "_blank", rel: "noreferrer", "aria-label": label };
  return [element("a", attributes, "Look at it")];
}

function gist({ kind, fields }: Change): HTMLElement {
  const isChanged = kind === "changed";
  const shown = isChanged ? fields.slice(0, FIRST_FIELDS) : fields.filter(({ path }) => INTRODUCING.includes(path));
  const items = shown.map(({ path, old, now }) => {
    const [before, after] = isChanged ? differences(old, now) : [];
    const values = isChanged
      ? [excerpt("old", old, before), arrow(), excerpt("new", now, after)]
      : [excerpt(kind, textOf(now).replace(TIME, ""))];
    return element("li", {}, element("span", { class: "path" }, visibleText(path)), " ", ...values);
  });
  const more = fields.length - FIRST_FIELDS;
  if (isChanged && more > 0)
    items.push(element("li", { class: "rest" }, `and ${more} more ${more === 1 ? "field" : "fields"}`));
  return element("ul", { class: isChanged ? undefined : "facts" }, ...items);
}

function arrow(): HTMLElement {
  const spoken = element("span", { class: "hidden" }, " becomes ");
  return element("span", { class: "arrow" }, element("span", { "aria-hidden": "true" }, " → "), spoken);
}

function detailsCell({ kind, id, fields }: Change): HTMLElement {
  const isChanged = kind === "changed";
  const cell = (side: string, value: unknown, part?: Part) => element("td", { class: side }, wholeValue(value, part));
  const body = fields.map(({ path, old, now }) => {
    const [before, after] = isChanged ? differences(old, now) : [];
    const values = isChanged ? [cell("old", old, before), cell("new", now, after)] : [cell(kind, now)];
    return element("tr", {}, element("th", { scope: "row", class: "path" }, visibleText(path)), ...values);
  });
  const head = isChanged ? ["Field", "Old", "New"] : ["Field", KIND_WORDS[kind]];
  const names = head.map((name) => element("th", { scope: "col" }, name));
  const table = element(
    "table",
    { class: "fields", "aria-label": `Fields of ${id}` },
    element("thead", {}, element("tr", {}, ...names)),
    element("tbody", {}, ...body),
  );
  return element("td", { class: "whole", colspan: 3 }, table);
}

/** In browsers without a segmenter, the letters that differ are marked. */
const words = "Segmenter" in Intl ? new Intl.Segmenter("en", { granularity: "word" }) : undefined;
/** Maximum letters of a word that is not cut. */
const LONGEST_WORD = 100;
/** The second half of a surrogate pair, or an accent. */
const INSIDE = /^[\uDC00-\uDFFF\p{M}]/u;

/**
 * The parts of two values that differ, without their equal ends. Does not cut words or, if both values look the same,
 * characters from their accents.
 */
function differences(old: unknown, now: unknown): [old: Part, now: Part] {
  const [left, right] = [textOf(old), textOf(now)];
  const isSubtle = lookOf(left) === lookOf(right);
  let [start, tail] = commonEnds(left, right, INSIDE);
  if (!isSubtle) {
    const [one, other] = [wordAt(left, start), wordAt(right, start)];
    const [last, otherLast] = [wordAt(left, left.length - tail), wordAt(right, right.length - tail)];
    start = Math.min(one.begin, other.begin);
    tail = Math.min(left.length - last.end, right.length - otherLast.end);
  }
  return [
    { start, end: left.length - tail, isSubtle },
    { start, end: right.length - tail, isSubtle },
  ];
}

/** The begin and end of the word around a position; the position itself if it is not inside a word. */
function wordAt(text: string, at: number): { begin: number; end: number } {
  const from = Math.max(0, at - LONGEST_WORD);
  const to = Math.min(text.length, at + LONGEST_WORD);
  const word = words?.segment(text.slice(from, to)).containing(at - from);
  const begin = from + (word?.index ?? at - from);
  const end = begin + (word?.segment.length ?? 0);
  const isWhole = (begin > from || from === 0) && (end < to || to === text.length);
  return begin < at && isWhole ? { begin, end } : { begin: at, end: at };
}
