/** Values as a person reads them: what is invisible in a text stands out, and what differs is marked. */
import { element } from "./element.js";

/** Controls, direction and other invisible format characters, line separators and lone surrogates; not line breaks. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * The part of a value that another one has not: from `start` up to `end`.
 * @typedef {{ start: number, end: number }} Part
 */

/**
 * A text with each invisible character as a visible escape.
 * @param {string} text
 * @param {{ lines: boolean }} options whether line breaks stay
 */
export function visibleText(text, { lines }) {
  const fragment = document.createDocumentFragment();
  let from = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (lines && character === "\n") continue;
    fragment.append(text.slice(from, index), element("span", { class: "escape" }, escaped(character)));
    from = index + character.length;
  }
  fragment.append(text.slice(from));
  return fragment;
}

/** @param {string} character */
function escaped(character) {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/**
 * A value as text: a string is itself, all else its JSON.
 * @param {unknown} value
 */
export function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * What differs in either text, without what both begin and end with; never half a character.
 * @param {string} old
 * @param {string} now
 * @returns {[old: Part, now: Part]}
 */
export function differences(old, now) {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  if (splits(old, start) || splits(now, start)) start -= 1;
  let tail = 0;
  while (tail < most - start && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  if (splits(old, old.length - tail) || splits(now, now.length - tail)) tail -= 1;
  return [
    { start, end: old.length - tail },
    { start, end: now.length - tail },
  ];
}

/**
 * Whether a cut here would part a surrogate pair.
 * @param {string} text
 * @param {number} at
 */
function splits(text, at) {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}

/**
 * The nearest place at or before this one where a text may be cut.
 * @param {string} text
 * @param {number} at
 */
export function cut(text, at) {
  const inside = Math.max(0, Math.min(text.length, at));
  return splits(text, inside) ? inside - 1 : inside;
}

/**
 * One line of a value: whole when short, else what is around its part.
 * @param {unknown} value
 * @param {Part} part
 */
export function excerpt(value, part) {
  const [LONGEST, BEFORE] = [64, 16];
  const text = textOf(value);
  const shown = element("bdi", { class: typeof value === "string" ? undefined : "literal" });
  if (text === "") shown.append(element("span", { class: "empty" }, "empty"));
  if (text.length <= LONGEST) shown.append(visibleText(text, { lines: false }));
  else {
    const from = part.start > LONGEST - BEFORE ? cut(text, part.start - BEFORE) : 0;
    const to = cut(text, from + LONGEST);
    const middle = visibleText(text.slice(from, to), { lines: false });
    shown.append(from > 0 ? "…" : "", middle, to < text.length ? "…" : "");
  }
  return shown;
}
