/** Shows a change as a row of the table, with details that open below it: all fields, old and new side by side. */

import { differences } from "../../../markup/page/difference.js";
import { element } from "../../../markup/page/element.js";
import { textOf, visibleText } from "../../../markup/page/text.js";
import { excerpt, wholeValue } from "../../../markup/page/value.js";
import { EXPLORER, FACTS } from "./data.js";

/** @import { Change } from "./data.js" */
/** @import { Part } from "../../../markup/page/difference.js" */

/** Fields that a closed row shows. */
const FIRST_FIELDS = 3;
/** The time in a timestamp, which a closed row leaves out. */
const TIME = /(?<=^\d{4}-\d\d-\d\d)T.*Z$/;

const KIND_WORDS = { added: "Added", removed: "Removed", changed: "Changed" };

/**
 * The row and its details.
 * @param {Change} change
 * @param {number} place from 1, among all changes that were found
 * @param {boolean} open
 * @returns {HTMLTableRowElement[]}
 */
export function changeRows(change, place, open) {
  const details = element("tr", {
    role: "row",
    id: `details-${place}`,
    class: "details",
    "aria-rowindex": place + 1,
  });
  const button = element("button", { type: "button", class: "record", "aria-controls": details.id });
  const [name] = change.names;
  const id = element("span", { class: "id" }, change.id);
  button.append(name === undefined ? id : element("bdi", {}, visibleText(name)));
  const show = (/** @type {boolean} */ wanted) => {
    button.setAttribute("aria-expanded", String(wanted));
    if (wanted && !details.hasChildNodes()) details.append(detailsCell(change));
    details.hidden = !wanted;
  };
  button.addEventListener("click", () => show(details.hidden !== false));
  show(open);
  const row = element(
    "tr",
    { role: "row", "aria-rowindex": place + 1 },
    element("td", { role: "cell", class: `kind ${change.kind}` }, KIND_WORDS[change.kind]),
    element(
      "th",
      { role: "rowheader", class: "who", scope: "row" },
      button,
      ...(name === undefined ? [] : [id]),
      ...look(change),
    ),
    element("td", { role: "cell", class: "gist" }, gist(change)),
  );
  return [row, details];
}

/**
 * A link to the record on the page for people, where there is one. A record that was removed is on none.
 * @param {Change} change
 */
function look({ kind, id, names: [name = id] }) {
  if (EXPLORER === undefined || kind === "removed") return [];
  // Half a character pair cannot be in a URL.
  const href = `${EXPLORER}#/${encodeURIComponent(id.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
  const label = `Look at it: ${visibleText(name).textContent}`;
  return [
    element("a", { class: "look", href, target: "_blank", rel: "noreferrer", "aria-label": label }, "Look at it"),
  ];
}

/** @param {Change} change */
function gist({ kind, fields }) {
  const isChanged = kind === "changed";
  const shown = isChanged ? fields.slice(0, FIRST_FIELDS) : fields.filter(({ path }) => FACTS.includes(path));
  const list = element("ul", { class: isChanged ? undefined : "facts" });
  for (const { path, old, now } of shown) {
    const [before, after] = isChanged ? differences(old, now) : [];
    const values = isChanged
      ? [excerpt("old", old, before), arrow(), excerpt("new", now, after)]
      : [excerpt(kind, textOf(now).replace(TIME, ""))];
    list.append(element("li", {}, element("span", { class: "path" }, ...pathText(path)), " ", ...values));
  }
  const rest = fields.length - FIRST_FIELDS;
  if (isChanged && rest > 0) {
    list.append(element("li", { class: "rest" }, `and ${rest} more ${rest === 1 ? "field" : "fields"}`));
  }
  return list;
}

function arrow() {
  const spoken = element("span", { class: "hidden" }, " becomes ");
  return element("span", { class: "arrow" }, element("span", { "aria-hidden": "true" }, " → "), spoken);
}

/** @param {Change} change */
function detailsCell({ kind, id, fields }) {
  const isChanged = kind === "changed";
  const head = isChanged ? ["Field", "Old", "New"] : ["Field", KIND_WORDS[kind]];
  const body = fields.map(({ path, old, now }) => {
    const [before, after] = isChanged ? differences(old, now) : [];
    const values = isChanged ? [valueCell("old", old, before), valueCell("new", now, after)] : [valueCell(kind, now)];
    const name = element("th", { role: "rowheader", scope: "row", class: "path" }, ...pathText(path));
    return element("tr", { role: "row" }, name, ...values);
  });
  const names = head.map((name) => element("th", { role: "columnheader", scope: "col" }, name));
  const table = element(
    "table",
    { role: "table", class: "fields", "aria-label": `Fields of ${id}` },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...names)),
    element("tbody", { role: "rowgroup" }, ...body),
  );
  return element("td", { role: "cell", class: "whole", colspan: 3 }, table);
}

/**
 * @param {string} side
 * @param {unknown} value
 * @param {Part} [part]
 */
function valueCell(side, value, part) {
  return element("td", { role: "cell", class: side }, wholeValue(value, part));
}

/**
 * A dotted path in which lines may break after each word.
 * @param {string} path
 */
function pathText(path) {
  return path.split(/(?<=[._])/).flatMap((word) => [visibleText(word), element("wbr")]);
}
