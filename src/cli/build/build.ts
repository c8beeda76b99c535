/** `rollcall build`: turns settings into the build's options, and its result into text or JSON. */
import { build as buildRelease } from "../../build/build.js";
import type { BuildEffects } from "../../build/options.js";
import { InvalidRecordsError } from "../../build/problems.js";
import type { BuildResult } from "../../build/result.js";
import { GateError } from "../../core/compare/gates.js";
import type { Contract } from "../../core/contract/contract.js";
import { loadContract } from "../../core/contract/file/load.js";
import { ExitCode } from "../../core/errors.js";
import { painter } from "../../core/print/style.js";
import { shellWord, toJson } from "../../core/print/text.js";
import { RECORDS_WORDS } from "../../core/release/site.js";
import { defaultSettings, need } from "../../core/settings/resolve.js";
import { optionsOf, type Settings } from "../../core/settings/settings.js";
import { nameOfSource } from "../../core/source/text-format.js";
import { warnUntidied } from "../program/failure.js";
import { progressBar } from "../program/progress.js";
import { createStop } from "../program/signals.js";
import { type Invocation, type Io, ignoreLostOutput, print, printResult, say } from "../program/verb.js";
import { passwordOf } from "./password.js";
import { reportShard, requireShardFlags, runShard } from "./shard.js";
import { describeBuild } from "./summary.js";

/** Runs `rollcall build`. @returns its exit code. @throws UserError */
export async function runBuild({ settings }: Invocation, io: Io): Promise<ExitCode> {
  requireShardFlags(settings);
  const { db, baseUrl } = need(settings, "db", "baseUrl");
  const password = passwordOf(settings.signKey, io);
  const began = io.now();
  const contract = settings.listings ? undefined : await loadContract(settings.contract);
  const words = contract?.listing.words ?? RECORDS_WORDS;
  const bar = settings.json || settings.quiet ? undefined : progressBar(io, words);
  const stop = createStop(io.signals);
  try {
    const options = { ...optionsOf("build", settings), db, baseUrl };
    if (contract) options.contract = contract.file;
    const effects: BuildEffects = {
      signal: stop.signal,
      signPassword: password,
      onProgress({ records, total, words: counted = words }) {
        // Until now, nothing is written, and an AbortSignal could not stop SQLite from counting rows. A signal may kill the process.
        stop.listen();
        bar?.update(records, total, counted);
      },
    };
    if (settings.shard !== undefined) {
      const part = await runShard(settings, options, effects);
      bar?.clear();
      reportShard(part, { words, began }, settings, io);
      return ExitCode.done;
    }
    const result = await buildRelease(options, effects);
    bar?.clear();
    report(result, { contract, began }, settings, io);
    warnUntidied(io, result.untidied);
    return ExitCode.done;
  } catch (error) {
    bar?.clear();
    if (error instanceof GateError) throw refuseByGates(error, settings, io);
    if (!(error instanceof InvalidRecordsError)) throw error;
    // The code for tables is loaded on demand.
    const { refuseInvalid } = await import("../program/problems.js");
    throw refuseInvalid(error, settings, io, "nothing was published and current is unchanged");
  } finally {
    stop.ignore();
  }
}

/** Prints the findings as JSON with `--json`. @returns the error, with commands that name `dist` if necessary. */
function refuseByGates({ release, exceeded }: GateError, { dist, json }: Settings, io: Io): GateError {
  const error = new GateError(release, exceeded, isDefaultDist(dist, io) ? undefined : dist);
  if (json) print(io, toJson({ error: error.message, exceeded, release }));
  return error;
}

/** Whether other verbs use this folder by default. */
function isDefaultDist(dist: string, io: Io): boolean {
  return dist === defaultSettings(io.cwd).dist;
}

/** The command to run after a build: one that hands it to the host it was made for, or serves it. */
function nextStep({ adapt, dist }: Settings, io: Io): string {
  const place = isDefaultDist(dist, io) ? undefined : shellWord(dist);
  if (adapt !== undefined) return `rollcall publish FOLDER${place === undefined ? "" : ` --dist ${place}`}`;
  return place === undefined ? "rollcall serve" : `rollcall serve ${place}`;
}

function report(
  result: BuildResult,
  { contract, began }: { contract: Contract | undefined; began: number },
  settings: Settings,
  io: Io,
): void {
  ignoreLostOutput(io, `Release ${result.id} is current.`);
  if (settings.json) printResult(io, result, began);
  else if (!settings.quiet) {
    const milliseconds = io.now() - began;
    const { pageSize } = settings;
    const next = nextStep(settings, io);
    const { db } = need(settings, "db");
    const run = { db: nameOfSource(db), contract, pageSize, problemsFile: settings.problems, next, milliseconds };
    say(io, describeBuild(result, run, painter(io.stderr, io.env)));
  }
}
