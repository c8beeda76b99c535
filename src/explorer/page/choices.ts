/** The facets: values to filter by, with the number of records of each. */
import { fieldAt } from "../../contract/contract.js";
import { button, element } from "../../markup/page/element.js";
import { textOf, visibleText } from "../../markup/page/text.js";
import { number } from "../../print/numbers.js";
import { headingOf, nameInText } from "../meaning.js";
import type { Facet } from "../summary.js";
import type { Chosen, ListPlace } from "./address.js";
import type { SnapshotFacts } from "./reader.js";

/** Number of values of a facet before "more" is pressed. */
const FIRST_VALUES = 6;

/** Makes the facets. @param onChoose called with the new filters. */
export function createChoices(onChoose: (where: ListPlace["where"]) => void) {
  const groups = element("div", { class: "groups" });
  const summary = element("summary");
  const details = element("details", { class: "choices" }, summary, groups);
  // Open beside the table; closed on a phone, where it would push the table down.
  const isWide = matchMedia("(min-width: 900px)");
  const openIfWide = () => {
    details.open = isWide.matches;
  };
  isWide.addEventListener("change", openIfWide);
  openIfWide();
  /** Paths of facets with all values shown. */
  const opened = new Set<string>();

  const group = ({ path, values, more }: Facet, known: SnapshotFacts, where: ListPlace["where"], isAll: boolean) => {
    const all = isAll ? known.summary.count : undefined;
    const options = values.map(({ value, count }) => element("li", {}, option(path, value, count, all, where)));
    const isOpen = opened.has(path) || options.length <= FIRST_VALUES + 1;
    const list = element("ul", {}, ...(isOpen ? options : options.slice(0, FIRST_VALUES)));
    const showAll = () => {
      opened.add(path);
      list.replaceChildren(...options);
      list.children[FIRST_VALUES]?.querySelector("button")?.focus();
      further.remove();
    };
    const further = button({ class: "more" }, showAll, `${number(options.length - FIRST_VALUES)} more`);
    const legend = element("legend", {}, visibleText(headingOf(fieldAt(known.contract, path))));
    const rest = element("p", { class: "rest" }, `${number(more)} rarer values are not listed.`);
    const below = [...(isOpen ? [] : [further]), ...(more > 0 ? [rest] : [])];
    return element("fieldset", { class: "choice" }, legend, list, ...below);
  };

  /** @param all number of records; undefined while filtered, since the counts are of all records. */
  const option = (path: string, value: unknown, count: number, all: number | undefined, where: ListPlace["where"]) => {
    const isChosen = where.has(path) && JSON.stringify(where.get(path)) === JSON.stringify(value);
    const others = [...where].filter(([other]) => other !== path);
    const made = button(
      { class: "option", "aria-pressed": String(isChosen), "data-choice": `${path}=${JSON.stringify(value)}` },
      () => onChoose(new Map(isChosen ? others : [...others, [path, value as Chosen]])),
      element("bdi", {}, valueText(value)),
    );
    if (all === undefined) return made;
    made.append(" ", element("span", { class: "number" }, number(count)));
    // The Content-Security-Policy forbids style attributes, but allows this.
    made.style.setProperty("--part", `${Math.max(1, (100 * count) / all)}%`);
    return made;
  };

  return {
    element: details,
    /** Shows the facets of a snapshot and the current filters. @param isAll whether all records are shown. */
    show(known: SnapshotFacts, where: ListPlace["where"], isAll: boolean): void {
      const { activeElement } = document;
      const focused = activeElement instanceof HTMLElement ? activeElement.dataset["choice"] : undefined;
      const facets = known.summary.facets.filter(({ values, more }) => values.length + more > 1);
      details.hidden = facets.length === 0;
      const headings = facets.map(({ path }) => nameInText(fieldAt(known.contract, path)));
      summary.replaceChildren(visibleText(`Choose by ${headings.join(", ")}`));
      groups.replaceChildren(...facets.map((facet) => group(facet, known, where, isAll)));
      const again = [...groups.querySelectorAll("button")].find(({ dataset }) => dataset["choice"] === focused);
      if (focused !== undefined) again?.focus({ preventScroll: true });
    },
  };
}

/** Shows a facet value; null and "" as words. */
export function valueText(value: unknown): Node {
  return visibleText(value === null ? "none" : value === "" ? "empty" : textOf(value));
}
