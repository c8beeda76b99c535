/** Shows a long list page by page, so that its table stays small. */
import { byId, formatNumber } from "./element.js";

/**
 * @param {number} rows how many a page has
 * @param {(page: number) => void} onTurn called with the page, from 1, that the reader wants to see
 */
export function createPager(rows, onTurn) {
  const bar = byId("pager", HTMLElement);
  const field = byId("page", HTMLInputElement);
  const buttons = [...bar.querySelectorAll("button")];
  let [page, pages] = [1, 1];
  const targets = { first: () => 1, previous: () => page - 1, next: () => page + 1, last: () => pages };
  const targetOf = (/** @type {HTMLElement} */ button) =>
    targets[/** @type {keyof typeof targets} */ (button.dataset["go"])]();
  const turn = (/** @type {number} */ to) => {
    const inside = Math.max(1, Math.min(pages, to));
    if (inside !== page) onTurn(inside);
    else field.value = String(page);
  };
  for (const button of buttons) button.addEventListener("click", () => turn(targetOf(button)));
  field.addEventListener("change", () => turn(Math.trunc(Number(field.value)) || page));

  return {
    /**
     * @param {number} at the page, from 1
     * @param {number} listed how many rows all pages have together
     */
    show(at, listed) {
      [page, pages] = [at, Math.max(1, Math.ceil(listed / rows))];
      bar.hidden = pages === 1;
      field.value = String(page);
      byId("pages", HTMLElement).textContent = `of ${formatNumber(pages)}`;
      for (const button of buttons) {
        // Not `disabled`, because a button would lose the focus when it is pressed.
        const to = targetOf(button);
        button.setAttribute("aria-disabled", String(to === page || to < 1 || to > pages));
      }
    },
  };
}
