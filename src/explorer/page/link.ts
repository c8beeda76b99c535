/** Links to other sites. */
import { isPublishableUrl } from "../../core/contract/links.js";
import { element } from "../markup/page/element.js";

/** Longer URLs are shown as text. */
const LONGEST = 2000;

/** Whether a value is an http(s) URL that may become a link. */
export function isLink(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST && isPublishableUrl(value);
}

/** A link that gives the other site no access to this window. The page sends no referrer. */
export function linkTo(url: string, text: Node | string): HTMLElement {
  const note = element("span", { class: "hidden" }, " (leads to another site)");
  return element("a", { class: "foreign", href: url, rel: "noopener nofollow" }, text, note);
}
