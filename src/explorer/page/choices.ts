/** The facets, with the number of records of each value, and the ranges of numbers and days. */
import { type Field, fieldAt } from "../../core/contract/contract.js";
import { facetTerm } from "../../core/contract/lookup.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { number } from "../../core/print/numbers.js";
import { capital } from "../../core/print/text.js";
import { button, element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { headingOf, referenceOf } from "../meaning.js";
import type { Facet } from "../summary.js";
import type { Chosen, ListPlace, Range } from "./address.js";
import { otherSorting, suchRecords } from "./applied.js";
import { type Counted, histogramOf } from "./bins.js";
import { allColumns, shownColumns } from "./columns.js";
import { MOST_COMBINED } from "./found.js";
import { type ListingFacts, MOST_LOADED } from "./reader.js";
import { mayLoad, type Reach } from "./scope.js";
import { isRangeEnd } from "./select.js";
import { choiceText, measureOf, rangeKind, referredName } from "./values.js";

/** Number of values of a facet before "more" is pressed. */
const FIRST_VALUES = 6;

/** Number of ranges with a histogram. */
const MOST_DRAWN = 24;

/** Makes the facets and ranges. @param onChoose called with what has changed. */
export function createChoices(onChoose: (changed: Partial<Pick<ListPlace, "where" | "ranges">>) => void) {
  const groups = element("div", { class: "groups" });
  const limits = element("div", { class: "groups" });
  /** Inputs of references and of fields with views. */
  const leads = element("div", { class: "groups" });
  const about = element("p", { class: "rest" });
  const parts = [groups, leads, limits, about];
  const details = element("details", { class: "choices" }, element("summary", {}, "Filters"), ...parts);
  // Open beside the table; closed on a phone, where it would push the table down.
  const isWide = matchMedia("(min-width: 900px)");
  const openIfWide = () => {
    details.open = isWide.matches;
  };
  isWide.addEventListener("change", openIfWide);
  openIfWide();
  /** Paths of facets with all values shown. */
  const opened = new Set<string>();
  let shown: Shown | undefined;
  let charts: Promise<typeof import("./charts.js") | undefined> | undefined;
  /** Inputs of ranges by path. They stay in the page, since one may have the focus. */
  let inputs = new Map<string, ReturnType<typeof rangeInputs>>();
  let valueInputs = new Map<string, ReturnType<typeof valueInput>>();

  const group = (facet: Facet, { known, reach, place, counts }: Shown) => {
    const { path, values, more } = facet;
    const chosen = place.where.get(path) ?? [];
    const listed = new Set(values.map(({ value }) => facetTerm(facet, value)));
    const unlisted = chosen.filter((value) => !listed.has(facetTerm(facet, value)));
    const all = [...unlisted, ...values.map(({ value }) => value as Chosen)];
    const options = all.map((value) => {
      // Of a view, only the records of one value are counted.
      const isCounted = counts !== "unknown" && path !== reach.by;
      const count = isCounted ? (counts.get(facetTerm(facet, value)) ?? 0) : undefined;
      return element("li", {}, option(facet, value, { known, place, count }));
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

  const option = (
    facet: Facet,
    value: Chosen,
    { known, place, count }: { known: ListingFacts; place: ListPlace; count: number | undefined },
  ) => {
    const { path } = facet;
    const chosen = place.where.get(path) ?? [];
    const isChosen = chosen.includes(value);
    const made = button(
      { class: "option", "aria-pressed": String(isChosen), "data-choice": facetTerm(facet, value) },
      () => onChoose({ where: isChosen ? without(place.where, path, value) : withValue(place.where, path, value) }),
      element("bdi", {}, valueText(known, fieldAt(known.contract, path), value)),
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
    const drawing = element("div", {});
    const box = element("fieldset", { class: "choice range" }, legendOf(field), drawing, ends[0], " to ", ends[1]);
    box.addEventListener("change", () => {
      const range: Range = [ends[0].value, ends[1].value];
      const others = [...(shown?.place.ranges ?? [])].filter(([path]) => path !== field.path);
      onChoose({ ranges: new Map(range.join("") === "" ? others : [...others, [field.path, range]]) });
    });
    return { box, ends, kind, drawing, field };
  };

  /**
   * Makes the input that chooses a value of a field: the record that a reference leads to, by its name or its key, or a value of a
   * view.
   * @param listId the id of its list of suggestions
   */
  const valueInput = (field: Field, listId: string) => {
    const to = referenceOf(field);
    const isNumber = kindOf(kindOf(field.schema) === "array" ? (field.schema.items ?? {}) : field.schema) === "integer";
    const list = element("datalist", { id: listId });
    const input = element("input", { class: "field", type: "text", list: list.id, autocomplete: "off" });
    const how = to === undefined ? "one value" : "by name or key";
    input.setAttribute("aria-label", `${headingOf(field)}, ${how}`);
    /** Values of the view by their texts. */
    const suggested = new Map<string, Chosen>();
    let suggesting: Promise<void> | undefined;
    const suggest = async () => {
      if (list.hasChildNodes()) return;
      // If they cannot be read, that is said when one is chosen.
      const values = await shown?.reach.valuesOf?.(field.path).catch(() => []);
      for (const value of values ?? []) suggested.set(choiceText(value), value);
      list.replaceChildren(...[...suggested.keys()].map((value) => element("option", { value })));
    };
    input.addEventListener("focus", () => {
      suggesting = suggest();
    });
    input.addEventListener("input", () => input.setCustomValidity(""));
    input.addEventListener("change", async () => {
      // A text may stand for another value: none for null.
      await suggesting;
      if (!shown || input.value === "") return;
      const { known, place } = shown;
      const keys = to === undefined ? [input.value] : keysNamed(known, to, input.value);
      const valid = keys.filter((key) => !isNumber || suggested.has(key) || /^-?\d+$/.test(key));
      if (valid.length === 0) {
        input.setCustomValidity(to === undefined ? "Give a whole number." : `No record of ${to} has this name or key.`);
        input.reportValidity();
        return;
      }
      const values = valid.map((key) => {
        const typed = isNumber ? Number(key) : key;
        const value = suggested.get(key);
        // A value may be null.
        return value === undefined ? typed : value;
      });
      input.value = "";
      const before = place.where.get(field.path) ?? [];
      const all = [...new Set([...before, ...values])];
      // Without a facet, a view finds one value.
      const isOne = !mayLoad(known) && !facetAt(known, field.path);
      onChoose({ where: new Map(place.where).set(field.path, isOne ? values.slice(0, 1) : all) });
    });
    const box = element("fieldset", { class: "choice reference" }, legendOf(field), input, list);
    return { box, list, to };
  };

  /** Shows an input for each reference, and each field with a view, whose values are not all listed as those of a facet. */
  const showInputs = ({ known, reach, place }: Shown) => {
    const columns = new Set(shownColumns(known, place.columns).map(({ path }) => path));
    const isOpen = (field: Field) => {
      const { path } = field;
      const facet = facetAt(known, path);
      const isOfView = reach.fields.includes(path);
      if (facet) return facet.more > 0 && (isOfView || referenceOf(field) !== undefined);
      if (isOfView) return true;
      return referenceOf(field) !== undefined && mayLoad(known) && (columns.has(path) || place.where.has(path));
    };
    const boxes = allColumns(known)
      .filter(isOpen)
      .map((field) => {
        const made = valueInputs.get(field.path) ?? valueInput(field, `names${valueInputs.size}`);
        valueInputs.set(field.path, made);
        const names = made.to === undefined ? undefined : known.names.get(made.to);
        if (names && made.list.childElementCount === 0)
          made.list.append(...[...new Set(names.values())].map((name) => element("option", { value: name })));
        return made.box;
      });
    const isSame = boxes.length === leads.children.length && boxes.every((box, at) => leads.children[at] === box);
    if (!isSame) leads.replaceChildren(...boxes);
  };

  const showRanges = ({ known, place }: Shown) => {
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

  /** Draws the histograms of what was found, if the filters are open. */
  const draw = async () => {
    if (!details.open || !shown || !limits.hasChildNodes()) return;
    const { known, counted } = shown;
    const listed = [...inputs.values()].filter(({ box }) => box.parentElement === limits).slice(0, MOST_DRAWN);
    const made = listed.map(({ field, drawing }) => {
      const histogram =
        counted === "unknown" ? undefined : histogramOf(field, known.summary, counted, headingOf(field));
      return { drawing, histogram };
    });
    if (!made.some(({ histogram }) => histogram)) return clearDrawings();
    charts ??= import("./charts.js").catch(() => undefined);
    const drawn = await charts;
    // Something else may have been found meanwhile.
    if (shown.counted !== counted || !drawn) return;
    for (const { drawing, histogram } of made)
      drawing.replaceChildren(...(histogram ? [drawn.drawHistogram(histogram)] : []));
  };
  const clearDrawings = () => {
    for (const { drawing } of inputs.values()) drawing.replaceChildren();
  };
  details.addEventListener("toggle", () => void draw());

  return {
    element: details,
    /** Shows the facets of a snapshot and the current filters, and says what is missing. */
    show(now: Shown): void {
      const { known, reach } = now;
      const { activeElement } = document;
      const focused = activeElement instanceof HTMLElement ? activeElement.dataset["choice"] : undefined;
      if (shown?.known !== known) {
        inputs = new Map();
        valueInputs = new Map();
      }
      shown = now;
      const several = known.summary.facets.filter(({ values, more }) => values.length + more > 1);
      const facets = allColumns(known).flatMap(({ path }) => several.filter((facet) => facet.path === path));
      groups.replaceChildren(...facets.map((facet) => group(facet, now)));
      showInputs(now);
      if (mayLoad(reach.view)) showRanges(now);
      else limits.replaceChildren();
      about.textContent = mayLoad(reach.view) ? "" : noteFor(now);
      void draw();
      details.hidden = [groups, leads, limits].every((part) => !part.hasChildNodes());
      const again = [...groups.querySelectorAll("button")].find(({ dataset }) => dataset["choice"] === focused);
      if (focused !== undefined) again?.focus({ preventScroll: true });
    },
  };
}

/** What the filters are shown for. */
interface Shown {
  known: ListingFacts;
  reach: Reach;
  place: ListPlace;
  counts: Counts;
  /** The found records, for histograms. */
  counted: Counted | "unknown";
}

/** Says why there are no ranges and counts, and which orders there are. */
function noteFor({ known, reach }: Pick<Shown, "known" | "reach">): string {
  const most = `${number(MOST_LOADED)}${suchRecords(reach, known)}`;
  return `${capital(otherSorting(reach, known))}, ranges and counts of what was found need all records in this page: at most ${most}. At most ${MOST_COMBINED} combinations of values are searched.`;
}

function facetAt({ summary }: ListingFacts, path: string): Facet | undefined {
  return summary.facets.find((facet) => facet.path === path);
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

/** The keys of the records with this name, or the text as a key. */
function keysNamed(known: ListingFacts, to: string, text: string): string[] {
  const names = known.names.get(to);
  const wanted = text.trim().toLowerCase();
  const keys = [...(names ?? [])].flatMap(([key, name]) => (name.toLowerCase() === wanted ? [key] : []));
  // Without names, or for a record without one, the text is a key.
  return keys.length > 0 ? keys : [text.trim()];
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

/** Shows a facet value; null and "" as words, and a reference as the name of its record. */
export function valueText(known: ListingFacts, field: Field, value: unknown): Node {
  return visibleText(referredName(known, field, value) ?? choiceText(value));
}
