/** A git revision as a side of a diff: `git:REV:PATH`, which git copies into a temporary folder. The checkout stays as it is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { isMissing, UserError } from "../../core/errors.js";
import { isSourceFile } from "./source-file.js";

/**
 * Copies a folder or a file of a revision into `scratch`. Follows links inside the revision, like `dist/current`.
 * @param spec `git:REV:PATH`; PATH is relative to the top of the repository of `cwd`, or with `./` to `cwd` itself.
 * @returns the path of the copy. @throws UserError if git does not know the revision or the path; the reason of `signal`.
 */
export async function copyFromGit(
  spec: string,
  cwd: string,
  scratch: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { revision, path } = partsOf(spec);
  const options = { cwd, signal };
  const names = `${revision}^{tree}\n${revision}:${path}\n`;
  const [tree = "", found = ""] = (
    await git(["cat-file", "--batch-check", "--follow-symlinks"], { ...options, input: names })
  ).split("\n");
  if (!OBJECT.test(tree))
    throw new UserError(
      `git does not know revision ${JSON.stringify(revision)}; run "git log" to see revisions, or fetch it first.`,
    );
  const [, object = "", type] = OBJECT.exec(found) ?? [];
  if (type === "blob") {
    const copy = join(scratch, basename(path));
    const output = openSync(copy, "wx");
    try {
      await git(["cat-file", "blob", object], { ...options, output });
    } finally {
      closeSync(output);
    }
    if (!isSourceFile(copy)) throw new UserError(`${spec} is neither a release's folder nor a file of records.`);
    return copy;
  }
  if (type !== "tree")
    throw new UserError(`${spec} does not exist: revision ${revision} has no file or folder ${JSON.stringify(path)}.`);
  const folder = join(scratch, "tree");
  mkdirSync(folder);
  const gitFolder = (await git(["rev-parse", "--absolute-git-dir"], options)).trim();
  // An index and a work tree of their own, without attributes that change bytes. Links become files with their target.
  const copying = [
    `--git-dir=${gitFolder}`,
    `--work-tree=${folder}`,
    "-c",
    "core.bare=false",
    "-c",
    "core.symlinks=false",
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.sparseCheckout=false",
  ];
  const env = { ...process.env, GIT_INDEX_FILE: join(scratch, "index"), GIT_ATTR_NOSYSTEM: "1" };
  await git([...copying, "read-tree", object], { ...options, cwd: folder, env });
  await git([...copying, "checkout-index", "--all"], { ...options, cwd: folder, env });
  return folder;
}

/** A line of `git cat-file --batch-check` for an object that exists: its id, type and size. */
const OBJECT = /^([0-9a-f]+) (\w+) \d+$/;

function partsOf(spec: string): { revision: string; path: string } {
  const [, revision, path = ""] = /^git:([^:\s]+):([^\n]*)$/.exec(spec) ?? [];
  if (revision === undefined)
    throw new UserError(`${spec} is not of the form git:REV:PATH, as in git:main:dist/current or git:main:team.csv.`);
  return { revision, path: path.replace(/\/+$/, "") };
}

interface GitOptions {
  cwd: string;
  signal: AbortSignal | undefined;
  env?: NodeJS.ProcessEnv;
  /** Text for its standard input. */
  input?: string;
  /** A file that takes what git prints. */
  output?: number;
}

/** Runs git. @returns what it printed. @throws UserError with git's first line of error; the reason of `signal`. */
async function git(args: string[], { cwd, signal, env, input = "", output }: GitOptions): Promise<string> {
  signal?.throwIfAborted();
  const child = spawn("git", args, { cwd, env, signal, stdio: ["pipe", output ?? "pipe", "pipe"] });
  // A git that ends early reports why on standard error.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  try {
    const [printed, errors, [code]] = await Promise.all([
      child.stdout ? text(child.stdout) : "",
      child.stderr ? text(child.stderr) : "",
      once(child, "close"),
    ]);
    if (code === 0) return printed;
    const [error = ""] = errors.trim().split("\n");
    throw new UserError(`git cannot read the repository: ${error || `it ended with code ${code}`}.`);
  } catch (error) {
    signal?.throwIfAborted();
    throw isMissing(error) ? new UserError("git is not installed.", { cause: error }) : error;
  }
}
