/** Writes the index.html at the top of a site: its listings. A script filters them if they are many. */
import type { Contract } from "../core/contract/contract.js";
import { referencesOf } from "../core/contract/references.js";
import { count } from "../core/print/numbers.js";
import { oneLine } from "../core/print/text.js";
import { EXPLORER, EXPLORER_FOLDER, FEED, OPENAPI, SNAPSHOT, SUMS } from "../core/release/layout.js";
import { FEED_FILE, feedLink, filesSection, PACKAGE_FILE, SIGNATURE_FILE } from "./files.js";
import { html, type Markup, pageHead } from "./markup/markup.js";

/** What the page may load: styles and images of its own origin, and its script. */
const SOURCES = ["style-src 'self'", "img-src 'self'"];
const SCRIPT = "script-src 'self'";
/** With more listings, they have a filter. */
const FEW = 20;
const NATURAL = new Intl.Collator("en", { numeric: true });

export interface ListedOnPage {
  name: string;
  contract: Contract;
  /** The number of records. */
  count: number;
}

/** A site as its files describe it. */
export interface DescribedSite {
  baseUrl: string;
  title?: string | undefined;
  description?: string | undefined;
  /** Whether it has datapackage.json. */
  dataPackage?: boolean | undefined;
  /** Whether it has a feed at its top. */
  feed?: boolean | undefined;
}

/** Writes index.html. Equal arguments give equal bytes. URLs are relative to the base URL with a slash at its end. */
export function sitePage(
  { baseUrl, title, description, dataPackage = false, feed = false }: DescribedSite,
  listings: readonly ListedOnPage[],
  isSigned: boolean,
): string {
  const records = listings.reduce((sum, { count }) => sum + count, 0);
  // Each listing has the same script, style and icon.
  const [first] = listings;
  const shared = `./${first?.name}/${EXPLORER_FOLDER}`;
  const sorted = listings.toSorted((one, other) => NATURAL.compare(one.name, other.name));
  const counted = count(listings.length, "listing");
  const script = listings.length > FEW ? html`<script type="module" src="${shared}/site.js"></script>\n` : undefined;
  const sources = script ? [...SOURCES, SCRIPT] : SOURCES;
  return html`${pageHead(`${oneLine(title) ?? "Listings"} at ${new URL(baseUrl).host}`, sources)}<meta name="robots" content="noindex">
<link rel="icon" type="image/svg+xml" href="${shared}/icon.svg">
<link rel="stylesheet" href="${shared}/style.css">
${feed ? feedLink(FEED) : undefined}${script}<header class="about">
<p class="product">${baseUrl}</p>
<h1>${oneLine(title) ?? counted}</h1>
${description === undefined ? undefined : html`<p class="lead">${oneLine(description)}</p>\n`}<p class="since">${title === undefined ? "" : `${counted}, `}${count(records, "record")}, as of one point in time</p>
</header>
<main>
<section class="files" aria-labelledby="listings-title">
<h2 id="listings-title">Listings</h2>
<dl class="pairs" id="listings">
${sorted.map((listing) => listingRow(listing, sorted))}</dl>
</section>
${programFiles(baseUrl, { isSigned, hasFeed: feed, hasPackage: dataPackage })}</main>
</html>
`.source;
}

function listingRow({ name, contract, count: records }: ListedOnPage, all: readonly ListedOnPage[]): Markup {
  const { listing, file } = contract;
  const { title, description = file.description } = listing;
  const references = referencesOf(contract).map(
    ({ field, to }) => html`<p>${oneLine(field.path)} refers to ${linkTo(to)}</p>\n`,
  );
  const referring = all
    .filter(({ contract }) => referencesOf(contract).some(({ to }) => to === name))
    .map(({ name }, at) => html`${at === 0 ? "" : ", "}${linkTo(name)}`);
  return html`<div><dt>${linkTo(name)}</dt><dd>${count(records, listing.words)}
${title === undefined ? undefined : html`<p>${oneLine(title)}</p>\n`}${description === undefined ? undefined : html`<p>${oneLine(description)}</p>\n`}${references}${
  referring.length > 0 ? html`<p>Referred to by ${referring}</p>\n` : undefined
}</dd></div>
`;
}

function linkTo(name: string): Markup {
  return html`<a href="./${name}/${EXPLORER}">${name}</a>`;
}

/** The section about the files for programs. */
function programFiles(
  baseUrl: string,
  { isSigned, hasFeed, hasPackage }: { isSigned: boolean; hasFeed: boolean; hasPackage: boolean },
): Markup {
  return filesSection(baseUrl, [
    [SNAPSHOT, "The site's id, and the id and counts of each listing. Poll it to detect changes."],
    [OPENAPI, "The OpenAPI description of all listings, for tools that generate clients."],
    ...(hasFeed ? [FEED_FILE] : []),
    [SUMS, "The SHA-256 of these files, and of SHA256SUMS of each listing."],
    ...(hasPackage ? [PACKAGE_FILE] : []),
    ...(isSigned ? [SIGNATURE_FILE] : []),
  ]);
}
