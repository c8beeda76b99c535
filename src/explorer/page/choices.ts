/** The facets, with the number of records of each value, and the ranges of numbers and days. */
import { type Contract, type Field, fieldAt } from "../../core/contract/contract.js";
import { facetTerm } from "../../core/contract/lookup.js";
import { number } from "../../core/print/numbers.js";
import { button, element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { headingOf } from "../meaning.js";
import type { Facet } from "../summary.js";
import type { Chosen, ListPlace, Range } from "./address.js";
import { allColumns, shownColumns } from "./columns.js";
import type { ListingFacts } from "./reader.js";
import { isRangeEnd } from "./select.js";
import { choiceText, measureOf, rangeKind } from "./values.js";

/** Number of values of a facet before "more" is pressed. */
const FIRST_VALUES = 6;

/** Makes the facets and ranges. @param onChoose called with what has changed. */
export function createChoices(onChoose: (changed: Partial<Pick<ListPlace, "where" | "ranges">>) => void) {
  const groups = element("div", { class: "groups" });
  const limits = element("div", { class: "groups" });
  const about = element("p", { class: "rest" });
  const details = element("details", { class: "choices" }, element("summary", {}, "Filters"), groups, limits, about);
  // Open beside the table; closed on a phone, where it would push the table down.
  const isWide = matchMedia("(min-width: 900px)");
  const openIfWide = () => {
    details.open = isWide.matches;
  };
  isWide.addEventListener("change", openIfWide);
  openIfWide();
  /** Paths of facets with all values shown. */
  const opened = new Set<string>();
  let shown: { contract: Contract; place: ListPlace } | undefined;
  /** Inputs of ranges by path. They stay in the page, since one may have the focus. */
  let inputs = new Map<string, ReturnType<typeof rangeInputs>>();

  const group = (facet: Facet, known: ListingFacts, place: ListPlace, counts: Counts) => {
    const { path, values, more } = facet;
    const chosen = place.where.get(path) ?? [];
    const listed = new Set(values.map(({ value }) => facetTerm(facet, value)));
    const unlisted = chosen.filter((value) => !listed.has(facetTerm(facet, value)));
    const all = [...unlisted, ...values.map(({ value }) => value as Chosen)];
    const options = all.map((value) => {
      const count = counts === "unknown" ? undefined : (counts.get(facetTerm(facet, value)) ?? 0);
      return element("li", {}, option(facet, value, { place, count }));
    });
    const isOpen = opened.has(path) || options.length <= FIRST_VALUES + 1;
    const list = element("ul", {}, ...(isOpen ? options : options.slice(0, FIRST_VALUES)));
    const showAll = () => {
      opened.add(path);
      list.replaceChildren(...options);
      list.children[FIRST_VALUES]?.querySelector("button")?.focus();
      further.remove();
    };
    const further = button({ class: "more" }, showAll, `${number(options.length - FIRST_VALUES)} more`);
    const rest = element("p", { class: "rest" }, `${number(more)} rarer values are not listed.`);
    const below = [...(isOpen ? [] : [further]), ...(more > 0 ? [rest] : [])];
    return element("fieldset", { class: "choice" }, legendOf(fieldAt(known.contract, path)), list, ...below);
  };

  const option = (facet: Facet, value: Chosen, { place, count }: { place: ListPlace; count: number | undefined }) => {
    const { path } = facet;
    const chosen = place.where.get(path) ?? [];
    const isChosen = chosen.includes(value);
    const made = button(
      { class: "option", "aria-pressed": String(isChosen), "data-choice": facetTerm(facet, value) },
      () => onChoose({ where: isChosen ? without(place.where, path, value) : withValue(place.where, path, value) }),
      element("bdi", {}, valueText(value)),
    );
    if (count === undefined) return made;
    made.append(" ", element("span", { class: "number" }, number(count)));
    return made;
  };

  const rangeInputs = (field: Field) => {
    const kind = measureOf(field) ?? "number";
    const input = (label: string) => {
      const made = element("input", { class: "field", type: kind, step: kind === "number" ? "any" : undefined });
      made.setAttribute("aria-label", `${headingOf(field)}, ${label}`);
      return made;
    };
    const ends = [input("from"), input("to")] as const;
    const box = element("fieldset", { class: "choice range" }, legendOf(field), ends[0], " to ", ends[1]);
    box.addEventListener("change", () => {
      const range: Range = [ends[0].value, ends[1].value];
      const others = [...(shown?.place.ranges ?? [])].filter(([path]) => path !== field.path);
      onChoose({ ranges: new Map(range.join("") === "" ? others : [...others, [field.path, range]]) });
    });
    return { box, ends, kind };
  };

  const showRanges = (known: ListingFacts, place: ListPlace) => {
    const columns = shownColumns(known, place.columns).map(({ path }) => path);
    const ranged = allColumns(known).filter(
      (field) => rangeKind(field, known.contract) && (columns.includes(field.path) || place.ranges.has(field.path)),
    );
    const boxes = ranged.map((field) => {
      const made = inputs.get(field.path) ?? rangeInputs(field);
      inputs.set(field.path, made);
      const range = place.ranges.get(field.path) ?? ["", ""];
      for (const [at, end] of made.ends.entries()) {
        const text = range[at] ?? "";
        // Do not change a value that is being typed.
        if (document.activeElement !== end) end.value = isRangeEnd(made.kind, text) ? text : "";
      }
      return made.box;
    });
    const isSame = boxes.length === limits.children.length && boxes.every((box, at) => limits.children[at] === box);
    if (!isSame) limits.replaceChildren(...boxes);
  };

  return {
    element: details,
    /** Shows the facets of a snapshot and the current filters. @param note about what is missing. */
    show(known: ListingFacts, place: ListPlace, counts: Counts, note: string): void {
      const { activeElement } = document;
      const focused = activeElement instanceof HTMLElement ? activeElement.dataset["choice"] : undefined;
      if (shown?.contract !== known.contract) inputs = new Map();
      shown = { contract: known.contract, place };
      const several = known.summary.facets.filter(({ values, more }) => values.length + more > 1);
      const facets = allColumns(known).flatMap(({ path }) => several.filter((facet) => facet.path === path));
      groups.replaceChildren(...facets.map((facet) => group(facet, known, place, counts)));
      if (note === "") showRanges(known, place);
      else limits.replaceChildren();
      about.textContent = note;
      details.hidden = !groups.hasChildNodes() && !limits.hasChildNodes();
      const again = [...groups.querySelectorAll("button")].find(({ dataset }) => dataset["choice"] === focused);
      if (focused !== undefined) again?.focus({ preventScroll: true });
    },
  };
}

/** Number of records by facet term; unknown while a filter is set and not all records are loaded. */
export type Counts = ReadonlyMap<string, number> | "unknown";

/** Counts of all records. */
export function countsOfAll({ summary }: ListingFacts): Counts {
  return new Map(
    summary.facets.flatMap((facet) =>
      facet.values.map(({ value, count }) => [facetTerm(facet, value), count] as const),
    ),
  );
}

function withValue(where: ListPlace["where"], path: string, value: Chosen): ListPlace["where"] {
  return new Map(where).set(path, [...(where.get(path) ?? []), value]);
}

/** Filters without one value of a path. */
export function without(where: ListPlace["where"], path: string, value: Chosen): ListPlace["where"] {
  const rest = (where.get(path) ?? []).filter((other) => other !== value);
  const others = new Map(where);
  if (rest.length > 0) others.set(path, rest);
  else others.delete(path);
  return others;
}

function legendOf(field: Field): HTMLElement {
  return element("legend", {}, visibleText(headingOf(field)));
}

/** Shows a facet value; null and "" as words. */
export function valueText(value: unknown): Node {
  return visibleText(choiceText(value));
}
