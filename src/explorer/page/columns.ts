/** The columns of the table, and the menu that chooses them. */
import { type Contract, type Field, fieldAt } from "../../core/contract/contract.js";
import { facetFields } from "../../core/contract/lookup.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { fieldsInFileOrder, headingOf, isTime } from "../meaning.js";
import type { ExplorerSummary } from "../summary.js";
import type { ListingFacts } from "./reader.js";

/** Number of columns unless the contract or the user chooses them. */
const USUAL = 6;

/** What the columns are derived from. */
type KnownListing = Pick<ListingFacts, "contract"> & { summary: Pick<ExplorerSummary, "facets"> };

/** All fields: those that the contract names as columns, label, key, facets with several values, times, texts and numbers, others. */
export function allColumns({ contract, summary }: KnownListing): readonly Field[] {
  const several = new Set(
    summary.facets.filter(({ values, more }) => values.length + more > 1).map(({ path }) => path),
  );
  const fields = fieldsInFileOrder(contract);
  const choices = facetFields(contract);
  const columns = [
    ...namedColumns(contract),
    contract.label,
    contract.key,
    ...choices.filter(({ path }) => several.has(path)),
    ...fields.filter(isTime),
    ...fields.filter((field) => !choices.some(({ path }) => path === field.path) && isTextOrNumber(field)),
    ...fields,
  ];
  return [...new Map(columns.map((field) => [field.path, field])).values()];
}

/** The shown columns: the chosen ones, those that the contract names, or the first six. */
export function shownColumns(known: KnownListing, chosen: readonly string[]): readonly Field[] {
  const all = allColumns(known);
  const shown = all.filter(({ path }) => chosen.includes(path));
  if (shown.length > 0) return shown;
  return all.slice(0, known.contract.listing.columns?.length ?? USUAL);
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
  const details = element("details", { class: "column-menu" }, element("summary", {}, "Columns"), list);
  let contract: Contract | undefined;
  const boxes = () => [...list.querySelectorAll("input")];
  list.addEventListener("change", () => {
    onChoose(boxes().flatMap(({ checked, value }) => (checked ? [value] : [])));
  });
  return {
    element: details,
    /** Shows the fields of a snapshot, with the shown columns checked. */
    show(known: ListingFacts, columns: readonly string[]): void {
      // Keep the boxes, one of which may have the focus.
      if (contract !== known.contract)
        list.replaceChildren(
          ...allColumns(known).map((field) => {
            const box = element("input", { type: "checkbox", value: field.path });
            return element("label", {}, box, " ", visibleText(headingOf(field)));
          }),
        );
      contract = known.contract;
      const shown = shownColumns(known, columns).map(({ path }) => path);
      for (const box of boxes()) box.checked = shown.includes(box.value);
    },
  };
}
