/** The files beside the page that programs read, with what each is for. */
import type { Contract } from "../contract/contract.js";
import { html, type Markup } from "../markup/markup.js";
import { count } from "../print/numbers.js";
import { capital } from "../print/text.js";
import { BULK, CHANGES, CONTRACT, LOOKUP, OPENAPI, PagePaths, SIGNATURE, SNAPSHOT, SUMS } from "../release/layout.js";

export interface PublishedAt {
  /** Without a slash at its end. */
  baseUrl: string;
  pages: number;
  pageSize: number;
  /** The paths of those files that only some releases have. */
  files: readonly string[];
}

export function programFiles(contract: Contract, published: PublishedAt): Markup {
  const { listing } = contract;
  const [one, many] = listing.words;
  const { baseUrl, files, pages, pageSize } = published;
  const first = new PagePaths(listing.path).path(1);
  const listed: readonly (readonly [path: string, what: string, isThere?: boolean])[] = [
    [
      first,
      `${capital(many)}, page by page: the first of ${count(pages, "page")} of ${count(pageSize, listing.words)}. Follow next.`,
    ],
    [SNAPSHOT, `Which snapshot this is, and how many ${many} it has. Ask for it to learn of a newer one.`],
    [OPENAPI, "What can be asked and what is answered, for tools that make clients."],
    [CONTRACT, `What every ${one} was checked against, as a JSON Schema.`],
    [LOOKUP, `Where each ${one} is, by its key and by the words of its names.`],
    [BULK, `All ${many} in a few compressed files, to read everything at once.`, files.includes(BULK)],
    [CHANGES, "What came, went and changed since earlier snapshots, to keep a copy.", files.includes(CHANGES)],
    [SUMS, "The SHA-256 of every file, to prove what was read."],
    [SIGNATURE, "The publisher's signature of SHA256SUMS, as minisign writes it.", files.includes(SIGNATURE)],
  ];
  return html`<section class="files" aria-labelledby="files-title">
<h2 id="files-title">For programs</h2>
<p>Everything here is plain files below <code class="literal">${baseUrl}/</code></p>
<pre class="command" tabindex="0"><code>curl ${baseUrl}/${first}</code></pre>
<dl>
${listed.filter(([, , isThere = true]) => isThere).map(([path, what]) => html`<div><dt><a href="./${path}">${path}</a></dt><dd>${what}</dd></div>\n`)}</dl>
</section>
`;
}
