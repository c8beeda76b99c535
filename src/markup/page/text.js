/** Shows values as text, with invisible characters made visible. */
import { JOINED } from "../../print/joined.js";
import { element } from "./element.js";

/** Controls, direction and other invisible format characters, line separators and lone surrogates. */
const INVISIBLE = besideJoined("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");
const INVISIBLE_IN_LINES = besideJoined("(?!\\n)[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");
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
  const pattern = ascii ? BEYOND_ASCII : lines ? INVISIBLE_IN_LINES : INVISIBLE;
  const hidden = [...text.matchAll(pattern)].filter(([, joined]) => joined === undefined);
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

/**
 * A pattern of characters, and in its group of what a joiner rightly joins. A browser that does not know which emoji
 * Unicode recommends shows all joiners.
 * @param {string} source
 */
function besideJoined(source) {
  try {
    return new RegExp(`(${JOINED})|${source}`, "gv");
  } catch {
    return new RegExp(source, "gu");
  }
}

/** @param {string} character */
function escaped(character) {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/** The most units that a place is moved so as not to cut what is joined. */
const MOST_JOINED = 32;

/**
 * The nearest place at or before this one where a text may be cut without breaking a surrogate pair, or what is joined.
 * @param {string} text
 * @param {number} at
 */
export function cut(text, at) {
  const inside = Math.max(0, Math.min(text.length, at));
  for (let place = inside; place > 0 && place > inside - MOST_JOINED; place -= 1)
    if (!/^(?:.?[\u200c\u200d]|.[\ufe0f\udc00-\udfff])/s.test(text.slice(place - 1, place + 1))) return place;
  return /^[\udc00-\udfff]/.test(text.slice(inside, inside + 1)) ? Math.max(0, inside - 1) : inside;
}
