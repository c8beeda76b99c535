/** `rollcall verify`: a release on disk or a deployed host, and the report of what differs. */
import { writeFile } from "node:fs/promises";
import { isHttpUrl } from "../contract/links.js";
import { ExitCode } from "../errors.js";
import type { Words } from "../print/numbers.js";
import { painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { toJunit } from "../verify/junit.js";
import type { VerifyEffects } from "../verify/options.js";
import { verify as prove } from "../verify/verify.js";
import { refusalsAsUsageErrors, unwritable } from "./program/failure.js";
import { watched } from "./program/progress.js";
import { type Given, type Io, print } from "./program/verb.js";
import { describeVerdict } from "./verdict.js";

export async function runVerify({ settings, arguments: { what } }: Given, io: Io): Promise<ExitCode> {
  const { dist, workers, against, sample, allow, adapt, concurrency, rate, cacheControl, key, maxAge } = settings;
  const started = io.now();
  const options = { what, dist, workers, against, sample, allow, adapt, concurrency, rate, cacheControl, key, maxAge };
  const result = await refusalsAsUsageErrors(() =>
    watched(io, isHttpUrl(what ?? "") ? "request" : "record", (bar, signal) => {
      const onProgress: VerifyEffects["onProgress"] = (done) => {
        if ("records" in done) bar?.update(done.records, done.total, done.words);
        else if ("files" in done) bar?.update(done.files, done.total, FILES);
        else bar?.update(done.requests, done.total);
      };
      return prove(options, { cwd: io.cwd, signal, onProgress });
    }),
  );
  const { passed, ...verdict } = result;
  const { junit } = settings;
  if (junit !== undefined)
    await writeFile(junit, toJunit(verdict)).catch((cause) => {
      throw unwritable(junit, "--junit", cause);
    });
  const milliseconds = io.now() - started;
  const { columns: width = UNKNOWN_WIDTH } = io.stdout;
  if (settings.json) print(io, toJson({ ...result, seconds: Math.round(milliseconds) / 1000 }));
  else print(io, describeVerdict(verdict, { milliseconds, width, paint: painter(io.stdout, io.env) }));
  return passed ? ExitCode.done : ExitCode.refused;
}

/** What is counted behind the records: the files that these are found by. */
const FILES: Words = ["file to find them by", "files to find them by"];

/** Columns where the output is no terminal, for example the log of a CI job. */
const UNKNOWN_WIDTH = 120;
