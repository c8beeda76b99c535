/** What a build prints for people: one aligned line a stage. */

import type { Contract } from "../../contract/contract.js";
import { count, duration, number, size } from "../../print/numbers.js";
import { align, type Line, type Paint } from "../../print/style.js";
import { CHANGES, SIGNATURE } from "../../release/layout.js";
import type { BuildResult } from "../../snapshot/result.js";

/** @param next the command that serves the release. */
export function describeBuild(
  result: BuildResult,
  run: { db: string; contract: Contract; problemsFile: string | undefined; next: string; milliseconds: number },
  paint: Paint,
): string {
  const { id, isSwitched, records, skipped, pruned, signedWith } = result;
  const { words } = run.contract.listing;
  const lines: Line[] = [
    { verb: "read", value: count(records + skipped, words), detail: run.db },
    written(result),
    ...lookedUp(result),
    ...explored(result),
    ...stepped(result),
    ...warned(result, run.contract),
  ];
  if (signedWith !== undefined) lines.push({ verb: "sign", value: SIGNATURE, detail: `key ${signedWith}` });
  lines.push(...gated(result));
  if (pruned.length > 0) lines.push({ verb: "prune", value: count(pruned.length, "old release") });
  lines.push(...leftOut(result, run));
  const detail = isSwitched ? `${id} is current; next: ${run.next}` : `${id} stays current`;
  return align([...lines, { verb: "done", value: `in ${duration(run.milliseconds)}`, detail }], paint);
}

/** A line for each kind of warning. */
export function warned({ warnings }: BuildResult, contract: Contract): Line[] {
  return Object.entries(warnings).map(([kind, records]) => {
    return { verb: "warn", value: `${count(records, contract.listing.words)}: ${warningText(kind, contract)}` };
  });
}

/** How many records were left out for being invalid, if any. */
export function leftOut(
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

/** A warning is named by a field whose value is unusual, or by a condition that is not true. */
function warningText(kind: string, { fields }: Contract): string {
  return fields.some(({ path }) => path === kind) ? `${kind} outside what was observed` : kind;
}

function written({ isNew, isSwitched, pages, bytes, linked, folder: detail }: BuildResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  if (isNew) return { verb: "write", value: `${count(pages, "page")}, ${size(bytes)}${note}`, detail };
  return { verb: "same", value: isSwitched ? "an older release has all of it" : "nothing changed", detail };
}

function lookedUp({ lookup }: BuildResult): Line[] {
  if (!lookup) return [];
  const { by, files, bytes } = lookup;
  return [{ verb: "look", value: `up by ${by.join(", ")}`, detail: `${count(files, "file")}, ${size(bytes)}` }];
}

function explored({ explorer }: BuildResult): Line[] {
  return explorer === undefined ? [] : [{ verb: "page", value: "for people", detail: explorer }];
}

function stepped({ changes }: BuildResult): Line[] {
  if (!changes) return [];
  const { put, remove, bytes, steps, none } = changes;
  const value =
    none === undefined ? `${number(put)} put, ${number(remove)} removed, ${size(bytes)}` : `none, since ${none}`;
  return [{ verb: "step", value, detail: `${count(steps, "step")} in ${CHANGES}` }];
}

function gated({ gates }: BuildResult): Line[] {
  if (!gates) return [];
  const { previous, added, removed, changed } = gates;
  if (previous === undefined) return [{ verb: "gates", value: "no release to compare with" }];
  const figures = `${number(added)} added, ${number(removed)} removed, ${number(changed)} changed`;
  return [{ verb: "gates", value: figures, detail: "within the gates" }];
}

/** Where the time went: the stages one after the other, then the parts of all threads, added up. */
export function describeTimings({ timings, workers }: BuildResult, paint: Paint): string {
  const { open, write, lookup, publish, threads } = timings;
  const listed = (parts: Record<string, number>) =>
    Object.entries(parts)
      .map(([name, milliseconds]) => `${name} ${duration(milliseconds)}`)
      .join(", ");
  const lines: Line[] = [
    { verb: "time", value: listed({ open, write, ...(lookup === undefined ? {} : { lookup }), publish }) },
  ];
  const by = workers === 0 ? "on the main thread" : `by ${count(workers, "worker")}`;
  lines.push({ verb: "write", value: listed({ ...threads }), detail: by });
  return `\n${align(lines, paint)}`;
}
