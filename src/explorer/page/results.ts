/** The list of records: all records page by page, or search and filter results. */
import { button, element } from "../../markup/page/element.js";
import { createPager } from "../../markup/page/pager.js";
import { visibleText } from "../../markup/page/text.js";
import { count, number } from "../../print/numbers.js";
import { capital } from "../../print/text.js";
import { headingOf } from "../meaning.js";
import { ROWS } from "../summary.js";
import { addressOf, BEGINNING, chosenIn, type ListPlace } from "./address.js";
import { createChoices, valueText } from "./choices.js";
import { foundRows } from "./found.js";
import { createList } from "./list.js";
import type { ListedRow, Reader, SnapshotFacts } from "./reader.js";
import type { Facts } from "./search.js";

/** Maximum number of result pages read at once, since a URL may name any number. */
const MOST_AHEAD = 40;

/** Makes the list. @param box the element to fill. @param onGo called with the place that the user chose. */
export function createResults(box: HTMLElement, { words }: Facts, onGo: (place: ListPlace) => void) {
  let shown = BEGINNING;
  /** Whether the rows belong to `shown`, rather than to an earlier place. */
  let hasBegun = false;
  const go = (place: Partial<ListPlace>) => onGo({ ...shown, page: 1, ...place });
  const title = element("h2", { id: "list-title", class: "hidden" }, visibleText(capital(words[1])));
  const status = element("p", { id: "status", role: "status" }, "Reading…");
  const chosen = element("div", { class: "chosen" });
  const further = () => {
    // Reserve height for the next rows, to avoid layout shift.
    box.style.minHeight = `${box.offsetHeight + ROWS * (list.table.offsetHeight / list.table.rows.length)}px`;
    go({ page: shown.page + 1 });
  };
  const more = button({ class: "button further", hidden: "" }, further, "Show more");
  const choices = createChoices((where) => go({ where }));
  const list = createList(title.id, status.id);
  const found = element("div", { class: "found" }, status, chosen);
  const pager = createPager(ROWS, (page) => go({ page }));
  box.append(choices.element, element("div", { class: "results" }, title, found, list.box, more, pager.bar));
  /** Maximum height of a page so far, and the width at which it was measured. */
  let [height, width] = [0, 0];
  /** Keeps the height if the list gets shorter, to avoid layout shift. */
  const keepHeight = () => {
    box.style.minHeight = "";
    height = box.offsetWidth === width ? Math.max(height, box.offsetHeight) : box.offsetHeight;
    width = box.offsetWidth;
    box.style.minHeight = `${height}px`;
  };

  const showAll = async (reader: Reader, known: SnapshotFacts, { page }: ListPlace, signal: AbortSignal) => {
    const { count: all } = known.snapshot;
    const last = Math.max(1, Math.ceil(all / ROWS));
    const at = Math.min(page, last);
    const rows = await reader.rows((at - 1) * ROWS, ROWS, signal);
    signal.throwIfAborted();
    hasBegun = true;
    list.replace(known, "", rows);
    pager.show(at, all);
    keepHeight();
    const first = (at - 1) * ROWS;
    const range = `${number(first + 1)} to ${number(first + rows.length)} of `;
    status.textContent = `${rows.length < all ? range : ""}${count(all, words)}`;
    return at;
  };

  const showFound = async (
    reader: Reader,
    known: SnapshotFacts,
    place: ListPlace,
    signal: AbortSignal,
    before: number,
  ) => {
    const most = ROWS * Math.min(place.page, before + MOST_AHEAD);
    const rows: ListedRow[] = [];
    let hasMore = false;
    // Keep the old rows until the new ones are complete, or reading has failed.
    const replace = () => {
      hasBegun = true;
      list.replace(known, place.text, rows);
    };
    try {
      for await (const row of foundRows(reader, known, place, signal)) {
        hasMore = rows.length === most;
        if (hasMore || signal.aborted) break;
        rows.push(row);
      }
    } catch (error) {
      if (rows.length > 0 && !signal.aborted) replace();
      throw error;
    }
    signal.throwIfAborted();
    replace();
    const had = rows.length;
    more.hidden = !hasMore;
    pager.show(1, 0);
    if (had <= ROWS) keepHeight();
    status.textContent = foundText(had, hasMore, known, place);
    if (hasMore && most < ROWS * place.page)
      status.textContent += ` Page ${number(place.page)} is too far ahead to be read at once.`;
    return Math.max(1, Math.ceil(had / ROWS));
  };

  const foundText = (had: number, hasMore: boolean, known: SnapshotFacts, place: ListPlace) => {
    const all = countOf(known, place);
    if (all !== undefined) return `${hasMore ? `1 to ${number(had)} of ` : ""}${count(all, words)}`;
    if (hasMore) return `More than ${count(had, words)} found, in ${number(known.snapshot.count)}.`;
    if (had > 0) return `${count(had, words)} found, in ${number(known.snapshot.count)}.`;
    if (place.text.trim() === "") return `No ${words[0]} has all chosen values.`;
    return `No ${words[0]} matches. All words must occur in names; the last one may be incomplete.`;
  };

  const showChosen = ({ contract }: SnapshotFacts, { where }: ListPlace) => {
    const buttons = [...where].map(([path, value]) => {
      const field = contract.fields.find((field) => field.path === path) ?? { names: [path], schema: {} };
      const removeFilter = () => go({ where: new Map([...where].filter(([other]) => other !== path)) });
      const text = [visibleText(`${headingOf(field)}: `), valueText(value)];
      const cross = element("span", { "aria-hidden": "true" }, " ✕");
      return button(
        { class: "button small" },
        removeFilter,
        ...text,
        cross,
        element("span", { class: "hidden" }, ", remove this filter"),
      );
    });
    chosen.replaceChildren(...buttons);
  };

  /** Says that the shown rows are outdated or incomplete. */
  const showReadFailure = () => {
    if (hasBegun) status.textContent = "Not all results could be read. These are the first.";
    else status.textContent = list.markOld() ? "This is still the previous list." : "Nothing could be read.";
    more.hidden = true;
  };

  return {
    /** Shows a place, and what was shown before until there is something of it. Returns what there is of the place. */
    async show(reader: Reader, place: ListPlace, signal: AbortSignal): Promise<ListPlace> {
      list.table.setAttribute("aria-busy", "true");
      const before = hasBegun && isSameSearch(place, shown) ? shown.page : 0;
      hasBegun = false;
      try {
        const known = await reader.known();
        signal.throwIfAborted();
        const asked = { ...place, where: chosenIn(place.where, known.summary.facets) };
        shown = asked;
        const isAll = asked.text.trim() === "" && asked.where.size === 0;
        // What had the focus stays in the page while more is read.
        if (before === 0) more.hidden = true;
        choices.show(known, asked.where, isAll);
        showChosen(known, asked);
        const page = await (isAll ? showAll : showFound)(reader, known, asked, signal, before);
        shown = { ...asked, page };
        return shown;
      } catch (error) {
        if (!signal.aborted) showReadFailure();
        throw error;
      } finally {
        if (!signal.aborted) list.table.setAttribute("aria-busy", "false");
      }
    },
    focus: list.focus,
  };
}

/** The number of records if a single facet value is the only filter; otherwise undefined. */
function countOf({ summary }: SnapshotFacts, { text, where }: ListPlace): number | undefined {
  const [chosen, ...others] = where;
  if (text.trim() !== "" || !chosen || others.length > 0) return undefined;
  const [path, value] = chosen;
  return summary.facets.find((facet) => facet.path === path)?.values.find((one) => one.value === value)?.count;
}

function isSameSearch(one: ListPlace, other: ListPlace): boolean {
  return addressOf({ ...one, page: 1 }) === addressOf({ ...other, page: 1 });
}
