/** What a finished build says to people: one aligned line a stage. */

import type { BuildResult } from "../../build/build.js";
import { WARNINGS, type WarningKind } from "../../contract/warnings.js";
import { count, duration, number, size } from "../../print/numbers.js";
import { align, type Line, type Paint } from "../../print/style.js";

interface Run {
  db: string;
  /** `--problems`, when it was given. */
  problemsFile: string | undefined;
  /** The command line that serves the release. */
  next: string;
  milliseconds: number;
}

export function describeBuild(result: BuildResult, run: Run, paint: Paint): string {
  const { skipped, pruned } = result;
  const lines: Line[] = [
    { verb: "read", value: readFrom(result), detail: run.db },
    result.isNew ? written(result) : { verb: "same", value: sameAs(result), detail: result.folder },
    ...warned(result),
    ...gated(result),
  ];
  if (pruned.length > 0) lines.push({ verb: "prune", value: count(pruned.length, "old release") });
  if (skipped > 0) {
    const value = `${count(skipped, "invalid user")} LEFT OUT`;
    lines.push({ verb: "skip", value, detail: whatIsLeft(result, run), loud: true });
  }
  return align([...lines, done(result, run)], paint);
}

function readFrom({ isRead, users, skipped }: BuildResult): string {
  return isRead ? count(users + skipped, "user") : "no row: the file is unchanged";
}

function sameAs({ isSwitched }: BuildResult): string {
  return isSwitched ? "an older release has all of it" : "nothing changed";
}

function written({ pages, bytes, linked, folder }: BuildResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  return { verb: "write", value: `${count(pages, "page")}, ${size(bytes)}${note}`, detail: folder };
}

function warned({ warnings }: BuildResult): Line[] {
  const kinds = Object.entries(warnings) as [WarningKind, number][];
  return kinds.map(([kind, users]) => ({
    verb: "warn",
    value: `${count(users, "user")}: ${WARNINGS[kind].text}`,
  }));
}

function gated({ judged }: BuildResult): Line[] {
  if (!judged) return [];
  const { previous, added, removed, changed } = judged;
  if (previous === undefined) return [{ verb: "gates", value: "no release to compare with" }];
  const figures = `${number(added)} added, ${number(removed)} removed, ${number(changed)} changed`;
  return [{ verb: "gates", value: figures, detail: "within the gates" }];
}

function whatIsLeft({ users, problems }: BuildResult, { problemsFile }: Run): string {
  const all = problemsFile === undefined ? "--problems FILE writes them all" : `all in ${problemsFile}`;
  return `${count(users, "user")} published; ${count(problems.count, "problem")}, ${all}`;
}

function done({ id, isSwitched }: BuildResult, { next, milliseconds }: Run): Line {
  const detail = isSwitched ? `${id} is current; next: ${next}` : `${id} stays current`;
  return { verb: "done", value: `in ${duration(milliseconds)}`, detail };
}

/** Where the time went: the stages one after the other, then what all threads did meanwhile, added up. */
export function describeTimings({ timings, workers }: BuildResult, paint: Paint): string {
  const { open, place, publish, threads } = timings;
  const listed = (parts: Record<string, number>) =>
    Object.entries(parts)
      .map(([name, milliseconds]) => `${name} ${duration(milliseconds)}`)
      .join(", ");
  const lines: Line[] = [{ verb: "time", value: listed({ open, place, publish }) }];
  if (threads) lines.push({ verb: "place", value: listed({ ...threads }), detail: `by ${count(workers, "worker")}` });
  return `\n${align(lines, paint)}`;
}
