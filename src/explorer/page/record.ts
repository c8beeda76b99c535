/** The view of one record: its fields with their meanings, and where it is published. */
import stringify from "fast-json-stable-stringify";
import { hexDigest } from "../../client/digests.js";
import { type Member, membersOf } from "../../core/contract/contract.js";
import { isPublishableUrl, pageUrl } from "../../core/contract/links.js";
import { valueAt } from "../../core/contract/record/value.js";
import type { Referrer } from "../../core/contract/references.js";
import { firstOf } from "../../core/print/fit.js";
import { number as separated, time } from "../../core/print/numbers.js";
import { shellWord, visible } from "../../core/print/text.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { empty, wholeValue } from "../markup/page/value.js";
import { epochTime, headingOf, meaningOf } from "../meaning.js";
import { addressOf } from "./address.js";
import { isLink, linkTo } from "./link.js";
import { readName } from "./names.js";
import type { ListedRow, ListingFacts } from "./reader.js";
import { referenceLink, referringRecords } from "./references.js";
import { namesOf } from "./values.js";

/** Maximum characters of the name of a record that is referred to. */
const MOST_NAME = 200;
/** Longer lists are shown as JSON. */
const MOST_ITEMS = 1000;
/** Width and height of images in pixels. */
const IMAGE = 96;
/** Length of the digests in records.sha256. */
const DIGEST_DIGITS = 32;

/** The view of a record, and its heading, which takes the focus. */
export interface RecordView {
  article: HTMLElement;
  heading: HTMLElement;
}

/** Makes the view of a record. @param near the record and its neighbours. @param back the URL of the list. @param referrers fields of other listings. */
export async function recordView(
  row: ListedRow,
  near: readonly ListedRow[],
  known: ListingFacts,
  baseUrl: string,
  back: string,
  referrers: readonly Referrer[] = [],
): Promise<RecordView> {
  const { shownId, name = shownId } = namesOf(row.record, known);
  const id = element("p", { class: "id" }, element("bdi", {}, visibleText(shownId)));
  const content = [
    ...(name === shownId ? [] : [id]),
    fieldTable(row, known),
    ...referringRecords(row.record, known, referrers),
    await origin(row, known, baseUrl),
  ];
  const view = viewOf(known, back, element("bdi", {}, visibleText(name)), ...content);
  view.article.firstElementChild?.append(...turns(row, near, known));
  return view;
}

/** Links to the records before and after this one, in published order. */
function turns({ number }: ListedRow, near: readonly ListedRow[], known: ListingFacts): HTMLElement[] {
  return [
    { label: "Previous", rel: "prev", place: number - 1 },
    { label: "Next", rel: "next", place: number + 1 },
  ].map(({ label, rel, place }) => {
    const row = near.find((other) => other.number === place);
    const href = row && addressOf({ key: namesOf(row.record, known).id });
    const hidden = element("span", { class: "hidden" }, visibleText(` ${known.contract.listing.words[0]}`));
    // Without href, the link cannot be followed.
    return element("a", { class: "button turn", href, rel, "aria-disabled": href ? undefined : "true" }, label, hidden);
  });
}

/** The view of a key that no record has. */
export function noRecordView(key: string, known: ListingFacts, back: string): RecordView {
  const what = element("p", {}, "It may have been removed: ", element("bdi", { class: "literal" }, visibleText(key)));
  return viewOf(known, back, `No ${known.contract.listing.words[0]} has this key`, what);
}

function viewOf({ contract }: ListingFacts, back: string, title: Node | string, ...content: HTMLElement[]): RecordView {
  const heading = element("h2", { id: "record-title", tabindex: -1 }, title);
  const arrow = element("span", { "aria-hidden": "true" }, "← ");
  const link = element("a", { href: back }, arrow, visibleText(`All ${contract.listing.words[1]}`));
  const above = element("p", { class: "back" }, link);
  const article = element("article", { class: "one", "aria-labelledby": heading.id }, above, heading, ...content);
  return { article, heading };
}

/** The table of fields, in the order of the contract file. Fields of an object are grouped below its name. */
function fieldTable({ record }: ListedRow, known: ListingFacts): HTMLElement {
  const { contract } = known;
  const head = ["Field", "Value", "What it means"].map((text) => element("th", { scope: "col" }, text));
  const bodies = Object.entries(contract.file.properties).map(([name, schema]) => {
    const members = [...membersOf({ [name]: schema }, Object.keys)].filter((member) => !member.schema.properties);
    const group = schema.properties ? [groupRow(name, schema.description)] : [];
    return element("tbody", {}, ...group, ...members.map((field) => fieldRow(field, valueAt(record, field), known)));
  });
  const headRow = element("thead", {}, element("tr", {}, ...head));
  const attributes = { class: "fields cards", "aria-labelledby": "record-title" };
  return element("table", attributes, headRow, ...bodies);
}

function groupRow(group: string, about: string | undefined): HTMLElement {
  const title = element("strong", {}, visibleText(headingOf({ names: [group], schema: {} })));
  const words = about === undefined ? [] : [" ", visibleText(about)];
  return element("tr", {}, element("th", { scope: "rowgroup", colspan: 3, class: "group" }, title, ...words));
}

function fieldRow(field: Member, value: unknown, known: ListingFacts): HTMLElement {
  const path = element("code", { class: "path" }, visibleText(field.path));
  // Within a group, omit the group's name.
  const [, ...inner] = field.names;
  const heading = headingOf(inner.length > 0 ? { names: inner, schema: field.schema } : field);
  const title = element("span", { class: "heading" }, visibleText(heading));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, title, path),
    element("td", {}, ...referredValue(known, field, value)),
    element("td", { class: "kind" }, visibleText(field.schema.description ?? `${meaningOf(field.schema).kind}.`)),
  );
}

/** A value; a reference as a link with the name of its record and the key. */
function referredValue(known: ListingFacts, field: Member, value: unknown): (Node | string)[] {
  const whole = fieldValue(field, value);
  const reference = referenceLink(known, field, value, whole);
  if (!reference) return [whole];
  const { link, to, key, name } = reference;
  // A name that is not in labels.json is read when the record is shown.
  if (name === undefined) Object.assign(link.dataset, { to, key });
  return name === undefined ? [link] : [link, " ", keyOf(key)];
}

function keyOf(key: string): HTMLElement {
  return element("bdi", { class: "id" }, visibleText(key));
}

/** Reads the names that the links of a record's references lack. */
export async function nameReferences(article: HTMLElement, known: ListingFacts, signal: AbortSignal): Promise<void> {
  const links = [...article.querySelectorAll("a")];
  await Promise.all(
    links.map(async (link) => {
      const { to, key } = link.dataset;
      if (to === undefined || key === undefined) return;
      const name = await readName(known, to, key, signal);
      if (name === undefined || signal.aborted) return;
      link.replaceChildren(element("bdi", {}, firstOf(name, MOST_NAME, visible)));
      link.after(" ", keyOf(key));
    }),
  );
}

function fieldValue(field: Member, value: unknown): Node {
  const moment = epochTime(field, value);
  if (moment) return element("div", { class: "value" }, `${value}, which is `, momentText(moment));
  const whole = fullValue(value);
  return isImage(field.schema["x-image"], value) ? element("div", {}, image(value), whole) : whole;
}

function momentText(moment: Date): HTMLElement {
  return element("time", { datetime: moment.toISOString() }, `${time(moment)} UTC`);
}

/** A whole value: an http(s) URL as an external link, and a list as a list. */
function fullValue(value: unknown): Node {
  if (Array.isArray(value) && value.length <= MOST_ITEMS) return value.length === 0 ? empty() : listOf(value);
  return isLink(value) ? linkTo(value, visibleText(value)) : wholeValue(value);
}

function listOf(values: readonly unknown[]): HTMLElement {
  return element("ul", { class: "items" }, ...values.map((value) => element("li", {}, fullValue(value))));
}

/** Whether this is an image that the page's Content-Security-Policy allows: of its own host, or of the origin that the contract names. */
function isImage(origin: true | string | undefined, value: unknown): value is string {
  if (!origin || typeof value !== "string" || !isPublishableUrl(value)) return false;
  return [location.origin, origin].includes(new URL(value).origin);
}

function image(url: string): HTMLElement {
  return element("img", {
    class: "image",
    src: url,
    alt: "",
    referrerpolicy: "no-referrer",
    width: IMAGE,
    height: IMAGE,
    loading: "lazy",
  });
}

/** The section about where the record is published: page, position and digest. */
async function origin(
  { record, number }: ListedRow,
  { snapshot, contract }: ListingFacts,
  baseUrl: string,
): Promise<HTMLElement> {
  const { page_size, links } = snapshot;
  const page = Math.floor(number / page_size) + 1;
  const url = pageUrl({ baseUrl, path: contract.listing.path, links }, page);
  const digest = await hexDigest(new TextEncoder().encode(stringify(record)));
  const command = `curl -s ${shellWord(url)} | jq '.results[${number % page_size}]'`;
  const code = element("code", { class: "command" }, visibleText(command));
  const place = `Number ${separated(number + 1)} of ${separated(snapshot.count)}, on `;
  return element(
    "section",
    { class: "origin", "aria-labelledby": "origin-title" },
    element("h3", { id: "origin-title" }, "Where it is published"),
    element(
      "dl",
      { class: "pairs" },
      pair("Page", place, element("a", { href: url }, `JSON page ${separated(page)}`)),
      pair(
        "Digest",
        element("code", {}, digest.slice(0, DIGEST_DIGITS)),
        `, the first ${DIGEST_DIGITS} digits of its SHA-256`,
      ),
      pair("For programs", code),
    ),
  );
}

function pair(name: string, ...value: (Node | string)[]): HTMLElement {
  return element("div", {}, element("dt", {}, name), element("dd", {}, ...value));
}
