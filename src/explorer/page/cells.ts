/** Shows single values: a short one in a row of the table, and a whole one in the view of its record. */
import { isPublishableUrl } from "../../contract/links.js";
import { element } from "../../markup/page/element.js";
import { cut, textOf, visibleText } from "../../markup/page/text.js";
import { wholeValue } from "../../markup/page/value.js";

/** Characters of a value in a row. */
const MOST = 40;
/** A longer address is shown as text. */
const LONGEST_LINK = 2000;
const TIME = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d)/;

/** A value in one line; of a time, its day. */
export function shortValue(value: unknown): Node {
  if (value === null || value === undefined) return missing("none");
  const text = textOf(value);
  if (text === "") return missing("empty");
  const [day] = typeof value === "string" ? (TIME.exec(value) ?? []) : [];
  if (day !== undefined) return element("time", { datetime: text }, day);
  const end = cut(text, MOST);
  return element("bdi", {}, visibleText(text.slice(0, end)), end < text.length ? "…" : "");
}

/** All of a value. One that is an http(s) address is a link, which says that it leads elsewhere. */
export function fullValue(value: unknown): Node {
  if (typeof value !== "string" || value.length > LONGEST_LINK || !isPublishableUrl(value)) return wholeValue(value);
  return foreignLink(value);
}

/** The site that it leads to learns nothing of this page, and cannot reach it. */
function foreignLink(url: string): HTMLElement {
  const link = element("a", {
    class: "foreign",
    href: url,
    rel: "noopener noreferrer nofollow external",
    referrerpolicy: "no-referrer",
  });
  link.append(visibleText(url), element("span", { class: "hidden" }, " (leads to another site)"));
  return link;
}

function missing(word: string): HTMLElement {
  return element("span", { class: "empty" }, word);
}
