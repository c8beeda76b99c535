/** Runs the list of changes: reads the filters, searches, and shows one page of the results. */
import { pagesFor } from "../../../core/contract/links.js";
import { count, number } from "../../../core/print/numbers.js";
import { byId } from "../../../explorer/markup/page/element.js";
import { createPager } from "../../../explorer/markup/page/pager.js";
import { changesAt, type Filter, searchChanges, TOTAL } from "./changes.js";
import { changeRows } from "./rows.js";

const ROWS_PER_PAGE = 50;
/** Milliseconds after the last key before a search begins. */
const DELAY = 150;

const form = byId("filters", HTMLFormElement);
const table = byId("list", HTMLTableElement);
const message = byId("status", HTMLElement);
const progress = byId("progress", HTMLProgressElement);
const openAll = byId("open-all", HTMLButtonElement);
const pager = createPager(table, (to) => {
  page = to;
  show();
});
table.after(pager.bar);

let found: readonly number[] = [];
/** The page that is shown, from 1. */
let page = 1;
/** The changes that the table shows now. */
let listed = "";
let searches = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

function filter(): Filter {
  const data = new FormData(form);
  const path = data.get("path");
  return {
    text: String(data.get("text")).trim(),
    path: path ? String(JSON.parse(String(path))) : "",
    kinds: new Set(data.getAll("kind")),
  };
}

/** Searches after a delay. A running search ends. Until the new one has results, the list shows the old ones. */
function refresh(delay?: number): void {
  searches += 1;
  table.setAttribute("aria-busy", "true");
  clearTimeout(waiting);
  // During a reset event, the form still has its old values.
  waiting = setTimeout(searchNow, delay);
}

async function searchNow(): Promise<void> {
  const mine = searches;
  page = 1;
  let shown = 0;
  for await (const { found: soFar, part } of searchChanges(filter())) {
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

/** Shows the results. @param settled false during a search: then the status is not announced. */
function show(settled = true): void {
  const first = (page - 1) * ROWS_PER_PAGE;
  const numbers = found.slice(first, first + ROWS_PER_PAGE);
  const wanted = `${first}: ${numbers}`;
  // Keep rows that do not change, so that they do not lose focus or open details.
  if (wanted !== listed) {
    const open = openAll.getAttribute("aria-pressed") === "true";
    const rows = changesAt(numbers).flatMap((change, at) => changeRows(change, first + at + 1, open));
    table.tBodies[0]?.replaceChildren(...rows);
    listed = wanted;
  }
  table.setAttribute("aria-rowcount", String(found.length + 1));
  pager.show(page, pagesFor(found.length, ROWS_PER_PAGE));
  if (settled) message.textContent = statusOf(first, numbers.length);
}

function statusOf(first: number, shown: number): string {
  const all = count(TOTAL, "change");
  if (shown === 0) return `None of ${all} match${TOTAL === 1 ? "es" : ""}.`;
  const range = `${number(first + 1)} to ${number(first + shown)}`;
  return found.length === TOTAL ? `${range} of ${all}` : `${range} of ${number(found.length)} found, in ${all}`;
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => refresh(DELAY));
form.addEventListener("reset", () => refresh());
openAll.addEventListener("click", () => {
  const wanted = openAll.getAttribute("aria-pressed") !== "true";
  openAll.setAttribute("aria-pressed", String(wanted));
  for (const opener of table.querySelectorAll<HTMLElement>("button.record"))
    if ((opener.getAttribute("aria-expanded") === "true") !== wanted) opener.click();
});
searchNow();
