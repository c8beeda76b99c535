/** What a build prints for people: one aligned line a stage, or one line a problem and why it refuses. */
import type { BuildResult } from "../../build/build.js";
import type { InvalidRecordsError, ProblemReport } from "../../build/problems.js";
import { WARNINGS, type WarningKind } from "../../contract/warnings.js";
import { count, duration, number, size } from "../../print/numbers.js";
import { align, type Line, type Paint } from "../../print/style.js";
import { showValue, visible } from "../../print/text.js";

/** @param next the command that serves the release. */
export function describeBuild(
  result: BuildResult,
  run: { db: string; problemsFile: string | undefined; next: string; milliseconds: number },
  paint: Paint,
): string {
  const { id, isSwitched, isRead, records: users, skipped, pruned, warnings, problems } = result;
  const lines: Line[] = [
    { verb: "read", value: isRead ? count(users + skipped, "user") : "no row: the file is unchanged", detail: run.db },
    written(result),
  ];
  for (const [kind, users] of Object.entries(warnings) as [WarningKind, number][])
    lines.push({ verb: "warn", value: `${count(users, "user")}: ${WARNINGS[kind].text}` });
  lines.push(...gated(result));
  if (pruned.length > 0) lines.push({ verb: "prune", value: count(pruned.length, "old release") });
  if (skipped > 0) {
    const value = `${count(skipped, "invalid user")} LEFT OUT`;
    const all = run.problemsFile === undefined ? "--problems FILE writes them all" : `all in ${run.problemsFile}`;
    const detail = `${count(users, "user")} published; ${count(problems.count, "problem")}, ${all}`;
    lines.push({ verb: "skip", value, detail, loud: true });
  }
  const detail = isSwitched ? `${id} is current; next: ${run.next}` : `${id} stays current`;
  return align([...lines, { verb: "done", value: `in ${duration(run.milliseconds)}`, detail }], paint);
}

function written({ isNew, isSwitched, pages, bytes, linked, folder: detail }: BuildResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  if (isNew) return { verb: "write", value: `${count(pages, "page")}, ${size(bytes)}${note}`, detail };
  return { verb: "same", value: isSwitched ? "an older release has all of it" : "nothing changed", detail };
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
  const { open, write, publish, threads } = timings;
  const listed = (parts: Record<string, number>) =>
    Object.entries(parts)
      .map(([name, milliseconds]) => `${name} ${duration(milliseconds)}`)
      .join(", ");
  const lines: Line[] = [{ verb: "time", value: listed({ open, write, publish }) }];
  if (threads) lines.push({ verb: "write", value: listed({ ...threads }), detail: `by ${count(workers, "worker")}` });
  return `\n${align(lines, paint)}`;
}

export function describeProblems({ count, first }: ProblemReport, paint: Paint): string {
  const lines = first.map(
    ({ id, path, value, message }) =>
      `${paint("dim", "user")} ${showId(id)}: ${paint("bold", visible(path))} ${showValue(value)} ${message}`,
  );
  const rest = count - first.length;
  if (rest > 0) lines.push(`and ${number(rest)} more`);
  return lines.join("\n");
}

/** The last line of a refusal. With `skipInvalid`, a build refuses only when no user is valid. */
export function describeRefusal(
  { problems, total }: InvalidRecordsError,
  { skipInvalid, problems: file }: { skipInvalid: boolean; problems?: string | undefined },
): string {
  const one = problems.records === 1;
  const found = `${number(problems.records)} of ${count(total, "user")} ${one ? "is" : "are"} invalid`;
  const outcome = "nothing was published and current is unchanged";
  const why = skipInvalid
    ? `without them nobody is left to publish, so ${outcome}.`
    : `${outcome}. Mend ${one ? "it, or leave it" : "them, or leave them"} out with --skip-invalid.`;
  const where = file === undefined ? "--problems FILE writes every problem." : `Every problem is in ${file}.`;
  return `${found}, with ${count(problems.count, "problem")}: ${why} ${where}`;
}

/** A plain id as it is, any other in quotes: an empty one, or one with spaces, would be unclear. */
function showId(id: unknown): string {
  return typeof id === "string" && /^[\w.-]{1,60}$/.test(id) ? id : showValue(id);
}
