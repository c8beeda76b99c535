/** Writes the explorer's index.html. Without scripts, it shows the overview; its script adds the list and records. */

import { readFileSync } from "node:fs";
import { type Contract, type Field, fieldAt } from "../core/contract/contract.js";
import { isHttpUrl } from "../core/contract/links.js";
import { nameFields } from "../core/contract/lookup.js";
import { kindOf } from "../core/contract/record/kind.js";
import type { Referrer } from "../core/contract/references.js";
import { packageFile } from "../core/package.js";
import { count } from "../core/print/numbers.js";
import { capital, oneLine } from "../core/print/text.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  EXPLORER_ASSETS,
  EXPLORER_VIEWS,
  LOOKUP,
  OPENAPI,
  PARQUET,
  PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  VIEWS,
} from "../core/release/layout.js";
import { sha256 } from "../core/release/plain-files.js";
import { overviewFigures } from "./figures.js";
import { FEED_FILE, feedLink, filesSection, PACKAGE_FILE, type ReaderFile, SIGNATURE_FILE } from "./files.js";
import { breakable, html, jsonForScript, type Markup, pageHead } from "./markup/markup.js";
import { fieldsInFileOrder, headingOf, meaningOf, nameInText, titleOf } from "./meaning.js";
import { type ExplorerSummary, encodeSummary, type WrittenFrom } from "./summary.js";

/** What the explorer may load: scripts, styles and requests of its own origin; images also of the origins that the contract names. */
function sourcesOf({ fields }: Contract): string[] {
  const named = fields.map(({ schema }) => schema["x-image"]).filter((origin) => typeof origin === "string");
  return [
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ["img-src 'self'", ...new Set(named)].join(" "),
  ];
}

export interface PublishedAt {
  /** Without a slash at its end. */
  baseUrl: string;
  pages: number;
  pageSize: number;
  /** Paths of optional files of the release. */
  files: readonly string[];
  /** Fields of listings of the same site that refer to this one. */
  referrers?: readonly Referrer[] | undefined;
  /** The path of the feed relative to the base URL, if there is one: that of the site for a listing of several. */
  feed?: string | undefined;
}

/** Writes index.html. Equal arguments give equal bytes. URLs are relative to the base URL with a slash at its end. */
export function explorerPage(contract: Contract, summary: ExplorerSummary, published: PublishedAt): string {
  const title = `${titleOf(contract)} at ${new URL(published.baseUrl).host}`;
  return html`${pageHead(title, sourcesOf(contract))}<meta name="robots" content="noindex">
<link rel="icon" type="image/svg+xml" href="explorer/icon.svg">
<link rel="stylesheet" href="explorer/style.css">
${published.feed === undefined ? undefined : feedLink(published.feed)}<script type="module" src="explorer/app.js"></script>
<a class="skip" href="#main">Skip to the ${contract.listing.words[1]}</a>
${header(contract, summary, published)}<main id="main" tabindex="-1">
<section id="explorer" aria-label="${capital(contract.listing.words[1])}" hidden>${placeholderRows(Math.min(summary.count, published.pageSize))}</section>
<section id="overview" aria-label="Overview">
<noscript><p class="panel">Browsing single ${contract.listing.words[1]} needs JavaScript, which is off. The <a href="#files-title">files below</a> have all of them.</p></noscript>
${overviewFigures(contract, summary)}${fieldsSection(contract)}${programFiles(contract, published)}</section>
</main>
<script type="application/json" id="facts">${jsonForScript({ ...factsOf(contract), ...referredBy(published), from: writtenFrom(contract, summary) })}</script>
</html>
`.source;
}

function header(
  contract: Contract,
  { count: records, times }: ExplorerSummary,
  { baseUrl, files }: PublishedAt,
): Markup {
  const { file, listing } = contract;
  const since = times && html` · ${headingOf(fieldAt(contract, times.path))}: ${days(times.first, times.last)}`;
  const download = files.includes(CSV) && html` · <a href="./${CSV}" download>Download CSV</a>`;
  const lead = listing.description ?? file.description;
  return html`<header class="about" id="about">
<p class="product">${baseUrl}</p>
<h1>${titleOf(contract)}</h1>
${lead === undefined ? undefined : html`<p class="lead">${oneLine(lead)}</p>\n`}<p class="since">${count(records, listing.words)}${since ?? undefined}${download || undefined}</p>
${aboutData(contract)}<p class="since"><a href="#meanings-title">Fields</a> · <a href="#files-title">Files for programs</a></p>
</header>
`;
}

/** Maximum number of rows whose height is reserved. */
const MOST_RESERVED = 100;

/** Rows that reserve the height of the first page of the list, to avoid layout shift. The first one is seen if the script does not run. */
function placeholderRows(rows: number): Markup[] {
  const row = (_: unknown, at: number) =>
    html`<p class="row">${at === 0 ? "The list is missing if its script, explorer/app.js, cannot be loaded. Reload the page, or open it from a web server." : ""}</p>`;
  return Array.from({ length: Math.max(1, Math.min(MOST_RESERVED, rows)) }, row);
}

/** The explorer's other files with their paths in a release. They are compiled with the package. */
export function explorerAssets({
  files,
  referrers = [],
}: Pick<PublishedAt, "files" | "referrers">): [path: string, bytes: Buffer][] {
  const hasViews = files.includes(VIEWS) || referrers.some(({ view }) => view !== undefined);
  const used = EXPLORER_ASSETS.filter((path) => path !== EXPLORER_VIEWS || hasViews);
  return used.map((path) => [path, readFileSync(packageFile(`lib/${path}`))]);
}

/** A range of days. */
function days(...moments: readonly string[]): Markup {
  const [first, last] = moments
    .map((moment) => moment.slice(0, "2026-11-21".length))
    .map((text) => html`<time datetime="${text}">${text}</time>`);
  return first?.source === last?.source ? html`${first}` : html`${first} to ${last}`;
}

/** A line with the listing's publisher, licence, source and contact; undefined if the contract has none. */
function aboutData({ listing }: Contract): Markup | undefined {
  const { publisher, license, source, contact } = listing;
  const said = Object.entries({ publisher, license, source, contact }).flatMap(([name, text]) =>
    text === undefined ? [] : [html`${capital(name)}: ${linked(name, text)}`],
  );
  if (said.length === 0) return undefined;
  return html`<p class="since">${said.map((one, at) => html`${at === 0 ? undefined : " · "}${one}`)}</p>
`;
}

function linked(name: string, text: string): Markup {
  const isEmail = name === "contact" && !isHttpUrl(text);
  const isLink = isEmail || (["license", "source", "contact"].includes(name) && isHttpUrl(text));
  return isLink
    ? html`<a href="${isEmail ? "mailto:" : ""}${text}" rel="noreferrer">${text}</a>`
    : html`${oneLine(text)}`;
}

function fieldsSection({ file, listing }: Contract): Markup {
  return html`<section class="meanings" aria-labelledby="meanings-title">
<h2 id="meanings-title">What each ${listing.words[0]} has</h2>
<table class="fields cards"><thead><tr><th scope="col">Field</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fieldsInFileOrder({ file }).map((field) => fieldRow(field, listing.key))}</tbody></table>
</section>
`;
}

function fieldRow(field: Field, key: string): Markup {
  const { kind, values, example } = meaningOf(field.schema);
  const { description } = field.schema;
  const listed = values.map(
    (value, at) => html`${at === 0 ? ": " : ", "}<code class="literal">${textOf(value)}</code>`,
  );
  const such = example === undefined ? undefined : html`, as in <code class="literal">${textOf(example)}</code>`;
  return html`<tr><th scope="row"><span class="heading">${headingOf(field)}</span> <code class="path">${breakable(field.path)}</code></th><td>${
    description === undefined ? undefined : html`<p>${oneLine(description)}</p>`
  }<p class="kind">${kind}${listed}${such}${field.path === key ? ". The key." : "."}</p></td></tr>
`;
}

function textOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

/** The section about the files for programs. */
function programFiles(contract: Contract, published: PublishedAt): Markup {
  const { listing } = contract;
  const [one, many] = listing.words;
  const { baseUrl, files, pages, pageSize } = published;
  const first = new PagePaths(listing.path).path(1);
  const optional: readonly ReaderFile[] = [
    [BULK, `All ${many} in a few compressed files, to read everything at once.`],
    [CSV, `All ${many} as one compressed CSV file, for spreadsheets.`],
    [PARQUET, `All ${many} as one Parquet file, for DuckDB, pandas and polars.`],
    PACKAGE_FILE,
    [CHANGES, "Changes since earlier snapshots, to keep a copy up to date."],
    FEED_FILE,
  ];
  const listed: readonly ReaderFile[] = [
    [
      first,
      `${capital(many)}, page by page: the first of ${count(pages, "page")} of ${count(pageSize, listing.words)}. Follow next.`,
    ],
    [SNAPSHOT, `The snapshot's id and number of ${many}. Poll it to detect changes.`],
    [OPENAPI, "The OpenAPI description, for tools that generate clients."],
    [CONTRACT, `The contract of each ${one}, as a JSON Schema.`],
    [LOOKUP, `The lookup: finds each ${one} by key or by words of its names.`],
    ...optional.filter(([path]) => files.includes(path)),
    [SUMS, "The SHA-256 of every file, to verify what was read."],
    ...(files.includes(SIGNATURE) ? [SIGNATURE_FILE] : []),
  ];
  const command = html`<pre class="command panel" tabindex="0"><code>curl ${baseUrl}/${first}</code></pre>\n`;
  return filesSection(baseUrl, listed, command);
}

function writtenFrom(contract: Contract, summary: ExplorerSummary): WrittenFrom {
  return { contract: sha256(contract.text), summary: sha256(encodeSummary(summary)) };
}

function referredBy({ referrers = [] }: PublishedAt): Pick<PublishedAt, "referrers"> {
  return referrers.length > 0 ? { referrers } : {};
}

/** Maximum number of name fields that the search box lists. */
const MOST_LISTED = 5;

/** Facts for the script. The label comes first, and the key last; only texts have words to search for. */
function factsOf({ key, label, listing, fields }: Contract) {
  const texts = nameFields({ key, label, fields }).filter(({ schema }) => ["string", "mixed"].includes(kindOf(schema)));
  const first = texts.filter(({ path }) => path === label.path);
  const names = [...new Set([...first, ...texts])].map(nameInText);
  const listed = [...names.slice(0, MOST_LISTED), ...(names.length > MOST_LISTED ? ["other names"] : [])];
  const searched = [listed.join(", "), nameInText(key)].filter((words) => words !== "").join(" or ");
  return { words: listing.words, searched };
}
