/** `rollcall init`: a starter config and sample users in the current folder. What is there is never changed. */
import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIG_FILE } from "../config/file.js";
import { codeOf, ExitCode, UserError } from "../errors.js";
import { align, type Paint, painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { replaceFile } from "../release/files.js";
import { findRefusal } from "../release/refusals.js";
import { type Io, print, say } from "./io.js";
import type { Given, Verb } from "./verb.js";

const SAMPLE = "data/users.sqlite";
const STARTER = { db: SAMPLE, baseUrl: "http://127.0.0.1:8080", out: "dist", pageSize: 100 };

export const init: Verb = {
  name: "init",
  summary: `Write a starter ${CONFIG_FILE} and sample users`,
  arguments: {},
  examples: [["rollcall init", `${CONFIG_FILE} and ${SAMPLE}, never over other files`]],
  configured: false,
  run: runInit,
};

async function runInit({ settings }: Given, io: Io): Promise<ExitCode> {
  let isThere: boolean;
  try {
    isThere = await writeStarter(io.cwd);
  } catch (cause) {
    if (cause instanceof UserError || !(cause instanceof Error) || codeOf(cause) === undefined) throw cause;
    const why = findRefusal(dirname(join(io.cwd, SAMPLE))) ?? cause.message;
    throw new UserError(
      `Cannot write ${CONFIG_FILE} and ${SAMPLE} here (${why}); mend that, or run this in another folder.`,
      { cause },
    );
  }
  const written = isThere ? [CONFIG_FILE] : [CONFIG_FILE, SAMPLE];
  if (settings.json) print(io, toJson({ config: CONFIG_FILE, db: SAMPLE, written }));
  else if (!settings.quiet) say(io, describeInit(isThere, painter(io.stderr, io.env)));
  return ExitCode.done;
}

/** Writes what is not there, each file whole or not at all; returns whether the sample was there already. */
async function writeStarter(cwd: string): Promise<boolean> {
  const [config, sample] = [join(cwd, CONFIG_FILE), join(cwd, SAMPLE)];
  if (await exists(config)) throw refusal(CONFIG_FILE);
  const isThere = await exists(sample);
  if (isThere && !(await isSample(sample))) throw refusal(SAMPLE);
  if (!isThere) {
    await mkdir(dirname(sample), { recursive: true });
    replaceFile(sample, await readFile(PACKAGED_SAMPLE));
  }
  // Last, for where this is, another run writes nothing.
  replaceFile(config, `${JSON.stringify(STARTER, null, 2)}\n`);
  return isThere;
}

function describeInit(wasThere: boolean, paint: Paint): string {
  const lines = [
    { verb: "write", value: CONFIG_FILE, detail: "settings to change" },
    { verb: wasThere ? "keep" : "write", value: SAMPLE, detail: "sample users to try it with" },
    { verb: "next", value: "rollcall build && rollcall serve" },
  ];
  return align(lines, paint);
}

/** The package's sample: two folders up from `lib/commands`, as from `src/commands`. */
const PACKAGED_SAMPLE = fileURLToPath(new URL(`../../${SAMPLE}`, import.meta.url));

/** Whether a file is the sample already, as it is in a clone of Rollcall. */
async function isSample(path: string): Promise<boolean> {
  try {
    const [there, packaged] = await Promise.all([readFile(path), readFile(PACKAGED_SAMPLE)]);
    return there.equals(packaged);
  } catch (error) {
    // A folder, or a file that this user may not read.
    if (codeOf(error) !== undefined) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

function refusal(name: string): UserError {
  return new UserError(
    `${name} is there already, so nothing was written; move it away, or run "rollcall build".`,
  );
}
