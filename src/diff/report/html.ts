/** `--format html`: a diff as one HTML file that works offline. Texts of records are always escaped. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Change, Diff } from "../../core/compare/change.js";
import { packageFile } from "../../core/package.js";
import { count, number } from "../../core/print/numbers.js";
import { capital, toJson } from "../../core/print/text.js";
import { htmlTable } from "../../explorer/markup/figures/figure.js";
import { html, jsonForScript, Markup, pageHead } from "../../explorer/markup/markup.js";
import { contractExcerpts, joined } from "./excerpt.js";
import type { ReportFacts } from "./facts.js";
import { figures } from "./figures.js";
import { changeEntry, recordWord } from "./json.js";
import {
  CHANGE_KINDS,
  type ChangeKind,
  type ContractChange,
  comparedFields,
  laterExplorer,
  otherKey,
  type Report,
  type ReportOptions,
  reportOf,
  type Wording,
  writePath,
} from "./model.js";

/** Writes the report in bounded memory: reads the changes twice, for the figures and for the list. Deterministic. */
export async function* htmlReport(diff: Diff, options: ReportOptions): AsyncGenerator<string> {
  const report = reportOf(diff, options);
  const [script, style] = ["main.js", "style.css"].map(compiled) as [Markup, Markup];
  yield html`${pageHead(title(report), [`script-src ${hashOf(script)}`, `style-src ${hashOf(style)}`])}<style>${style}</style>\n${summary(report)}`
    .source;
  if (report.differing > 0) {
    const parts = [await figures(report), changeList(report)];
    yield html`${report.isShort ? parts.reverse() : parts}</main>\n`.source;
    yield* dataBlocks(report);
    yield html`<script>${script}</script>\n</html>\n`.source;
  } else yield "</main>\n</html>\n";
}

function title({ diff, differing, old, new: now }: Report): string {
  const what = differing > 0 ? count(differing, "change") : diff.contract ? "Another contract" : "No changes";
  return `${what}: ${old.name} to ${now.name}`;
}

/** The compiled script or style of the report. */
function compiled(name: string): Markup {
  return new Markup(readFileSync(packageFile(`lib/diff/report/page/${name}`), "utf8"));
}

/** The source of an inline script or style in the Content-Security-Policy. */
function hashOf({ source }: Markup): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}

/** The top of the report: both sides, the number of differing records, other differences, and exceeded gates. */
function summary(report: Report): Markup {
  const { diff, differing, words, settings, filter, contract, exceeded } = report;
  const skip = html`<a class="skip" href="#changes">Skip to the list of changes</a>\n`;
  const headline =
    differing === 0 ? `No ${words[0]} differs` : `${count(differing, words)} ${differing === 1 ? "differs" : "differ"}`;
  const side = (label: string, { name, count: records, pages }: Report["old"]) => html`<div class="side"><p>${label}</p>
<p class="name">${name}</p>
<p>${count(records, words)} on ${count(pages, "page")}</p></div>
`;
  const compared = comparedFields(filter, (pattern) => pattern);
  const later = laterExplorer(report, (word) => word);
  const also = settings.map(({ name, old, new: now }) => `${name} from ${old} to ${now}`).join(", ");
  const figure = (kind: ChangeKind | "unchanged") =>
    html`<div class="total ${kind}${diff[kind] === 0 ? " none" : ""}"><dt>${capital(kind)}</dt><dd>${number(diff[kind])}</dd></div>\n`;
  return html`${differing > 0 ? skip : undefined}<header>
<p class="product">Rollcall diff</p>
<h1>${headline}</h1>
<div class="sides">
${side("Old", report.old)}<span class="to" aria-hidden="true">→</span>
${side("New", report.new)}</div>
${compared && html`<p class="besides">Compared: ${compared}.</p>\n`}${later && html`<p class="besides">${later}</p>\n`}${also === "" ? undefined : html`<p class="besides">Also different: ${also}.</p>\n`}</header>
<main>
${contract && contractChanged(contract)}${exceeded.length > 0 ? gates(exceeded) : undefined}<dl class="totals">
${([...CHANGE_KINDS, "unchanged"] as const).map(figure)}</dl>
`;
}

/** A row for each change of the contract; added and removed fields have no values. */
function contractChanged(contract: NonNullable<Report["contract"]>): Markup {
  const key = otherKey(contract, (path) => path);
  const rows = contract.changes.map(({ kind, before, name, after, values }: ContractChange) => {
    const what = html`${before} <code>${name}</code> ${after}`;
    if (!values) return [what, "", kind];
    return [what, ...contractExcerpts(values).map((side) => html`<code>${joined(side)}</code>`)];
  });
  return html`<section class="contract panel" aria-labelledby="contract-title">
<h2 id="contract-title">The contract changed</h2>
${key === undefined ? undefined : html`<p>${key}</p>\n`}${htmlTable(html`aria-labelledby="contract-title"`, { head: ["What", "Old", "New"], rows })}</section>
`;
}

function gates(exceeded: readonly string[]): Markup {
  return html`<section class="gates panel alarm" aria-labelledby="gates-title">
<h2 id="gates-title">${exceeded.length === 1 ? "A gate is exceeded" : `${number(exceeded.length)} gates are exceeded`}</h2>
<ul>${exceeded.map((sentence) => html`<li>${sentence}</li>`)}</ul>
</section>
`;
}

/** The list of changes before the script fills it: search, filters, and an empty table. */
function changeList({ diff, words: [one], wordings }: Report): Markup {
  const { key } = wordings.changed.contract;
  return html`<section id="changes" class="changes" tabindex="-1" aria-labelledby="changes-title">
<h2 id="changes-title">Changes</h2>
<noscript><p class="panel">The list needs JavaScript, which is off here. It is all in this file: nothing is loaded.</p></noscript>
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
<div><table id="list" class="list cards" role="table" aria-labelledby="changes-title" aria-describedby="status">
<thead role="rowgroup"><tr role="row" aria-rowindex="1"><th role="columnheader" class="head" scope="col">Kind</th><th role="columnheader" class="head" scope="col">${capital(one)}</th><th role="columnheader" class="head" scope="col">What changes</th></tr></thead>
<tbody role="rowgroup"></tbody>
</table></div>
</section>
`;
}

/** An option of the field filter. Its value is JSON, where any character can be escaped. */
function fieldOption([path, records]: readonly [path: string, records: number]): Markup {
  return html`<option value="${toJson(path)}">${writePath(path)} (${number(records)})</option>`;
}

function kindBox(kind: ChangeKind, records: number): Markup {
  return html`<label class="box"><input type="checkbox" name="kind" value="${kind}" checked> ${capital(kind)} <span class="number">${number(records)}</span></label>
`;
}

/** Approximate characters of a block, few enough to parse between two frames. */
const BLOCK_LENGTH = 128_000;

/**
 * Yields the facts that the script needs, then all changes in blocks of NDJSON. A line is that of `--format ndjson`, with the
 * `names` of the record. A block has changes of one kind.
 */
async function* dataBlocks(report: Report): AsyncGenerator<string> {
  const { diff, wordings } = report;
  const word = recordWord(diff);
  yield html`<script type="application/json" id="facts">${jsonForScript(factsOf(report, word))}</script>\n`.source;
  let lines: string[] = [];
  let length = 0;
  let kind: Change["kind"] | undefined;
  for await (const change of diff.changes()) {
    if (lines.length > 0 && (change.kind !== kind || length >= BLOCK_LENGTH)) {
      yield block(kind, lines);
      lines = [];
      length = 0;
    }
    kind = change.kind;
    const names = wordings[kind].namesOf(change.kind === "changed" ? change.new : change.record);
    const line = jsonForScript({ ...changeEntry(change, word), names }).source;
    lines.push(line);
    length += line.length;
  }
  if (lines.length > 0) yield block(kind, lines);
}

function block(kind: Change["kind"] | undefined, lines: readonly string[]): string {
  return html`<script type="application/x-ndjson" data-kind="${kind}" data-rows="${lines.length}">
${new Markup(lines.join("\n"))}
</script>\n`.source;
}

function factsOf({ wordings, explorer }: Report, record: string): ReportFacts {
  const { added, removed } = wordings;
  const fieldsOf = ({ contract }: Wording) => contract.fields.map(({ path, names }) => ({ path, names }));
  const shown = [...(added.time ? [added.time] : []), ...added.facets];
  return {
    record,
    fields: { added: fieldsOf(added), removed: fieldsOf(removed) },
    shown: shown.map(({ path }) => path),
    explorer,
  };
}
