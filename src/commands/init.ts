/** `rollcall init`: a starter config and sample users in the current folder. */
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIG_FILE } from "../config/file.js";
import { codeOf, ExitCode, UserError } from "../errors.js";
import { type Io, say } from "./io.js";
import { align, painter } from "./style.js";
import type { Given, Verb } from "./verb.js";

const SAMPLE = "data/users.sqlite";
const STARTER = { db: SAMPLE, baseUrl: "http://127.0.0.1:8080", out: "dist", pageSize: 100 };

export const init: Verb = {
  name: "init",
  summary: `Write a starter ${CONFIG_FILE} and sample users`,
  arguments: {},
  examples: [["rollcall init", `${CONFIG_FILE} and ${SAMPLE}, unless one of them is there`]],
  configured: false,
  run: runInit,
};

async function runInit(_given: Given, io: Io): Promise<ExitCode> {
  for (const name of [CONFIG_FILE, SAMPLE]) {
    if (await exists(join(io.cwd, name))) throw refusal(name);
  }
  const sample = join(io.cwd, SAMPLE);
  try {
    await mkdir(dirname(sample), { recursive: true });
    await copyFile(packagedSample(), sample, constants.COPYFILE_EXCL);
    await writeFile(join(io.cwd, CONFIG_FILE), `${JSON.stringify(STARTER, null, 2)}\n`, { flag: "wx" });
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new UserError(`Cannot write ${CONFIG_FILE} and ${SAMPLE} here (${codeOf(cause)}).`, { cause });
  }
  const lines = [
    { verb: "write", value: CONFIG_FILE, detail: "settings to change" },
    { verb: "write", value: SAMPLE, detail: "sample users to try it with" },
    { verb: "next", value: "rollcall build && rollcall serve" },
  ];
  say(io, align(lines, painter(io.stderr, io.env)));
  return ExitCode.done;
}

/** The package's sample: two folders up from `lib/commands`, as from `src/commands`. */
function packagedSample(): string {
  return fileURLToPath(new URL(`../../${SAMPLE}`, import.meta.url));
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
