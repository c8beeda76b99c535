/** Makes the table row of a change, with details that open below it: all fields, old and new side by side. */
import { recordAddress } from "../../../core/contract/links.js";
import { firstOf } from "../../../core/print/fit.js";
import { capital, visible } from "../../../core/print/text.js";
import { button, element } from "../../../explorer/markup/page/element.js";
import { shownKey, textOf, visibleText } from "../../../explorer/markup/page/text.js";
import { empty, wholeValue } from "../../../explorer/markup/page/value.js";
import { differenceOf, type Excerpt, excerptsAround, WIDTH, type Written } from "../difference.js";
import { FACTS, type ShownChange } from "./changes.js";

/** Fields that a closed row shows. */
const FIRST_FIELDS = 3;
/** The time in a timestamp, which a closed row leaves out. */
const TIME = /(?<=^\d{4}-\d\d-\d\d)T.*Z$/;

/** The row of a change, and the row of its details. @param place its number among the results, from 1. */
export function changeRows(change: ShownChange, place: number, open: boolean): HTMLTableRowElement[] {
  const details = element("tr", { id: `details-${place}`, class: "details", "aria-rowindex": place + 1 });
  const [name] = change.names;
  const id = element("span", { class: "id" }, visibleText(shownKey(change.id)));
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
    element("td", { class: `kind ${change.kind}` }, capital(change.kind)),
    element("th", { class: "who", scope: "row" }, opener, ...(name === undefined ? [] : [id]), ...explorerLink(change)),
    element("td", { class: "gist" }, gist(change)),
  );
  return [row, details];
}

/** A link to the record in the explorer, if there is one; none for a removed record. */
function explorerLink({ kind, id, names: [name = id] }: ShownChange): HTMLElement[] {
  if (kind === "removed" || FACTS.explorer === undefined) return [];
  const href = recordAddress(FACTS.explorer, id);
  const label = `Look at it: ${visible(name)}`;
  const attributes = { class: "look", href, target: "_blank", rel: "noreferrer", "aria-label": label };
  return [element("a", attributes, "Look at it")];
}

function gist({ kind, fields }: ShownChange): HTMLElement {
  const isChanged = kind === "changed";
  const shown = isChanged ? fields.slice(0, FIRST_FIELDS) : fields.filter(({ path }) => FACTS.shown.includes(path));
  const items = shown.map(({ path, old, new: now }) => {
    const values = isChanged ? becomes(old, now) : [fact(kind, now)];
    return element("li", {}, element("span", { class: "path" }, visibleText(path)), " ", ...values);
  });
  const more = fields.length - FIRST_FIELDS;
  if (isChanged && more > 0)
    items.push(element("li", { class: "rest" }, `and ${more} more ${more === 1 ? "field" : "fields"}`));
  return element("ul", { class: isChanged ? undefined : "facts" }, ...items);
}

function becomes(old: unknown, now: unknown): HTMLElement[] {
  const [before, after] = excerptsAround(written(old), written(now));
  return [shortValue("old", old, before), arrow(), shortValue("new", now, after)];
}

function fact(kind: string, value: unknown): HTMLElement {
  const text = textOf(value).replace(TIME, "");
  return shortValue(kind, value, { before: "", middle: firstOf(text, WIDTH, visible), after: "" });
}

/** One line of a value. The difference is marked, unless it is the whole text. */
function shortValue(side: string, value: unknown, { before, middle, after }: Excerpt): HTMLElement {
  if (before + middle + after === "") return empty();
  const isPart = middle !== "" && before + after !== "";
  const marked = isPart ? element("mark", {}, middle) : middle;
  return element("bdi", { class: typeof value === "string" ? side : `${side} literal` }, before, marked, after);
}

function written(value: unknown): Written {
  return { text: textOf(value), quoted: false };
}

function arrow(): HTMLElement {
  const spoken = element("span", { class: "hidden" }, " becomes ");
  return element("span", { class: "arrow" }, element("span", { "aria-hidden": "true" }, " → "), spoken);
}

function detailsCell({ kind, id, fields }: ShownChange): HTMLElement {
  const isChanged = kind === "changed";
  const body = fields.map(({ path, old, new: now }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", class: "path" }, visibleText(path)),
      ...(isChanged ? bothValues(old, now) : [element("td", { class: kind }, wholeValue(now))]),
    ),
  );
  const head = isChanged ? ["Field", "Old", "New"] : ["Field", capital(kind)];
  const names = head.map((name) => element("th", { scope: "col" }, name));
  const table = element(
    "table",
    { class: "fields cards", "aria-label": `Fields of ${visible(id)}` },
    element("thead", {}, element("tr", {}, ...names)),
    element("tbody", {}, ...body),
  );
  return element("td", { class: "whole", colspan: 3 }, table);
}

function bothValues(old: unknown, now: unknown): HTMLElement[] {
  const difference = differenceOf(written(old), written(now));
  const cell = (side: string, value: unknown) => {
    const end = textOf(value).length - difference.end;
    return element("td", { class: side }, wholeValue(value, { ...difference, end }));
  };
  return [cell("old", old), cell("new", now)];
}
