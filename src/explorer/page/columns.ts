/** The columns of the table, and the menu that chooses them. */
import { type Contract, type Field, fieldAt } from "../../core/contract/contract.js";
import { facetFields, foldedWords, matchesAny, wantedWords } from "../../core/contract/lookup.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { button, element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { fieldsInFileOrder, headingOf, isTime } from "../meaning.js";
import type { ExplorerSummary } from "../summary.js";
import type { ListingFacts } from "./reader.js";

/** Number of columns unless the contract or the user chooses them. */
const USUAL = 6;

/** What the columns are derived from. */
type KnownListing = Pick<ListingFacts, "contract"> & { summary: Pick<ExplorerSummary, "facets"> };

/** All fields: those that the contract names as columns, then the others in the order of its file. */
export function allColumns({ contract }: Pick<KnownListing, "contract">): readonly Field[] {
  return withoutRepeats([...namedColumns(contract), ...fieldsInFileOrder(contract)]);
}

/** The shown columns: the chosen ones, those that the contract names, or six that say most. */
export function shownColumns(known: KnownListing, chosen: readonly string[]): readonly Field[] {
  const all = allColumns(known);
  const isChosen = new Set(chosen);
  const shown = all.filter(({ path }) => isChosen.has(path));
  if (shown.length > 0) return shown;
  const isUsual = new Set(usualColumns(known).map(({ path }) => path));
  return all.filter(({ path }) => isUsual.has(path));
}

/** The columns that the contract names, or the first six of label, key, facets with several values, times, texts and numbers, others. */
function usualColumns({ contract, summary }: KnownListing): readonly Field[] {
  if (contract.listing.columns) return namedColumns(contract);
  const several = new Set(
    summary.facets.filter(({ values, more }) => values.length + more > 1).map(({ path }) => path),
  );
  const fields = fieldsInFileOrder(contract);
  const choices = new Set(facetFields(contract).map(({ path }) => path));
  const columns = [
    contract.label,
    contract.key,
    ...fields.filter(({ path }) => choices.has(path) && several.has(path)),
    ...fields.filter(isTime),
    ...fields.filter((field) => !choices.has(field.path) && isTextOrNumber(field)),
    ...fields,
  ];
  return withoutRepeats(columns).slice(0, USUAL);
}

function withoutRepeats(fields: readonly Field[]): readonly Field[] {
  return [...new Map(fields.map((field) => [field.path, field])).values()];
}

/** The column whose values link to the records: the label, else the key, else the first. */
export function linkColumn(columns: readonly Field[], { label, key }: Contract): Field | undefined {
  const at = (path: string) => columns.find((field) => field.path === path);
  return at(label.path) ?? at(key.path) ?? columns[0];
}

/** The chosen columns in their order; none if they are the usual ones. */
export function chosenColumns(known: KnownListing, chosen: readonly string[]): readonly string[] {
  const paths = (fields: readonly Field[]) => fields.map(({ path }) => path);
  const shown = paths(shownColumns(known, chosen));
  return shown.join("\n") === paths(shownColumns(known, [])).join("\n") ? [] : shown;
}

function namedColumns(contract: Contract): readonly Field[] {
  return (contract.listing.columns ?? []).map((path) => fieldAt(contract, path));
}

/** Whether a field has short values that are not the same in every record. */
function isTextOrNumber({ schema }: Field): boolean {
  if (schema.const !== undefined || schema["x-observed"]?.const !== undefined || schema.format === "uri") return false;
  return ["string", "integer", "number", "mixed"].includes(kindOf(schema));
}

/** Makes the menu of columns. @param onChoose called with the paths of the chosen columns. */
export function createColumnMenu(onChoose: (columns: readonly string[]) => void) {
  const list = element("div", { class: "menu" });
  const filter = element("input", {
    class: "field",
    type: "search",
    placeholder: "Filter",
    "aria-label": "Filter columns",
  });
  const all = button({ class: "button small" }, () => checkListed(true), "All");
  const none = button({ class: "button small" }, () => checkListed(false), "None");
  const tools = element("div", { class: "menu-tools" }, filter, all, none);
  const details = element("details", { class: "column-menu" }, element("summary", {}, "Columns"), tools, list);
  let contract: Contract | undefined;
  const boxes = () => [...list.querySelectorAll("input")];
  const choose = () => {
    const chosen = boxes().flatMap(({ checked, value }) => (checked ? [value] : []));
    // Each row needs a link to its record.
    if (chosen.length === 0 && contract) chosen.push(contract.label.path);
    onChoose(chosen);
  };
  /** Checks or unchecks all columns that the filter lists. */
  const checkListed = (isChecked: boolean) => {
    for (const box of boxes()) if (!box.parentElement?.hidden) box.checked = isChecked;
    choose();
  };
  list.addEventListener("change", choose);
  filter.addEventListener("input", () => {
    const words = wantedWords(filter.value);
    for (const label of list.children)
      if (label instanceof HTMLElement) {
        const own = foldedWords(label.textContent);
        label.hidden = !words.every((one) => matchesAny(one, own));
      }
  });
  return {
    element: details,
    /** Shows the fields of a snapshot, with the shown columns checked. */
    show(known: ListingFacts, columns: readonly string[]): void {
      // Keep the boxes, one of which may have the focus.
      if (contract !== known.contract) {
        filter.value = "";
        list.replaceChildren(
          ...allColumns(known).map((field) => {
            const box = element("input", { type: "checkbox", value: field.path });
            return element("label", {}, box, " ", visibleText(headingOf(field)));
          }),
        );
      }
      contract = known.contract;
      const shown = new Set(shownColumns(known, columns).map(({ path }) => path));
      for (const box of boxes()) box.checked = shown.has(box.value);
    },
  };
}
