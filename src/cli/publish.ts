/** `rollcall publish`: makes a folder or a bucket equal to a release. */
import { ExitCode } from "../core/errors.js";
import { count, duration, number, size } from "../core/print/numbers.js";
import type { Line } from "../core/print/style.js";
import { visible } from "../core/print/text.js";
import { at, hasScheme } from "../core/settings/kinds.js";
import { optionsOf } from "../core/settings/settings.js";
import type { StepKind } from "../publish/plan.js";
import { type PublishResult, publish as publishRelease } from "../publish/publish.js";
import { type Progress, withProgress } from "./program/progress.js";
import { type Invocation, type Io, ignoreLostOutput, print, printResult, sayLines } from "./program/verb.js";

/** Runs `rollcall publish`. @returns its exit code. @throws UserError */
export async function runPublish({ settings, arguments: { target = "" } }: Invocation, io: Io): Promise<ExitCode> {
  const { json, quiet, dryRun } = settings;
  const began = io.now();
  const place = hasScheme(target) ? target : at(io.cwd, target);
  const options = { target: place, ...optionsOf("publish", settings) };
  const onStep = (kind: StepKind, path: string) => print(io, `${SIGNS[kind]} ${visible(path)}`);
  const step = (bar: Progress | undefined, signal: AbortSignal) =>
    publishRelease(options, {
      signal,
      onStep: json ? undefined : onStep,
      now: () => io.date(),
      onProgress: ({ files, total }) => bar?.update(files, total),
    });
  const outcome = dryRun ? "nothing was changed" : "run this again to continue";
  const result = await withProgress(io, json || quiet ? undefined : "file", step, outcome);
  if (!dryRun) ignoreLostOutput(io, `Release ${result.id} is published to ${result.target}.`);
  if (json) printResult(io, result, began);
  else if (!quiet) sayLines(io, describePublish(result, io.now() - began, settings.purgeList));
  return ExitCode.done;
}

const SIGNS: Readonly<Record<StepKind, string>> = { add: "+", change: "~", remove: "-" };

function describePublish(result: PublishResult, milliseconds: number, purgeList: string | undefined): Line[] {
  const { dryRun, added, changed, removed, same, bytes, urls, requests, warnings } = result;
  const counts = `${number(added)} new, ${number(changed)} changed, ${number(removed)} gone`;
  const lines: Line[] = [
    { verb: "publish", value: fromTo(result), detail: result.target },
    { verb: dryRun ? "would" : "files", value: `${counts}, ${number(same)} the same` },
  ];
  if (requests !== undefined) lines.push({ verb: "sent", value: `${size(bytes)} in ${count(requests, "request")}` });
  else if (bytes > 0) lines.push({ verb: "wrote", value: size(bytes) });
  if (purgeList !== undefined) lines.push({ verb: "purge", value: `${count(urls, "URL")}, in ${purgeList}` });
  for (const value of warnings) lines.push({ verb: "warn", value, loud: true });
  return [...lines, { verb: "done", value: `in ${duration(milliseconds)}` }];
}

function fromTo({ id, before, resumed }: PublishResult): string {
  if (before === null) return id;
  if (resumed) return `${id} (continued after an incomplete ${before})`;
  return before === id ? id : `${id} (was ${before})`;
}
