/** Runs the list: reads the filters, searches, and shows one page of what is found. */

import { byId, formatNumber } from "../../../markup/page/element.js";
import { createPager } from "../../../markup/page/pager.js";
import { changesAt, TOTAL } from "./data.js";
import { changeRows } from "./rows.js";
import { search } from "./search.js";

/** @import { Kind } from "./data.js" */
/** @import { Filter } from "./search.js" */

const ROWS_PER_PAGE = 50;
/** Milliseconds after the last key before a search begins. */
const DELAY = 150;

const form = byId("filters", HTMLFormElement);
const table = byId("list", HTMLTableElement);
const message = byId("status", HTMLElement);
const progress = byId("progress", HTMLProgressElement);
const openAll = byId("open-all", HTMLButtonElement);
const pager = createPager(ROWS_PER_PAGE, (to) => {
  page = to;
  show();
  const { top } = table.getBoundingClientRect();
  if (top < 0) table.scrollIntoView();
});

/** @type {readonly number[]} */
let found = [];
/** From 1. */
let page = 1;
/** Which changes are in the table now. */
let listed = "";
let searches = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/** @returns {Filter} */
function filter() {
  const data = new FormData(form);
  const kinds = data.getAll("kind").map((kind) => /** @type {Kind} */ (kind));
  return { text: String(data.get("text")).trim(), path: pathOf(data.get("path")), kinds: new Set(kinds) };
}

/** @param {FormDataEntryValue | null} chosen JSON of the path, or nothing */
function pathOf(chosen) {
  return chosen ? String(JSON.parse(String(chosen))) : "";
}

/**
 * Searches in some milliseconds. A search that is running ends; until the new one has, the list is of what was asked before.
 * @param {number} [delay]
 */
function refresh(delay) {
  searches += 1;
  table.setAttribute("aria-busy", "true");
  clearTimeout(waiting);
  // A form that is reset has its old values until the event has been handled.
  waiting = setTimeout(searchNow, delay);
}

async function searchNow() {
  const mine = searches;
  page = 1;
  let shown = 0;
  for await (const { found: soFar, part } of search(filter())) {
    if (mine !== searches) return;
    progress.hidden = part === 1;
    progress.value = part;
    found = soFar;
    if (part < 1 && (shown >= ROWS_PER_PAGE || soFar.length === shown)) continue;
    shown = soFar.length;
    show(part === 1);
  }
  table.setAttribute("aria-busy", "false");
}

/** @param {boolean} [settled] false while the search is running; then the status is not announced */
function show(settled = true) {
  const first = (page - 1) * ROWS_PER_PAGE;
  const numbers = found.slice(first, first + ROWS_PER_PAGE);
  const wanted = `${first}: ${numbers}`;
  // Rows that stay must not lose what is open or focused in them.
  if (wanted !== listed) {
    const open = openAll.getAttribute("aria-pressed") === "true";
    const rows = changesAt(numbers).flatMap((change, at) => changeRows(change, first + at + 1, open));
    table.tBodies[0]?.replaceChildren(...rows);
    listed = wanted;
  }
  table.setAttribute("aria-rowcount", String(found.length + 1));
  pager.show(page, found.length);
  if (settled) message.textContent = statusOf(first, numbers.length);
}

/**
 * @param {number} first
 * @param {number} shown
 */
function statusOf(first, shown) {
  const all = `${formatNumber(TOTAL)} ${TOTAL === 1 ? "change" : "changes"}`;
  if (shown === 0) return `None of ${all} match${TOTAL === 1 ? "es" : ""}.`;
  const range = `${formatNumber(first + 1)} to ${formatNumber(first + shown)}`;
  return found.length === TOTAL ? `${range} of ${all}` : `${range} of ${formatNumber(found.length)} found, in ${all}`;
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => refresh(DELAY));
form.addEventListener("reset", () => refresh());
openAll.addEventListener("click", () => {
  const wanted = openAll.getAttribute("aria-pressed") !== "true";
  openAll.setAttribute("aria-pressed", String(wanted));
  for (const button of table.querySelectorAll("button.record")) {
    if (button instanceof HTMLElement && (button.getAttribute("aria-expanded") === "true") !== wanted) button.click();
  }
});
searchNow();
