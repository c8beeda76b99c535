/** Searches the changes block by block, a few milliseconds at a time, so that the page stays responsive. */

import { textOf } from "../../../markup/page/text.js";
import { BLOCKS, changesOf, TOTAL } from "./data.js";

/** @import { Kind, Change } from "./data.js" */

/**
 * @typedef {{ text: string, path: string, kinds: ReadonlySet<Kind> }} Filter an empty text or path matches all
 * @typedef {{ found: readonly number[], part: number }} Progress the numbers found so far, in which part (0 to 1) of all
 */

/** Milliseconds of work before the browser gets a chance to handle a key or a click. */
const SLICE = 12;

/**
 * Yields what has been found so far after each slice of work, and in the end with part 1.
 * @param {Filter} filter
 * @returns {AsyncGenerator<Progress>}
 */
export async function* search(filter) {
  const fits = matcher(filter);
  /** @type {number[]} */
  const found = [];
  let until = performance.now() + SLICE;
  for (const block of BLOCKS) {
    if (filter.kinds.has(block.kind) && (filter.path === "" || block.kind === "changed")) {
      // Without a condition, the block need not be parsed.
      const fitting = fits ? changesOf(block).map(fits) : new Array(block.rows).fill(true);
      fitting.forEach((isFitting, at) => {
        if (isFitting) found.push(block.first + at);
      });
    }
    if (performance.now() < until) continue;
    yield { found, part: block.first / TOTAL };
    await pause();
    until = performance.now() + SLICE;
  }
  yield { found, part: 1 };
}

/**
 * The condition on a change besides its kind, or undefined without one.
 * @param {Filter} filter
 * @returns {((change: Change) => boolean) | undefined}
 */
function matcher({ text, path }) {
  if (text === "" && path === "") return undefined;
  const pattern = new RegExp(text.normalize().replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"), "iu");
  // Normalization makes both forms of an accent equal.
  const says = (/** @type {unknown} */ value) => pattern.test(textOf(value).normalize());
  return ({ id, names, fields }) => {
    if (path !== "" && !fields.some((field) => field.path === path)) return false;
    return text === "" || says(id) || names.some(says) || fields.some((f) => says(f.old) || says(f.now));
  };
}

/** Resolves after the browser has handled waiting events. A timer would take longer. */
function pause() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
}
