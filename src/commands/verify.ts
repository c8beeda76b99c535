/** `rollcall verify`: a release on disk or a deployed host, and the report of what differs. */
import { writeFile } from "node:fs/promises";
import { codeOf, ExitCode, UserError } from "../errors.js";
import { painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { toJunit } from "../verify/junit.js";
import type { VerifyEffects } from "../verify/options.js";
import type { Verdict } from "../verify/verdict.js";
import { refusalsAsUsageErrors } from "./program/failure.js";
import { progressBar } from "./program/progress.js";
import { stoppable } from "./program/signals.js";
import { type Given, type Io, print, type Verb } from "./program/verb.js";
import { describeVerdict } from "./verdict.js";

export const verifyVerb: Verb = {
  name: "verify",
  summary: "Prove that a release, or what a host answers, is what it says it is",
  arguments: {
    "[what]":
      "a release's id or its beginning, current, previous, a release's folder, or a base URL (default: current)",
  },
  examples: [
    ["rollcall verify", "every byte and every user of the current release"],
    ["rollcall verify https://directory.example.com", "a deployed host, compared with the current release"],
    ["rollcall verify https://directory.example.com --allow error-caching,range", "with weaknesses that are known"],
  ],
  configured: true,
  exitCodes: [
    [ExitCode.done, "nothing differs, but for what is allowed to"],
    [ExitCode.refused, "something differs"],
    [ExitCode.usage, "trouble: what cannot be read or reached, or a wrong flag, argument, variable or config file"],
  ],
  run: runVerify,
};

async function runVerify({ settings, arguments: { what } }: Given, io: Io): Promise<ExitCode> {
  const { out: dist, workers, against, sample, allow, concurrency, rate, cacheControl } = settings;
  const started = io.now();
  const { verify: prove } = await import("../verify/verify.js");
  const options = { what, dist, workers, against, sample, allow, concurrency, rate, cacheControl };
  const result = await refusalsAsUsageErrors(() => watched(io, (watch) => prove(options, { ...watch, cwd: io.cwd })));
  const { passed, ...verdict } = result;
  if (settings.junit !== undefined) await writeJunit(settings.junit, verdict);
  const milliseconds = io.now() - started;
  if (settings.json) print(io, toJson({ ...result, seconds: Math.round(milliseconds) / 1000 }));
  else {
    const { columns: width = UNKNOWN_WIDTH } = io.stdout;
    print(io, describeVerdict(verdict, { milliseconds, width, paint: painter(io.stdout, io.env) }));
  }
  return passed ? ExitCode.done : ExitCode.refused;
}

/** Columns where the output is no terminal, for example the log of a CI job. */
const UNKNOWN_WIDTH = 120;

async function watched<T>(io: Io, step: (watch: Watch) => Promise<T>): Promise<T> {
  const bar = await progressBar(io, "user");
  const onProgress = ({ users, total }: { users: number; total: number }) => bar?.update(users, total);
  try {
    return await stoppable(io.signals, (signal) => step({ onProgress, signal }));
  } finally {
    bar?.clear();
  }
}

type Watch = Pick<VerifyEffects, "onProgress" | "signal">;

async function writeJunit(file: string, verdict: Verdict): Promise<void> {
  try {
    await writeFile(file, toJunit(verdict));
  } catch (cause) {
    throw new UserError(`${file} cannot be written (${codeOf(cause)}); name another with --junit.`, {
      exitCode: ExitCode.usage,
      cause,
    });
  }
}
