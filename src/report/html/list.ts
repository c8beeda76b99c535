/** The list of changes before the page's script fills it: search and filters, an empty table, and the pager. */
import type { Diff } from "../../diff/change.js";
import { html, type Markup } from "../../markup/markup.js";
import { number } from "../../print/numbers.js";
import { capital, toJson } from "../../print/text.js";
import { CHANGE_KINDS, type ChangeKind } from "../facts.js";
import type { Subject } from "../subject.js";
import { writePath } from "../value.js";
import { KIND_WORDS } from "./summary.js";

export function changeList(diff: Diff, { words: [one], contract: { key } }: Subject): Markup {
  return html`<section id="changes" class="changes" tabindex="-1" aria-labelledby="changes-title">
<h2 id="changes-title">Changes</h2>
<noscript><p class="notice">The list needs JavaScript, which is off here. It is all in this file: nothing is loaded.</p></noscript>
<form id="filters" class="filters" role="search" aria-label="Changes" autocomplete="off">
<div class="control grow"><label class="label" for="text">Search</label>
<input id="text" class="field" name="text" type="search" placeholder="Name, ${writePath(key.path)} or any value" spellcheck="false" maxlength="200"></div>
<div class="control"><label class="label" for="path">Field</label>
<select id="path" class="field" name="path"><option value="">Any field</option>${[...diff.fields].map(fieldOption)}</select></div>
<fieldset class="control"><legend class="label">Kind</legend><div class="kinds">
${CHANGE_KINDS.map((kind) => kindBox(kind, diff[kind]))}</div></fieldset>
</form>
<div class="found"><p id="status" role="status">Reading…</p><progress id="progress" aria-label="Searching" max="1" value="0" hidden></progress>
<button class="button" type="reset" form="filters">Clear filters</button>
<button id="open-all" class="button" type="button" aria-pressed="false">Open all on this page</button></div>
<div><table id="list" class="list" role="table" aria-labelledby="changes-title" aria-describedby="status">
<thead role="rowgroup"><tr role="row" aria-rowindex="1"><th role="columnheader" class="head" scope="col">Kind</th><th role="columnheader" class="head" scope="col">${capital(one)}</th><th role="columnheader" class="head" scope="col">What changes</th></tr></thead>
<tbody role="rowgroup"></tbody>
</table>
<nav id="pager" class="pager" aria-label="Pages of the list" hidden>
<button class="button ends" type="button" data-go="first">First</button>
<button class="button" type="button" data-go="previous">Previous</button>
<label>Page <input id="page" class="field" type="text" inputmode="numeric" autocomplete="off"></label> <span id="pages"></span>
<button class="button" type="button" data-go="next">Next</button>
<button class="button ends" type="button" data-go="last">Last</button>
</nav></div>
</section>
`;
}

/** Its value is JSON, in which characters that are made visible everywhere else can stand. */
function fieldOption([path, records]: readonly [path: string, records: number]): Markup {
  return html`<option value="${toJson(path)}">${writePath(path)} (${number(records)})</option>`;
}

function kindBox(kind: ChangeKind, records: number): Markup {
  return html`<label class="box"><input type="checkbox" name="kind" value="${kind}" checked> ${KIND_WORDS[kind]} <span class="number">${number(records)}</span></label>
`;
}
