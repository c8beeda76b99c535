/** The top of the page: the two sides, how many records differ, other differences, and exceeded gates. */
import type { Diff, FieldFilter, SideFacts } from "../../diff/change.js";
import { html, type Markup } from "../../markup/markup.js";
import { count, number } from "../../print/numbers.js";
import { type ContractChange, contractChanges, contractExcerpts, otherKey } from "../contract.js";
import { joined } from "../excerpt.js";
import { CHANGE_KINDS, comparedFields, settingChanges, sideName } from "../facts.js";
import type { Subject } from "../subject.js";

export function differing({ added, removed, changed }: Diff): number {
  return added + removed + changed;
}

export function summary(diff: Diff, subject: Subject, exceeded: readonly string[], filter: FieldFilter): Markup {
  const total = differing(diff);
  return html`${total > 0 ? html`<a class="skip" href="#changes">Skip to the list of changes</a>\n` : undefined}<header>
<p class="product">Rollcall diff</p>
<h1>${headline(total, subject)}</h1>
<div class="sides">
${side("Old", diff.old, subject)}<span class="to" aria-hidden="true">→</span>
${side("New", diff.new, subject)}</div>
${fieldsCompared(filter)}${besides(diff)}</header>
<main>
${contract(diff)}${exceeded.length > 0 ? gates(exceeded) : undefined}<dl class="totals">
${([...CHANGE_KINDS, "unchanged"] as const).map((kind) => figure(kind, diff[kind]))}</dl>
`;
}

export const KIND_WORDS = { added: "Added", removed: "Removed", changed: "Changed", unchanged: "Unchanged" };

function headline(total: number, { words }: Subject): string {
  if (total === 0) return `No ${words[0]} differs`;
  return `${count(total, words)} ${total === 1 ? "differs" : "differ"}`;
}

function side(label: string, facts: SideFacts, { words }: Subject): Markup {
  return html`<div class="side"><p>${label}</p>
<p class="name">${sideName(facts)}</p>
<p>${count(facts.count, words)} on ${count(facts.pages, "page")}</p></div>
`;
}

/** One line: `Compared: all fields but note.` */
function fieldsCompared(filter: FieldFilter): Markup | undefined {
  const text = comparedFields(filter, (pattern) => pattern);
  return text === undefined ? undefined : html`<p class="besides">Compared: ${text}.</p>\n`;
}

/** One line: `Also different: base URL from https://a.example to https://b.example, page size from 100 to 50.` */
function besides(diff: Diff): Markup | undefined {
  const changes = settingChanges(diff).map(({ name, old, new: now }) => `${name} from ${old} to ${now}`);
  return changes.length > 0 ? html`<p class="besides">Also different: ${changes.join(", ")}.</p>\n` : undefined;
}

/** What changed in the contract, a row each; what came or went has no values. */
function contract(diff: Diff): Markup | undefined {
  if (diff.contract === undefined) return undefined;
  const key = otherKey(diff, (path) => path);
  const row = ({ kind, before, name, after, values }: ContractChange) => {
    const what = html`<th scope="row">${before} <code>${name}</code> ${after}</th>`;
    if (!values) return html`<tr>${what}<td></td><td>${kind}</td></tr>\n`;
    return html`<tr>${what}${contractExcerpts(values).map((side) => html`<td><code>${joined(side)}</code></td>`)}</tr>\n`;
  };
  return html`<section class="contract" aria-labelledby="contract-title">
<h2 id="contract-title">The contract changed</h2>
${key === undefined ? undefined : html`<p>${key}</p>\n`}<div class="figures" tabindex="0" role="group" aria-labelledby="contract-title"><table>
<thead><tr><th scope="col">What</th><th scope="col">Old</th><th scope="col">New</th></tr></thead>
<tbody>${contractChanges(diff).map(row)}</tbody></table></div>
</section>
`;
}

function gates(exceeded: readonly string[]): Markup {
  return html`<section class="gates" aria-labelledby="gates-title">
<h2 id="gates-title">${exceeded.length === 1 ? "A gate is exceeded" : `${number(exceeded.length)} gates are exceeded`}</h2>
<ul>${exceeded.map((sentence) => html`<li>${sentence}</li>`)}</ul>
</section>
`;
}

function figure(kind: keyof typeof KIND_WORDS, records: number): Markup {
  return html`<div class="total ${kind}${records === 0 ? " none" : ""}"><dt>${KIND_WORDS[kind]}</dt><dd>${number(records)}</dd></div>
`;
}
