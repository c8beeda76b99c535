/** The pager below a list. */
import { number } from "../../print/numbers.js";
import { button, element } from "./element.js";

/**
 * Makes a pager.
 * @param rows number of rows on a page.
 * @param onTurn called with the chosen page, from 1.
 */
export function createPager(rows: number, onTurn: (page: number) => void) {
  let page = 1;
  let pages = 1;
  const turn = (to: number) => {
    const inside = Math.max(1, Math.min(pages, to));
    if (inside !== page) onTurn(inside);
    else field.value = String(page);
  };
  const target = (label: string, to: () => number, isEnd = false) =>
    [button({ class: isEnd ? "button ends" : "button" }, () => turn(to()), label), to] as const;
  const first = target("First", () => 1, true);
  const previous = target("Previous", () => page - 1);
  const next = target("Next", () => page + 1);
  const last = target("Last", () => pages, true);
  const field = element("input", {
    id: "page",
    class: "field",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
  });
  field.addEventListener("change", () => turn(Math.trunc(Number(field.value)) || page));
  const all = element("span", { id: "pages" });
  const place = [element("label", {}, "Page ", field), " ", all];
  const bar = element(
    "nav",
    { id: "pager", class: "pager", "aria-label": "Pages of the list", hidden: "" },
    ...[first[0], previous[0], ...place, next[0], last[0]],
  );
  return {
    bar,
    /** Shows a position. @param at the page, from 1. @param listed number of rows of all pages. */
    show(at: number, listed: number): void {
      page = at;
      pages = Math.max(1, Math.ceil(listed / rows));
      bar.hidden = pages === 1;
      field.value = String(page);
      all.textContent = `of ${number(pages)}`;
      for (const [control, to] of [first, previous, next, last]) {
        // Not `disabled`, since a pressed button would lose the focus.
        control.setAttribute("aria-disabled", String(to() === page || to() < 1 || to() > pages));
      }
    },
  };
}
