/** The list of records: all page by page, results of a search, or a selection of all loaded records. */
import { type Field, fieldAt } from "../../contract/contract.js";
import { pagesFor } from "../../contract/links.js";
import { csvHeading, csvLineOf } from "../../contract/record/csv.js";
import { button, element } from "../../markup/page/element.js";
import { createPager } from "../../markup/page/pager.js";
import { visibleText } from "../../markup/page/text.js";
import { count, number } from "../../print/numbers.js";
import { capital } from "../../print/text.js";
import { headingOf } from "../meaning.js";
import { addressOf, BEGINNING, type ListPlace } from "./address.js";
import { countsOfAll, createChoices, valueText, without } from "./choices.js";
import { chosenColumns, createColumnMenu } from "./columns.js";
import { foundRows } from "./found.js";
import { createList } from "./list.js";
import { type ListedRow, MOST_LOADED, type Reader, type SnapshotFacts } from "./reader.js";
import type { Facts } from "./search.js";
import { isRange, type Selection, select } from "./select.js";

/** Maximum number of result pages read at once, since a URL may name any number. */
const MOST_AHEAD = 10;
/** Milliseconds after which the text of a download is released. */
const DOWNLOAD_MS = 60_000;

/**
 * Makes the list.
 * @param box the element to fill.
 * @param onGo called with the place that the user chose.
 * @param run runs a download, and reports its error.
 */
export function createResults(
  box: HTMLElement,
  { words }: Facts,
  onGo: (place: ListPlace) => void,
  run: (download: (reader: Reader, signal: AbortSignal) => Promise<void>) => void,
) {
  let shown = BEGINNING;
  /** Whether the rows belong to `shown`, rather than to an earlier place. */
  let hasBegun = false;
  /** The last selection, for its next pages and its download. */
  let selected: { known: SnapshotFacts; address: string; selection: Selection } | undefined;
  const go = (place: Partial<ListPlace>) => onGo({ ...shown, page: 1, ...place });
  const title = element("h2", { id: "list-title", class: "hidden" }, visibleText(capital(words[1])));
  const status = element("p", { id: "status", role: "status" }, "Reading…");
  const progress = element("progress", { "aria-label": `Loading all ${words[1]}`, hidden: "" });
  const chosen = element("div", { class: "chosen" });
  const further = () => {
    // Reserve height for the next rows, to avoid layout shift.
    box.style.minHeight = `${2 * box.offsetHeight}px`;
    go({ page: shown.page + 1 });
  };
  const more = button({ class: "button further", hidden: "" }, further, "Show more");
  const choices = createChoices(go);
  const list = createList(title.id, status.id, (sort) => go({ sort }));
  const columns = createColumnMenu((columns) => go({ columns, page: shown.page }));
  const download = button({ class: "button small", hidden: "" }, () => run(saveCsv), "Save as CSV");
  const found = element("div", { class: "found" }, status, progress, columns.element, download, chosen);
  // It counts pages, since only the snapshot knows their size.
  const pager = createPager(1, (page) => go({ page }));
  box.append(choices.element, element("div", { class: "results" }, title, found, list.box, more, pager.bar));
  /** Maximum height of a page so far, and the width at which it was measured. */
  let height = 0;
  let width = 0;
  /** Keeps the height if the list gets shorter, to avoid layout shift. */
  const keepHeight = () => {
    box.style.minHeight = "";
    height = box.offsetWidth === width ? Math.max(height, box.offsetHeight) : box.offsetHeight;
    width = box.offsetWidth;
    box.style.minHeight = `${height}px`;
  };

  /** Shows the rows of a page. @param total number of rows of all pages. */
  const showPage = (known: SnapshotFacts, place: ListPlace, rows: readonly ListedRow[], total: number) => {
    const { count: all, page_size: size } = known.snapshot;
    const first = (place.page - 1) * size;
    const range = rows.length < total ? `${number(first + 1)} to ${number(first + rows.length)} of ` : "";
    hasBegun = true;
    list.replace(known, place, rows, mayLoad(known));
    pager.show(place.page, pagesFor(total, size));
    more.hidden = true;
    keepHeight();
    if (!isFiltered(place)) status.textContent = range + count(total, words);
    else if (total === 0) status.textContent = nothingText(place);
    else status.textContent = `${range}${count(total, words)} found, in ${number(all)}.`;
    return place.page;
  };

  const showAll = async (reader: Reader, known: SnapshotFacts, place: ListPlace, signal: AbortSignal) => {
    const { count: all, page_size: size, pages } = known.snapshot;
    const page = Math.min(place.page, pages);
    const rows = await reader.rows((page - 1) * size, size, signal);
    signal.throwIfAborted();
    return showPage(known, { ...place, page }, rows, all);
  };

  /** The selection of a place, from all records, which are loaded first if necessary. */
  const selectionOf = async (reader: Reader, known: SnapshotFacts, place: ListPlace, signal: AbortSignal) => {
    const address = addressOf({ ...place, page: 1, columns: [] });
    if (selected?.known === known && selected.address === address) return selected.selection;
    const before = status.textContent;
    const loading = `Loading all ${count(known.snapshot.count, words)} to sort, filter and count them…`;
    if (!isLoaded(known)) {
      status.textContent = loading;
      progress.hidden = false;
    }
    try {
      const records = await reader.all(signal, (share) => {
        progress.value = share;
      });
      signal.throwIfAborted();
      const selection = select(known, records, place);
      selected = { known, address, selection };
      return selection;
    } finally {
      progress.hidden = true;
      if (status.textContent === loading) status.textContent = before;
    }
  };

  const showSelection = async (reader: Reader, known: SnapshotFacts, place: ListPlace, signal: AbortSignal) => {
    const { rows, counts } = await selectionOf(reader, known, place, signal);
    const { page_size: size } = known.snapshot;
    const page = Math.min(place.page, pagesFor(rows.length, size));
    choices.show(known, place, counts, "");
    return showPage(known, { ...place, page }, rows.slice((page - 1) * size, page * size), rows.length);
  };

  const showFound = async (
    reader: Reader,
    known: SnapshotFacts,
    place: ListPlace,
    signal: AbortSignal,
    before: number,
  ) => {
    const { page_size: size } = known.snapshot;
    const most = size * Math.min(place.page, before + MOST_AHEAD);
    const rows: ListedRow[] = [];
    let hasMore = false;
    // Keep the old rows until the new ones are complete, or reading has failed.
    const replace = () => {
      hasBegun = true;
      list.replace(known, place, rows, mayLoad(known));
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
    more.hidden = !hasMore;
    pager.show(1, 1);
    if (rows.length <= size) keepHeight();
    else box.style.minHeight = "";
    status.textContent = foundText(rows.length, hasMore, known, place);
    if (hasMore && most < size * place.page)
      status.textContent += ` Page ${number(place.page)} is too far ahead to be read at once.`;
    return pagesFor(rows.length, size);
  };

  const foundText = (had: number, hasMore: boolean, known: SnapshotFacts, place: ListPlace) => {
    const all = countOf(known, place);
    if (all !== undefined) return `${hasMore ? `1 to ${number(had)} of ` : ""}${count(all, words)}`;
    if (hasMore) return `More than ${count(had, words)} found, in ${number(known.snapshot.count)}.`;
    if (had > 0) return `${count(had, words)} found, in ${number(known.snapshot.count)}.`;
    return nothingText(place);
  };

  const nothingText = ({ text, where, ranges }: ListPlace) =>
    text.trim() === "" || where.size + ranges.size > 0
      ? `No ${words[0]} meets all conditions.`
      : `No ${words[0]} matches. All words must occur in names; the last one may be incomplete.`;

  const showChosen = ({ contract }: SnapshotFacts, { where, ranges }: ListPlace) => {
    const chip = (field: Field, text: Node, rest: Partial<ListPlace>) => {
      const cross = element("span", { "aria-hidden": "true" }, " ✕");
      const hint = element("span", { class: "hidden" }, ", remove this filter");
      const heading = visibleText(`${headingOf(field)}: `);
      return button({ class: "button small" }, () => go(rest), heading, text, cross, hint);
    };
    const values = [...where].flatMap(([path, all]) =>
      all.map((value) => chip(fieldAt(contract, path), valueText(value), { where: without(where, path, value) })),
    );
    const limits = [...ranges].map(([path, [from, to]]) => {
      const text = from === "" ? `to ${to}` : to === "" ? `from ${from}` : `${from} to ${to}`;
      const others = new Map([...ranges].filter(([other]) => other !== path));
      return chip(fieldAt(contract, path), visibleText(text), { ranges: others });
    });
    chosen.replaceChildren(...values, ...limits);
  };

  /** Saves all records of the shown place, with the chosen columns or all fields. */
  const saveCsv = async (reader: Reader, signal: AbortSignal) => {
    const known = await reader.known();
    const { contract } = known;
    const { rows } = await selectionOf(reader, known, shown, signal);
    const fields = shown.columns.length > 0 ? shown.columns.map((path) => fieldAt(contract, path)) : contract.fields;
    const lineOf = csvLineOf({ fields });
    const lines = [csvHeading({ fields }), ...rows.map(({ record }) => lineOf(record))];
    const href = URL.createObjectURL(new Blob([lines.join("\n"), "\n"], { type: "text/csv" }));
    element("a", { href, download: `${words[1]}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
  };

  /** Says that the shown rows are outdated or incomplete. */
  const showReadFailure = () => {
    if (hasBegun) status.textContent = "Not all results could be read. These are the first.";
    else status.textContent = list.markOld() ? "This is still the previous list." : "Nothing could be read.";
    more.hidden = true;
  };

  return {
    /** Shows a place. The old rows stay until the first new ones were read. Returns the place without what the snapshot lacks. */
    async show(reader: Reader, place: ListPlace, signal: AbortSignal): Promise<ListPlace> {
      list.table.setAttribute("aria-busy", "true");
      const before = hasBegun && isSameSearch(place, shown) ? shown.page : 0;
      hasBegun = false;
      try {
        const known = await reader.known();
        signal.throwIfAborted();
        const asked = placeIn(place, known);
        shown = asked;
        // An element with the focus stays in the page while more is read.
        if (before === 0) more.hidden = true;
        const isPlain = !isFiltered(asked) && !asked.sort;
        const isSearch = asked.where.size + asked.ranges.size === 0 && !asked.sort && !isLoaded(known);
        if (isPlain || selected?.known !== known)
          choices.show(known, asked, isFiltered(asked) ? "unknown" : countsOfAll(known), noteFor(known));
        columns.show(known, asked.columns);
        download.hidden = !mayLoad(known);
        showChosen(known, asked);
        const showRows = isPlain ? showAll : isSearch || !mayLoad(known) ? showFound : showSelection;
        const page = await showRows(reader, known, asked, signal, before);
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

/** Whether all records may be loaded. */
function mayLoad({ snapshot }: SnapshotFacts): boolean {
  return snapshot.count <= MOST_LOADED;
}

function isLoaded({ loaded, snapshot }: SnapshotFacts): boolean {
  return loaded.filter(Boolean).length === snapshot.pages;
}

/** Says why there are no ranges, sorting and counts. */
function noteFor(known: SnapshotFacts): string {
  if (mayLoad(known)) return "";
  return `Sorting, ranges and counts of what was found need all records in this page: at most ${number(MOST_LOADED)}.`;
}

/** A place without facets and fields that the snapshot does not have, and without what needs more records than may be loaded. */
function placeIn(place: ListPlace, known: SnapshotFacts): ListPlace {
  const { contract, summary } = known;
  const isAll = mayLoad(known);
  const { sort } = place;
  return {
    ...place,
    where: new Map([...place.where].filter(([path]) => summary.facets.some((facet) => facet.path === path))),
    ranges: new Map([...place.ranges].filter(([path, range]) => isAll && isRange(contract, path, range))),
    sort: isAll && contract.fields.some(({ path }) => path === sort?.path) ? sort : undefined,
    columns: chosenColumns(known, place.columns),
  };
}

function isFiltered({ text, where, ranges }: ListPlace): boolean {
  return text.trim() !== "" || where.size + ranges.size > 0;
}

/** The number of records if a single facet value is the only filter; otherwise undefined. */
function countOf({ summary }: SnapshotFacts, { text, where }: ListPlace): number | undefined {
  const [chosen, ...others] = where;
  if (text.trim() !== "" || !chosen || others.length > 0) return undefined;
  const [path, [value, ...more]] = chosen;
  if (more.length > 0) return undefined;
  return summary.facets.find((facet) => facet.path === path)?.values.find((one) => one.value === value)?.count;
}

function isSameSearch(one: ListPlace, other: ListPlace): boolean {
  return addressOf({ ...one, page: 1, columns: [] }) === addressOf({ ...other, page: 1, columns: [] });
}
