/** Finding changes without holding up the page: block by block, a few milliseconds at a time. */
import { BLOCKS, changesOf, TOTAL } from "./data.js";
import { textOf } from "./text.js";

/** @import { Kind, Change } from "./data.js" */

/**
 * @typedef {{ text: string, path: string, kinds: ReadonlySet<Kind> }} Filter an empty text or path takes all
 * @typedef {{ found: readonly number[], part: number }} Progress the numbers found so far, in which part (0 to 1) of all
 */

/** Milliseconds of work between two chances for the browser to answer a key or a click. */
const SLICE = 12;

/**
 * Yields what has been found so far after each slice of work, and at last with part 1.
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
      // A block that fits as it is need not be parsed.
      const fitting = fits ? changesOf(block).map(fits) : new Array(block.rows).fill(true);
      fitting.forEach((isFitting, at) => {
        if (isFitting) found.push(block.first + at);
      });
    }
    if (performance.now() < until) continue;
    yield { found, part: block.first / TOTAL };
    await breath();
    until = performance.now() + SLICE;
  }
  yield { found, part: 1 };
}

/**
 * What a change must pass besides being of the right kind, or undefined when any does.
 * @param {Filter} filter
 * @returns {((change: Change) => boolean) | undefined}
 */
function matcher({ text, path }) {
  if (text === "" && path === "") return undefined;
  const pattern = new RegExp(text.normalize().replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"), "iu");
  // An accent is found in whichever of its forms it stands.
  const says = (/** @type {unknown} */ value) => pattern.test(textOf(value).normalize());
  return ({ id, name, username, fields }) => {
    if (path !== "" && !fields.some((field) => field.path === path)) return false;
    return text === "" || says(id) || says(name) || says(username) || fields.some((f) => says(f.old) || says(f.now));
  };
}

/** Ends when the browser has done what waited; sooner than a timer, which it slows down. */
function breath() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
}
