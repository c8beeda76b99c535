/** The section of a page about the files for programs. */
import { DATA_PACKAGE, FEED, FEED_TYPE, SIGNATURE } from "../core/release/layout.js";
import { breakable, html, type Markup } from "./markup/markup.js";

/** A file below the base URL, and a sentence about it. */
export type ReaderFile = readonly [path: string, what: string];

export const SIGNATURE_FILE: ReaderFile = [SIGNATURE, "The publisher's signature of SHA256SUMS, in minisign's format."];

export const PACKAGE_FILE: ReaderFile = [
  DATA_PACKAGE,
  "The types and keys of the columns of CSV files, as a Data Package for R and CKAN.",
];
export const FEED_FILE: ReaderFile = [FEED, "What the last releases changed, for feed readers."];

/** The line by which browsers and feed readers find the feed. @param path of the feed, relative to the base URL */
export function feedLink(path: string): Markup {
  return html`<link rel="alternate" type="${FEED_TYPE}" title="Changes" href="${path}">\n`;
}

/** Writes the section. @param command an example, above the files */
export function filesSection(baseUrl: string, files: readonly ReaderFile[], command?: Markup): Markup {
  const row = ([path, what]: ReaderFile) =>
    html`<div><dt><a href="./${path}"><code>${breakable(path)}</code></a></dt><dd>${what}</dd></div>\n`;
  return html`<section class="files" aria-labelledby="files-title">
<h2 id="files-title">For programs</h2>
<p>Everything here is plain files below <code>${baseUrl}/</code></p>
${command}<dl class="pairs">
${files.map(row)}</dl>
</section>
`;
}
