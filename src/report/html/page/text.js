/** Shows values as text, with invisible characters made visible. */
import { element } from "./element.js";

/** Controls, direction and other invisible format characters, line separators and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const INVISIBLE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** For texts that differ but look the same. */
const BEYOND_ASCII = /[^\x20-\x7e]/gu;

/** With more escapes than this in one text, they are not highlighted, because that would be too slow. */
const MOST_MARKED = 500;

/** @typedef {{ lines?: boolean, ascii?: boolean }} Seeing whether line breaks are kept, and whether everything but ASCII is escaped */

/**
 * A value as text: a string as it is, everything else as JSON.
 * @param {unknown} value
 */
export function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * A text with each invisible character as a visible escape.
 * @param {string} text
 * @param {Seeing} [seeing]
 */
export function visibleText(text, { lines = false, ascii = false } = {}) {
  const fragment = document.createDocumentFragment();
  const hidden = [...text.matchAll(ascii ? BEYOND_ASCII : lines ? INVISIBLE_IN_LINES : INVISIBLE)];
  let from = 0;
  for (const { 0: character, index } of hidden) {
    const seen = escaped(character);
    const isPlain = hidden.length > MOST_MARKED;
    fragment.append(text.slice(from, index), isPlain ? seen : element("span", { class: "escape" }, seen));
    from = index + character.length;
  }
  fragment.append(text.slice(from));
  fragment.normalize();
  return fragment;
}

/** @param {string} character */
function escaped(character) {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/**
 * The nearest place at or before this one where a text may be cut without breaking a surrogate pair.
 * @param {string} text
 * @param {number} at
 */
export function cut(text, at) {
  const inside = Math.max(0, Math.min(text.length, at));
  return /^[\uDC00-\uDFFF]/u.test(text.slice(inside, inside + 1)) ? Math.max(0, inside - 1) : inside;
}
