/** Links between the explorers of a site's listings: from a reference to its record, and from a record to those that refer to it. */
import { findView } from "../../client/find-view.js";
import { openHost } from "../../client/open-host.js";
import type { AnyRecord, Field } from "../../core/contract/contract.js";
import type { Referrer } from "../../core/contract/references.js";
import { firstOf } from "../../core/print/fit.js";
import { number } from "../../core/print/numbers.js";
import { capital, visible } from "../../core/print/text.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { referenceOf } from "../meaning.js";
import { addressOf, BEGINNING, type Chosen } from "./address.js";
import { listingAt } from "./names.js";
import { describeError } from "./notice.js";
import { type ListingFacts, WAITS } from "./reader.js";
import { namesOf, referredName } from "./values.js";

/** Maximum characters of a name. */
const MOST_SHOWN = 40;

/** The URL of another listing's explorer, relative to this one; undefined outside of a site. */
function explorerOf(known: Pick<ListingFacts, "snapshot">, name: string): string | undefined {
  const at = listingAt(known, name);
  return at && `${at}index.html`;
}

/** A link to the record that a value refers to. */
export interface ReferenceLink {
  link: HTMLAnchorElement;
  /** The name of the listing that it leads to. */
  to: string;
  key: string;
  /** The name of the record, if it was read. */
  name: string | undefined;
}

/** Makes a link of a value with `x-references`, with the name of its record if that was read; undefined for any other value. */
export function referenceLink(
  known: ListingFacts,
  field: Pick<Field, "schema">,
  value: unknown,
  shown: Node,
): ReferenceLink | undefined {
  const to = referenceOf(field);
  if (to === undefined || (typeof value !== "string" && typeof value !== "number")) return undefined;
  const explorer = explorerOf(known, to);
  if (explorer === undefined) return undefined;
  const key = String(value);
  const name = referredName(known, field, value);
  // Links do not nest.
  const plain = shown instanceof HTMLAnchorElement ? visibleText(key) : shown;
  const content = name === undefined ? plain : element("bdi", {}, firstOf(name, MOST_SHOWN, visible));
  const attributes = { href: `${explorer}${addressOf({ key })}`, title: name === undefined ? undefined : key };
  return { link: element("a", attributes, content), to, key, name };
}

/**
 * Adds their number to the links to records that refer to one, if a view has it.
 * @returns why numbers are missing, if a host sent wrong data
 */
export async function countReferring(
  article: HTMLElement,
  known: ListingFacts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const links = [...article.querySelectorAll<HTMLAnchorElement>("a[data-view]")];
  const counted = links.map(async (link) => {
    const { from = "", view = "", value = "null" } = link.dataset;
    try {
      const records = await countAt(listingAt(known, from) ?? "", view, JSON.parse(value), signal);
      if (!signal.aborted) link.append(` (${number(records)})`);
      return undefined;
    } catch (error) {
      return describeError(error).isUnproved
        ? `The view ${view} of ${from} is not what was published, so its numbers are not shown.`
        : undefined;
    }
  });
  return (await Promise.all(counted)).find((why) => why !== undefined);
}

/** The number of records of another listing that have a value, by the index of a view. @param at its base URL, relative to this page */
async function countAt(at: string, view: string, value: Chosen, signal: AbortSignal): Promise<number> {
  const host = openHost(new URL(at, location.href).href, WAITS);
  const [{ countOf }, found] = await Promise.all([import("./views.js"), findView(host, { signal })]);
  return countOf(host, found, view, value, signal);
}

/** The section with links to the records that refer to this one; empty if there is no field by which they are found. */
export function referringRecords(
  record: AnyRecord,
  known: ListingFacts,
  referrers: readonly Referrer[],
): HTMLElement[] {
  const { id } = namesOf(record, known);
  const key: Chosen = known.contract.key.kind === "text" ? id : Number(id);
  const [own] = known.contract.listing.words;
  const rows = referrers.flatMap(({ from, path, words, view }) => {
    const explorer = explorerOf(known, from);
    if (explorer === undefined) return [];
    const href = `${explorer}${addressOf({ ...BEGINNING, where: new Map([[path, [key]]]) })}`;
    const isOnly = referrers.filter((other) => other.words[1] === words[1]).length === 1;
    const by = isOnly ? "" : `, by ${path} of ${from}`;
    const link = element("a", { href }, visibleText(`${capital(words[1])} of this ${own}${by}`));
    // The number is read when the record is shown.
    if (view !== undefined) Object.assign(link.dataset, { from, view, value: JSON.stringify(key) });
    return [element("li", {}, link)];
  });
  if (rows.length === 0) return [];
  const title = element("h3", { id: "referring-title" }, "What refers to it");
  return [element("section", { class: "origin", "aria-labelledby": title.id }, title, element("ul", {}, ...rows))];
}
