/** Which of the listed changes are on the screen: a page of them at a time, so that the table stays small. */
import { byId, number } from "./element.js";

export const PAGE_SIZE = 50;

/**
 * @param {(page: number) => void} onTurn told the page, from 1, that somebody has turned to
 */
export function createPager(onTurn) {
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
     * @param {number} listed all changes that the pages list
     */
    show(at, listed) {
      [page, pages] = [at, Math.max(1, Math.ceil(listed / PAGE_SIZE))];
      bar.hidden = pages === 1;
      field.value = String(page);
      byId("pages", HTMLElement).textContent = `of ${number(pages)}`;
      for (const button of buttons) {
        // Not `disabled`, which would throw the focus away under the finger that has just pressed it.
        const to = targetOf(button);
        button.setAttribute("aria-disabled", String(to === page || to < 1 || to > pages));
      }
    },
  };
}
