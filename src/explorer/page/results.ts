/** The list of records, page by page: all, those of a view, results of a search, or a selection of loaded records. */
import { type Field, fieldAt } from "../../core/contract/contract.js";
import { pagesFor } from "../../core/contract/links.js";
import { VIEWS } from "../../core/contract/reader-files.js";
import { csvColumns, csvHeading, csvLineOf } from "../../core/contract/record/csv.js";
import { count, number } from "../../core/print/numbers.js";
import { capital } from "../../core/print/text.js";
import { button, element } from "../markup/page/element.js";
import { createPager } from "../markup/page/pager.js";
import { visibleText } from "../markup/page/text.js";
import { headingOf, nameInText } from "../meaning.js";
import { addressOf, BEGINNING, type ListPlace } from "./address.js";
import { appliedPlace, rangeText } from "./applied.js";
import { countsOfAll, createChoices, valueText, without } from "./choices.js";
import { createColumnMenu, shownColumns } from "./columns.js";
import { foundRows } from "./found.js";
import { createList } from "./list.js";
import { readNames } from "./names.js";
import { createNotice } from "./notice.js";
import { hasFile, type ListedRow, type ListingFacts, type Reader } from "./reader.js";
import { allOf, canSort, hasPagesOf, isLoaded, mayLoad, type Scope } from "./scope.js";
import type { Facts } from "./search.js";
import { type Selection, select } from "./select.js";

/** Maximum page of a search in lookup files, which reads all pages up to the shown one. */
const MOST_SEARCHED = 100;
/** Milliseconds after which the text of a download is released. */
const DOWNLOAD_MS = 60_000;

/** A way of reaching a place in several steps. */
export type Step = "text" | "columns";

/** A page of records. */
interface Page {
  /** From 1. */
  page: number;
  rows: readonly ListedRow[];
  /** Number of rows and of pages; undefined if unknown. */
  total: number | undefined;
  pages: number | undefined;
}

/** Reads a page of a place, or the last page if it has fewer. */
type Read = (reader: Reader, known: ListingFacts, scope: Scope, place: ListPlace, signal: AbortSignal) => Promise<Page>;

/**
 * Makes the list.
 * @param box the element to fill.
 * @param onGo called with the place that the user chose.
 * @param run runs a download, and reports its error.
 * @param onApplied called with the field that is searched, and whether it can be chosen.
 */
export function createResults(
  box: HTMLElement,
  { words }: Facts,
  onGo: (place: ListPlace, step?: Step) => void,
  run: (download: (reader: Reader, signal: AbortSignal) => Promise<void>) => void,
  onApplied: (known: ListingFacts, within: string | undefined, isLoadable: boolean) => void,
) {
  /** The place as its address says it, and what of it applies. */
  let shown = BEGINNING;
  let applied = BEGINNING;
  /** The notice on what does not apply. */
  let said = "";
  /** The last selection, for its next pages and its download. */
  let selected: { known: ListingFacts; address: string; selection: Selection } | undefined;
  /** The last scope, for other pages of its place. */
  let scoped: { known: ListingFacts; address: string; scope: Scope } | undefined;
  const go = (place: Partial<ListPlace>, step?: Step) => onGo({ ...shown, page: 1, ...place }, step);
  const title = element("h2", { id: "list-title", class: "hidden" }, visibleText(capital(words[1])));
  const status = element("p", { id: "status", role: "status" }, "Reading…");
  const progress = element("progress", { "aria-label": `Loading all ${words[1]}`, hidden: "" });
  const chosen = element("div", { class: "chosen" });
  const unapplied = createNotice();
  const unnamed = createNotice();
  const choices = createChoices(go);
  const list = createList(title.id, status.id, (sort) => go({ sort }));
  const columns = createColumnMenu((columns) => go({ columns, page: shown.page }, "columns"));
  const download = button({ class: "button small", hidden: "" }, () => run(saveCsv), "Save as CSV");
  const copied = element("span", { class: "copied", role: "status" });
  const copy = button({ class: "button small" }, () => void copyLink(), "Copy link");
  const found = element("div", { class: "found" }, status, progress, columns.element, download, copy, copied, chosen);
  const pager = createPager(list.box, (page) => go({ page }));
  box.append(
    choices.element,
    element("div", { class: "results" }, title, found, unapplied.element, unnamed.element, list.box, pager.bar),
  );
  /** Number of loads of all records that have begun. */
  let loads = 0;
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

  const showPage = (known: ListingFacts, scope: Scope, place: ListPlace, { page, rows, total, pages }: Page) => {
    const { count: all, page_size: size } = known.snapshot;
    list.replace(known, place, rows, (sort) => canSort(scope, sort));
    pager.show(page, pages);
    keepHeight();
    const first = (page - 1) * size;
    const last = first + rows.length;
    const range = rows.length === total ? "" : `${number(first + 1)} to ${number(last)} of `;
    const records = total === undefined ? `more than ${count(last, words)}` : count(total, words);
    if (!isFiltered(place)) status.textContent = range + records;
    else if (total === 0) status.textContent = nothingText(known, place);
    else status.textContent = `${range}${records} found, in ${number(all)}.`;
  };

  /** What the records of a place are read from. */
  const scopeOf = async (
    reader: Reader,
    known: ListingFacts,
    place: ListPlace,
    signal: AbortSignal,
  ): Promise<Scope> => {
    const address = addressOf({ ...place, page: 1, columns: [] });
    if (scoped?.known === known && scoped.address === address) return scoped.scope;
    let scope: Scope = { ...allOf(known.view), loaded: known.loaded };
    if (!mayLoad(known) && hasFile(known.view, VIEWS)) {
      const { viewedScope } = await import("./views.js");
      scope = await viewedScope(reader.host, known, place, signal);
    }
    scoped = { known, address, scope };
    return scope;
  };

  const readPage: Read = async (reader, _, scope, place, signal) => {
    const { count: total, page_size: size, pages } = scope.view.snapshot;
    const page = Math.max(1, Math.min(place.page, pages));
    return { page, rows: await reader.rows(scope, (page - 1) * size, size, signal), total, pages };
  };

  /** The selection of a place, from all records of its scope, which are loaded first if necessary. */
  const selectionOf = async (
    reader: Reader,
    known: ListingFacts,
    scope: Scope,
    place: ListPlace,
    signal: AbortSignal,
  ) => {
    const address = addressOf({ ...place, page: 1, columns: [] });
    if (selected?.known === known && selected.address === address) return selected.selection;
    const before = status.textContent;
    const loading = `Loading all ${count(scope.view.snapshot.count, words)} to sort, filter and count them…`;
    loads += 1;
    const mine = loads;
    if (!isLoaded(scope)) {
      status.textContent = loading;
      progress.hidden = false;
    }
    try {
      const records = await reader.all(scope, signal, (share) => {
        progress.value = share;
      });
      signal.throwIfAborted();
      const selection = select(known, records, place);
      selected = { known, address, selection };
      return selection;
    } finally {
      // Another one may have begun meanwhile.
      if (mine === loads) {
        progress.hidden = true;
        if (status.textContent === loading) status.textContent = before;
      }
    }
  };

  const readSelection: Read = async (reader, known, scope, place, signal) => {
    const { rows, counts } = await selectionOf(reader, known, scope, place, signal);
    const { page_size: size } = known.snapshot;
    const pages = pagesFor(rows.length, size);
    const page = Math.min(place.page, pages);
    choices.show({ known, reach: scope, place: shown, counts, counted: rows });
    return { page, rows: rows.slice((page - 1) * size, page * size), total: rows.length, pages };
  };

  /** Shows the filters with counts of all records; without counts, if only some are found, which are not known yet. */
  const showAllChoices = (known: ListingFacts, reach: Scope, isSome: boolean) => {
    if (isSome) return choices.show({ known, reach, place: shown, counts: "unknown", counted: "unknown" });
    const loaded = known.loaded.flat().map((record) => ({ record }));
    const counted = isLoaded(known) ? loaded : "all";
    choices.show({ known, reach, place: shown, counts: countsOfAll(known), counted });
  };

  /** Searches up to the end of the page, or up to the last page there is. */
  const readFound: Read = async (reader, known, _, place, signal) => {
    const { page_size: size } = known.snapshot;
    const wanted = Math.min(place.page, MOST_SEARCHED);
    let page = 1;
    let rows: ListedRow[] = [];
    for await (const row of foundRows(reader, known, place, signal)) {
      signal.throwIfAborted();
      if (rows.length === size) {
        if (page === wanted)
          return { page, rows, total: countOf(known, place), pages: page === MOST_SEARCHED ? page : undefined };
        page += 1;
        rows = [];
      }
      rows.push(row);
    }
    return { page, rows, total: (page - 1) * size + rows.length, pages: page };
  };

  const nothingText = ({ contract }: ListingFacts, { text, within, where, ranges }: ListPlace) => {
    if (text.trim() === "" || where.size + ranges.size > 0) return `No ${words[0]} meets all conditions.`;
    const place = within === undefined ? "names" : nameInText(fieldAt(contract, within));
    return `No ${words[0]} matches. All words must occur in ${place}; the last one may be incomplete.`;
  };

  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      copied.textContent = "Copied.";
    } catch {
      // Not over http, or not allowed.
      copied.textContent = "Not copied: copy it from the address bar.";
    }
  };

  const showUnapplied = (refused: readonly string[]) => {
    const text = refused.length === 0 ? "" : `Not applied: ${refused.join("; ")}.`;
    // Do not replace a notice that says the same, whose button may have the focus.
    if (text === said) return;
    said = text;
    if (text === "") unapplied.clear();
    else unapplied.say(text, { "Remove from the address": () => go(applied) });
  };

  /** Shows a button for each filter that applies, which removes it. Those that do not apply stay in the address. */
  const showChosen = (known: ListingFacts, { where, ranges }: ListPlace) => {
    const { contract } = known;
    const chip = (field: Field, text: Node, rest: Partial<ListPlace>) => {
      const cross = element("span", { "aria-hidden": "true" }, " ✕");
      const hint = element("span", { class: "hidden" }, ", remove this filter");
      const heading = visibleText(`${headingOf(field)}: `);
      return button({ class: "button small" }, () => go(rest), heading, text, cross, hint);
    };
    const values = [...where].flatMap(([path, all]) =>
      all.map((value) => {
        const field = fieldAt(contract, path);
        return chip(field, valueText(known, field, value), { where: without(shown.where, path, value) });
      }),
    );
    const limits = [...ranges].map(([path, range]) => {
      const others = new Map([...shown.ranges].filter(([other]) => other !== path));
      return chip(fieldAt(contract, path), visibleText(rangeText(range)), { ranges: others });
    });
    chosen.replaceChildren(...values, ...limits);
  };

  /** Saves all records of the shown list, with the chosen columns or all fields. */
  const saveCsv = async (reader: Reader, signal: AbortSignal) => {
    const known = await reader.known();
    const { contract } = known;
    const scope = await scopeOf(reader, known, applied, signal);
    const { rows } = await selectionOf(reader, known, scope, applied, signal);
    const { columns } = applied;
    const chosen = columns.length > 0 ? { fields: shownColumns(known, columns) } : csvColumns(contract);
    const lineOf = csvLineOf(chosen);
    const lines = [csvHeading(chosen), ...rows.map(({ record }) => lineOf(record))];
    // Without a byte order mark, Excel does not read the file as UTF-8.
    const href = URL.createObjectURL(new Blob(["\ufeff", lines.join("\n"), "\n"], { type: "text/csv" }));
    element("a", { href, download: `${words[1]}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
  };

  return {
    /**
     * Shows a place, and says what of it does not apply. The old rows stay until the first new ones were read.
     * @returns the place with a page and columns that the snapshot has
     */
    async show(reader: Reader, place: ListPlace, signal: AbortSignal): Promise<ListPlace> {
      list.table.setAttribute("aria-busy", "true");
      let isShown = false;
      try {
        const known = await reader.known();
        const scope = await scopeOf(reader, known, place, signal);
        signal.throwIfAborted();
        const { place: asked, refused } = appliedPlace(place, known, scope);
        const wrong = await readNames(known, namedFields(known, asked));
        signal.throwIfAborted();
        if (wrong === undefined) unnamed.clear();
        else unnamed.say(wrong);
        applied = asked;
        shown = { ...place, columns: asked.columns };
        const isPlain = hasPagesOf(scope, asked);
        // The records of a value are loaded, since the summary has only counts of all records.
        const isCounted = scope.by !== undefined && mayLoad(scope.view);
        const isByTerms = asked.where.size + asked.ranges.size === 0 && !asked.sort && asked.within === undefined;
        const isSearch = isByTerms && !isLoaded(known);
        const readMany = isSearch || !mayLoad(scope.view) ? readFound : readSelection;
        const read = isPlain && !isCounted ? readPage : readMany;
        if (read !== readSelection || selected?.known !== known) showAllChoices(known, scope, isFiltered(asked));
        columns.show(known, asked.columns);
        download.hidden = !mayLoad(scope.view);
        showChosen(known, asked);
        showUnapplied(refused);
        onApplied(known, asked.within, mayLoad(scope.view));
        copied.textContent = "";
        if (isPlain && isCounted && !isLoaded(scope)) {
          const first = await readPage(reader, known, scope, asked, signal);
          signal.throwIfAborted();
          scope.loaded[first.page - 1] = first.rows.map(({ record }) => record);
          showPage(known, scope, asked, first);
          isShown = true;
        }
        const page = await read(reader, known, scope, asked, signal);
        signal.throwIfAborted();
        showPage(known, scope, asked, page);
        shown = { ...shown, page: page.page };
        return shown;
      } catch (error) {
        // The page of a value stays, though its other records could not be counted.
        if (!signal.aborted && !isShown)
          status.textContent = list.markOld() ? "This is still the previous list." : "Nothing could be read.";
        throw error;
      } finally {
        if (!signal.aborted) list.table.setAttribute("aria-busy", "false");
      }
    },
    focus: list.focus,
  };
}

/** The fields that are shown, or filtered by. */
function namedFields(known: ListingFacts, { columns, where }: ListPlace): readonly Field[] {
  const paths = new Set([...known.summary.facets.map(({ path }) => path), ...where.keys()]);
  return [...shownColumns(known, columns), ...known.contract.fields.filter(({ path }) => paths.has(path))];
}

function isFiltered({ text, where, ranges }: ListPlace): boolean {
  return text.trim() !== "" || where.size + ranges.size > 0;
}

/** The number of records if a single facet value is the only filter; otherwise undefined. */
function countOf({ summary }: ListingFacts, { text, where }: ListPlace): number | undefined {
  const [chosen, ...others] = where;
  if (text.trim() !== "" || !chosen || others.length > 0) return undefined;
  const [path, [value, ...more]] = chosen;
  if (more.length > 0) return undefined;
  return summary.facets.find((facet) => facet.path === path)?.values.find((one) => one.value === value)?.count;
}
