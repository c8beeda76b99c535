/** Puts the parts together: what is asked for, what is found, and the page of it that is shown. */
import { changesAt, TOTAL } from "./data.js";
import { byId, number } from "./element.js";
import { createPager, PAGE_SIZE } from "./pager.js";
import { changeRows } from "./rows.js";
import { search } from "./search.js";

/** @import { Kind } from "./data.js" */
/** @import { Filter } from "./search.js" */

/** Milliseconds without a key before a search begins. */
const PATIENCE = 150;

const form = byId("filters", HTMLFormElement);
const table = byId("list", HTMLTableElement);
const message = byId("status", HTMLElement);
const progress = byId("progress", HTMLProgressElement);
const openAll = byId("open-all", HTMLButtonElement);
const pager = createPager((to) => {
  page = to;
  show();
  const { top } = table.getBoundingClientRect();
  if (top < 0) table.scrollIntoView();
});

/** @type {readonly number[]} */
let found = [];
/** From 1. */
let page = 1;
/** Which changes the table has now. */
let listed = "";
let searches = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/** @returns {Filter} */
function filter() {
  const data = new FormData(form);
  const kinds = data.getAll("kind").map((kind) => /** @type {Kind} */ (kind));
  return { text: String(data.get("text")).trim(), path: String(data.get("path")), kinds: new Set(kinds) };
}

/** Searches anew; a search that is under way ends where it is. */
async function refresh() {
  searches += 1;
  const mine = searches;
  page = 1;
  table.setAttribute("aria-busy", "true");
  let shown = 0;
  for await (const { found: sofar, part } of search(filter())) {
    if (mine !== searches) return;
    progress.hidden = part === 1;
    progress.value = part;
    found = sofar;
    if (part < 1 && (shown >= PAGE_SIZE || sofar.length === shown)) continue;
    shown = sofar.length;
    show(part === 1);
  }
  table.setAttribute("aria-busy", "false");
}

/** @param {boolean} [settled] false while more is being found, which nobody needs to hear of */
function show(settled = true) {
  const first = (page - 1) * PAGE_SIZE;
  const numbers = found.slice(first, first + PAGE_SIZE);
  const wanted = `${first}: ${numbers}`;
  // Rows that stay keep what somebody has opened or focused in them.
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
  const all = `${number(TOTAL)} ${TOTAL === 1 ? "change" : "changes"}`;
  if (shown === 0) return `None of ${all} match${TOTAL === 1 ? "es" : ""}.`;
  const range = `${number(first + 1)} to ${number(first + shown)}`;
  return found.length === TOTAL ? `${range} of ${all}` : `${range} of ${number(found.length)} found, in ${all}`;
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, PATIENCE);
});
// The form has its old values until the event is over.
form.addEventListener("reset", () => setTimeout(refresh));
openAll.addEventListener("click", () => {
  const wanted = openAll.getAttribute("aria-pressed") !== "true";
  openAll.setAttribute("aria-pressed", String(wanted));
  for (const button of table.querySelectorAll("button.user")) {
    if (button instanceof HTMLElement && (button.getAttribute("aria-expanded") === "true") !== wanted) button.click();
  }
});
refresh();
