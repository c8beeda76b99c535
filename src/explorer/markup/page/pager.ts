/** The pager below a list. */
import { number } from "../../../core/print/numbers.js";
import { button, element } from "./element.js";

/** Makes a pager. @param onTurn called with the chosen page, from 1; the list then scrolls to its top. */
export function createPager(list: HTMLElement, onTurn: (page: number) => void) {
  let page = 1;
  let pages = 1;
  /** The last page that is known; this one if there are more. */
  let last = 1;
  const turn = (to: number) => {
    const inside = Math.max(1, Math.min(pages, to));
    field.value = String(page);
    if (inside === page) return;
    onTurn(inside);
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView();
  };
  const control = (label: string, target: () => number, kind = "button") => ({
    target,
    made: button({ class: kind }, () => turn(target()), label),
  });
  const before = [control("First", () => 1, "button ends"), control("Previous", () => page - 1)];
  const after = [control("Next", () => page + 1), control("Last", () => last, "button ends")];
  const field = element("input", {
    id: "page",
    class: "field",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
  });
  field.addEventListener("change", () => turn(Math.trunc(Number(field.value)) || page));
  const all = element("span", { id: "pages" });
  const bar = element(
    "nav",
    { id: "pager", class: "pager", "aria-label": "Pages of the list", hidden: "" },
    ...before.map(({ made }) => made),
    element("label", {}, "Page ", field),
    " ",
    all,
    ...after.map(({ made }) => made),
  );
  return {
    bar,
    /** Shows a position. @param at the page, from 1. @param known the number of pages; undefined if there are more than this one. */
    show(at: number, known: number | undefined): void {
      page = at;
      pages = known ?? at + 1;
      last = known ?? at;
      bar.hidden = pages === 1;
      field.value = String(page);
      all.textContent = known === undefined ? "of more" : `of ${number(pages)}`;
      for (const { made, target } of [...before, ...after]) {
        const to = target();
        // Not `disabled`, since a pressed button would lose the focus.
        made.setAttribute("aria-disabled", String(to === page || to < 1 || to > pages));
      }
    },
  };
}
