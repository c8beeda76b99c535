/** Shows values as text, with invisible characters escaped. */
import { JOINED } from "../../../core/print/joined.js";
import { BREAKS, escapeUnits, INVISIBLE } from "../../../core/print/text.js";
import { element } from "./element.js";

/** Invisible characters, and in the group, joined sequences. */
const HIDDEN = new RegExp(`(${JOINED})|${INVISIBLE.source}`, "gv");
const HIDDEN_IN_LINES = new RegExp(`(${JOINED})|(?!\\n)${INVISIBLE.source}`, "gv");
/** For texts that differ but look the same. */
const BEYOND_ASCII = /[^\x20-\x7e]/gu;

/** With more escapes or break opportunities than this, text is shown without elements for them, which would be slow. */
const MOST_MARKED = 500;

/** A value as text: a string as it is, everything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Makes text nodes with invisible characters escaped, and break opportunities in names and paths. `lines` keeps line breaks;
 * `ascii` escapes everything but ASCII.
 */
export function visibleText(text: string, { lines = false, ascii = false } = {}): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pattern = ascii ? BEYOND_ASCII : lines ? HIDDEN_IN_LINES : HIDDEN;
  const hidden = [...text.matchAll(pattern)].filter(([, joined]) => joined === undefined);
  const isPlain = hidden.length > MOST_MARKED;
  let from = 0;
  for (const { 0: character, index } of hidden) {
    const seen = escapeUnits(character);
    fragment.append(...breakable(text.slice(from, index)), isPlain ? seen : element("span", { class: "escape" }, seen));
    from = index + character.length;
  }
  fragment.append(...breakable(text.slice(from)));
  fragment.normalize();
  return fragment;
}

function breakable(text: string): (Node | string)[] {
  const parts = text.split(BREAKS);
  if (parts.length > MOST_MARKED) return [text];
  return parts.flatMap((part, at) => (at === 0 ? [part] : [element("wbr"), part]));
}

/** Maximum number of units by which a cut is moved. */
const MOST_JOINED = 32;

/** The nearest offset at or before `at` that does not split a surrogate pair or a joined sequence. */
export function cut(text: string, at: number): number {
  const inside = Math.max(0, Math.min(text.length, at));
  for (let place = inside; place > 0 && place > inside - MOST_JOINED; place -= 1)
    if (!/^(?:.?[\u200c\u200d]|.[\ufe0f\udc00-\udfff])/s.test(text.slice(place - 1, place + 1))) return place;
  return /^[\udc00-\udfff]/.test(text.slice(inside, inside + 1)) ? Math.max(0, inside - 1) : inside;
}

/** A key as it is shown: a blank one in quotes, since a blank link or button would be invisible. */
export function shownKey(key: string): string {
  return key.trim() === "" ? JSON.stringify(key) : key;
}
