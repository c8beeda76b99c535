/** Text output of a build: one aligned line for each stage. */

import type { Contract } from "../../contract/contract.js";
import { PAGE_BYTES } from "../../contract/page.js";
import { count, duration, number, size } from "../../print/numbers.js";
import { align, type Line, type Paint } from "../../print/style.js";
import { CHANGES, SIGNATURE } from "../../release/layout.js";
import type { BuildResult } from "../../snapshot/result.js";

/** The facts about a build that its result does not have. */
interface BuildRun {
  db: string;
  contract: Contract;
  pageSize: number;
  problemsFile: string | undefined;
  /** The command that serves the release. */
  next: string;
  milliseconds: number;
}

/** Describes a build. */
export function describeBuild(result: BuildResult, run: BuildRun, paint: Paint): string {
  const { id, switched, records, skipped, pruned, signedWith, notes } = result;
  const { words } = run.contract.listing;
  const lines: Line[] = [
    { verb: "read", value: count(records + skipped, words), detail: run.db },
    writeLine(result),
    ...largePageLines(result, run.pageSize),
    ...lookupLines(result),
    ...explorerLines(result),
    ...changesLines(result),
    ...warningLines(result, run.contract),
  ];
  if (signedWith !== undefined) lines.push({ verb: "sign", value: SIGNATURE, detail: `key ${signedWith}` });
  lines.push(...gateLines(result));
  if (pruned.length > 0) lines.push({ verb: "prune", value: count(pruned.length, "old release") });
  lines.push(...skippedLines(result, run));
  for (const value of notes) lines.push({ verb: "note", value, loud: true });
  const detail = switched ? `${id} is current; next: ${run.next}` : `${id} stays current`;
  return align([...lines, { verb: "done", value: `in ${duration(run.milliseconds)}`, detail }], paint);
}

/** A line for each kind of warning. */
export function warningLines({ warnings }: BuildResult, contract: Contract): Line[] {
  return Object.entries(warnings).map(([kind, records]) => {
    return { verb: "warn", value: `${count(records, contract.listing.words)}: ${warningText(kind, contract)}` };
  });
}

/** The line about invalid records that were left out, if any. */
export function skippedLines(
  { skipped, records, problems }: BuildResult,
  { contract, problemsFile }: { contract: Contract; problemsFile: string | undefined },
): Line[] {
  if (skipped === 0) return [];
  const { words } = contract.listing;
  const [one, many] = words;
  const value = `${count(skipped, [`invalid ${one}`, `invalid ${many}`])} LEFT OUT`;
  const all = problemsFile === undefined ? "--problems FILE writes them all" : `all in ${problemsFile}`;
  const detail = `${count(records, words)} published; ${count(problems.count, "problem")}, ${all}`;
  return [{ verb: "skip", value, detail, loud: true }];
}

/** The text of a kind of warning, which is a field's path or a condition's name. */
function warningText(kind: string, { fields }: Contract): string {
  return fields.some(({ path }) => path === kind) ? `${kind} outside what was observed` : kind;
}

function writeLine({ new: isNew, switched, pages, bytes, linked, folder: detail }: BuildResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  if (isNew) return { verb: "write", value: `${count(pages, "page")}, ${size(bytes)}${note}`, detail };
  return { verb: "same", value: switched ? "an older release has all of it" : "nothing changed", detail };
}

/** The line about a page that readers do not take by default, if any. */
function largePageLines({ largestPage, records }: BuildResult, pageSize: number): Line[] {
  const { page, bytes } = largestPage;
  if (bytes <= PAGE_BYTES) return [];
  const onPage = Math.min(pageSize, records - (page - 1) * pageSize);
  const fitting = Math.floor((onPage * PAGE_BYTES) / bytes);
  // Rounded down to one digit, since other records may be larger.
  const unit = 10 ** (String(fitting).length - 1);
  const detail = fitting < 1 ? "one record is too large" : `use --page-size ${Math.floor(fitting / unit) * unit}`;
  const value = `page ${number(page)} has ${size(bytes)}; by default, readers take up to ${size(PAGE_BYTES)}`;
  return [{ verb: "warn", value, detail, loud: true }];
}

function lookupLines({ lookup }: BuildResult): Line[] {
  if (!lookup) return [];
  const { by, files, bytes } = lookup;
  return [{ verb: "lookup", value: `by ${by.join(", ")}`, detail: `${count(files, "file")}, ${size(bytes)}` }];
}

function explorerLines({ explorer }: BuildResult): Line[] {
  return explorer === undefined ? [] : [{ verb: "explorer", value: explorer }];
}

function changesLines({ changes }: BuildResult): Line[] {
  if (!changes) return [];
  const { put, remove, bytes, steps, none } = changes;
  const value = none === undefined ? `${number(put)} put, ${number(remove)} removed, ${size(bytes)}` : `none: ${none}`;
  return [{ verb: "changes", value, detail: `${count(steps, "step")} in ${CHANGES}` }];
}

function gateLines({ gates }: BuildResult): Line[] {
  if (!gates) return [];
  const { previous, added, removed, changed } = gates;
  if (previous === undefined) return [{ verb: "gates", value: "no previous release" }];
  const figures = `${number(added)} added, ${number(removed)} removed, ${number(changed)} changed`;
  return [{ verb: "gates", value: figures, detail: "within the gates" }];
}
