/** `rollcall verify`: a release on disk or a deployed host, and the report of what differs. */
import { writeFile } from "node:fs/promises";
import { suggest } from "../config/names.js";
import type { Settings } from "../config/settings.js";
import { codeOf, ExitCode, UserError, unlessStopped, usageError } from "../errors.js";
import { painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { findRelease } from "../release/choose.js";
import { CURRENT } from "../release/layout.js";
import type { DiskOptions } from "../verify/disk.js";
import { toJunit } from "../verify/junit.js";
import { isUrl, openAgainst } from "../verify/target.js";
import { ROW_NAMES } from "../verify/url-rows.js";
import { isTrue, type Verdict } from "../verify/verdict.js";
import { type Io, print } from "./io.js";
import { progressBar } from "./progress.js";
import { stoppable } from "./stop.js";
import { trouble } from "./trouble.js";
import type { Given, Verb } from "./verb.js";
import { describeVerdict } from "./verdict.js";

export const verify: Verb = {
  name: "verify",
  summary: "Prove that a release, or what a host answers, is what it says it is",
  arguments: {
    "[what]":
      "a release's id or its beginning, current, previous, a release's folder, or a base URL (default: current)",
  },
  examples: [
    ["rollcall verify", "every byte and every user of the current release"],
    ["rollcall verify https://directory.example.com", "a deployed host, compared with the current release"],
    [
      "rollcall verify https://directory.example.com --allow error-caching,range",
      "with weaknesses that are known",
    ],
  ],
  configured: true,
  exitCodes: [
    [ExitCode.done, "nothing differs, but for what is allowed to"],
    [ExitCode.refused, "something differs"],
    [
      ExitCode.usage,
      "trouble: what cannot be read or reached, or a wrong flag, argument, variable or config file",
    ],
  ],
  run: runVerify,
};

async function runVerify({ settings, arguments: { what = CURRENT } }: Given, io: Io): Promise<ExitCode> {
  refuseUnknown(settings.allow ?? []);
  const started = io.now();
  const verdict = await trouble(() =>
    isUrl(what) ? verifyHost(what, settings, io) : verifyFolder(what, settings, io),
  );
  if (settings.junit !== undefined) await writeJunit(settings.junit, verdict);
  const isGood = isTrue(verdict);
  const milliseconds = io.now() - started;
  if (settings.json)
    print(io, toJson({ holds: isGood, ...verdict, seconds: Math.round(milliseconds) / 1000 }));
  else {
    const { columns: width = UNKNOWN_WIDTH } = io.stdout;
    print(io, describeVerdict(verdict, { milliseconds, width, paint: painter(io.stdout, io.env) }));
  }
  return isGood ? ExitCode.done : ExitCode.refused;
}

/** Columns of what is no terminal, as the log of a job. */
const UNKNOWN_WIDTH = 120;

function refuseUnknown(names: readonly string[]): void {
  const unknown = names.find((name) => !ROW_NAMES.includes(name));
  if (unknown !== undefined)
    throw usageError(`--allow knows no ${JSON.stringify(unknown)}; ${suggest(unknown, ROW_NAMES)}`);
}

async function verifyFolder(what: string, { out, workers }: Settings, io: Io): Promise<Verdict> {
  const folder = findRelease(what, out, io.cwd);
  const { verifyRelease } = await import("../verify/disk.js");
  return watched(io, (watch) => verifyRelease({ folder, workers, ...watch }));
}

async function verifyHost(baseUrl: string, settings: Settings, io: Io): Promise<Verdict> {
  const { sample, allow = [], concurrency, rate, cacheControl, out } = settings;
  const { release, whyNot, known } = await openAgainst(settings.against, out, io.cwd);
  const options = { baseUrl, sample, allow, concurrency, rate, cacheControl, known, against: release };
  const { verifyUrl } = await import("../verify/url.js");
  return watched(io, (watch) => verifyUrl({ ...options, whyNotAgainst: whyNot, ...watch }));
}

async function watched<T>(io: Io, step: (watch: Watch) => Promise<T>): Promise<T> {
  const bar = await progressBar(io, "user");
  const onProgress = ({ users, total }: { users: number; total: number }) => bar?.update(users, total);
  try {
    return await stoppable(io.signals, (signal) => unlessStopped(signal, () => step({ onProgress, signal })));
  } finally {
    bar?.clear();
  }
}

type Watch = Required<Pick<DiskOptions, "onProgress" | "signal">>;

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
