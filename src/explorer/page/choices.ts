/** The facets: values by which records are chosen, with how many have each. */
import { fieldAt } from "../../contract/contract.js";
import { headingOf } from "../../contract/heading.js";
import { button, element } from "../../markup/page/element.js";
import { textOf, visibleText } from "../../markup/page/text.js";
import { number } from "../../print/numbers.js";
import type { Facet } from "../summary.js";
import type { Chosen, ListPlace } from "./address.js";
import type { Basis } from "./reader.js";

export interface Choices {
  readonly element: HTMLElement;
  /** What can be chosen in a snapshot, and what is. */
  show(known: Basis, where: ListPlace["where"]): void;
}

type Choose = (where: ListPlace["where"]) => void;

/** Values of a facet that are shown at first. */
const FIRST_VALUES = 6;

/** @param onChoose told what is chosen then. */
export function createChoices(onChoose: Choose): Choices {
  const groups = element("div", { class: "groups" });
  const summary = element("summary", {});
  const details = element("details", { class: "choices" }, summary, groups);
  // Beside the table there is room for it; on a phone it would push the table away.
  const isWide = matchMedia("(min-width: 900px)");
  const openIfWide = () => {
    details.open = isWide.matches;
  };
  isWide.addEventListener("change", openIfWide);
  openIfWide();
  /** Facets of which all values are shown. */
  const opened = new Set<string>();
  return {
    element: details,
    show(known, where) {
      const focused =
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset["choice"] : undefined;
      const facets = known.summary.facets.filter(({ values, more }) => values.length + more > 1);
      details.hidden = facets.length === 0;
      const headings = facets.map(({ path }) => headingOf(fieldAt(known.contract, path)).toLowerCase());
      summary.replaceChildren(visibleText(`Choose by ${headings.join(", ")}`));
      groups.replaceChildren(...facets.map((facet) => group(facet, known, { where, opened, onChoose })));
      const again = [...groups.querySelectorAll("button")].find(({ dataset }) => dataset["choice"] === focused);
      if (focused !== undefined) again?.focus({ preventScroll: true });
    },
  };
}

interface Offer {
  where: ListPlace["where"];
  opened: Set<string>;
  onChoose: Choose;
}

function group(facet: Facet, { contract, summary }: Basis, chosen: Offer): HTMLElement {
  const { path, values, more } = facet;
  const title = headingOf(fieldAt(contract, path));
  const list = element("ul", {});
  const buttons = values.map(({ value, count }) =>
    element("li", {}, choice(facet, value, { count, part: count / summary.count }, chosen)),
  );
  const isOpen = chosen.opened.has(path) || buttons.length <= FIRST_VALUES + 1;
  list.append(...(isOpen ? buttons : buttons.slice(0, FIRST_VALUES)));
  const parts: HTMLElement[] = [list];
  if (!isOpen) {
    const showAll = () => {
      chosen.opened.add(path);
      list.replaceChildren(...buttons);
      list.children[FIRST_VALUES]?.querySelector("button")?.focus();
      all.remove();
    };
    const all = button({ class: "more" }, showAll, `${number(buttons.length - FIRST_VALUES)} more`);
    parts.push(all);
  }
  if (more > 0) parts.push(element("p", { class: "rest" }, `${number(more)} rarer values are not listed.`));
  return element("fieldset", { class: "choice" }, element("legend", {}, visibleText(title)), ...parts);
}

function choice({ path }: Facet, value: unknown, { count, part }: { count: number; part: number }, chosen: Offer) {
  const { where, onChoose } = chosen;
  const isChosen = where.has(path) && JSON.stringify(where.get(path)) === JSON.stringify(value);
  const others = [...where].filter(([other]) => other !== path);
  const option = button(
    { class: "option", "aria-pressed": String(isChosen), "data-choice": `${path}=${JSON.stringify(value)}` },
    () => onChoose(new Map(isChosen ? others : [...others, [path, value as Chosen]])),
    element("bdi", {}, valueText(value)),
    " ",
    element("span", { class: "number" }, number(count)),
  );
  // A style attribute would be against the page's policy; this is not one.
  option.style.setProperty("--part", `${Math.max(1, 100 * part)}%`);
  return option;
}

/** A value of a facet, in words where it is nothing. */
export function valueText(value: unknown): Node {
  return visibleText(value === null ? "none" : value === "" ? "empty" : textOf(value));
}
