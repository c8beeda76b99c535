/** A release in a git revision as a side of a diff: `git:REV:PATH`, read without a checkout. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { indexed, type ReadEffects, type Side } from "../diff/side.js";
import { isMissing, UserError } from "../errors.js";
import { CONTRACT, EXPLORER, explorerPath, PagePaths, SNAPSHOT } from "../release/layout.js";
import { MAX_PAGE } from "../release/plain-files.js";
import { contractIn, factsOfPages } from "./folder.js";
import { isSourceFile } from "./source-file.js";

/** Copies a file of records from a revision into `scratch`. @returns its path; undefined if `spec` names no such file. */
export async function copySourceFile(spec: string, cwd: string, scratch: string): Promise<string | undefined> {
  const { revision, path } = partsOf(spec);
  const objects = new GitObjects(cwd);
  try {
    const object = await objects.read(`${revision}:${path}`);
    if (object?.type !== "blob") return undefined;
    const file = join(scratch, basename(path));
    writeFileSync(file, object.bytes);
    return isSourceFile(file) ? file : undefined;
  } finally {
    objects.close();
  }
}

function partsOf(spec: string): { revision: string; path: string } {
  const [, revision, path = ""] = /^git:([^:\s]+):([^\n]*)$/.exec(spec) ?? [];
  if (revision === undefined)
    throw new UserError(`${spec} is not of the form git:REV:PATH, as in git:main:dist/current or git:main:team.csv.`);
  return { revision, path: path.replace(/\/+$/, "") };
}

/**
 * Opens a release in a revision as a side. Copies its pages into `scratch`. Follows links inside the revision, like `dist/current`.
 * @param spec `git:REV:PATH`; PATH is relative to the top of the repository of `cwd`, or with `./` to `cwd` itself.
 */
export async function openGitSide(
  spec: string,
  cwd: string,
  scratch: string,
  { onProgress, signal }: ReadEffects,
): Promise<Side> {
  const { revision, path: base } = partsOf(spec);
  const objects = new GitObjects(cwd);
  const copy = async (file: string): Promise<boolean> => {
    const object = await objects.read(`${revision}:${base === "" ? "" : `${base}/`}${file}`);
    if (object?.type !== "blob") return false;
    mkdirSync(dirname(join(scratch, file)), { recursive: true });
    writeFileSync(join(scratch, file), object.bytes);
    return true;
  };
  try {
    if (!(await objects.read(`${revision}^{tree}`)))
      throw new UserError(
        `git does not know revision ${JSON.stringify(revision)}; run "git log" to see revisions, or fetch it first.`,
      );
    await copy(SNAPSHOT);
    await copy(CONTRACT);
    const contract = await contractIn(scratch, spec);
    const { path, words } = contract.listing;
    const paths = new PagePaths(path);
    if (!(await copy(paths.path(1))))
      throw new UserError(
        `${spec} is not a release: ${revision} has no file ${paths.path(1)} below ${JSON.stringify(base)}.`,
      );
    const facts = await factsOfPages(scratch, contract, spec);
    if (facts.baseUrl !== undefined && (await copy(EXPLORER))) facts.explorer = facts.baseUrl + explorerPath(path);
    for (let page = 2; page <= facts.pages; page++) {
      signal?.throwIfAborted();
      if (!(await copy(paths.path(page))))
        throw new UserError(`${spec} is incomplete: page ${page} of ${facts.pages} is missing in ${paths.folder}.`);
      onProgress({ records: Math.min(page * facts.pageSize, facts.count), total: facts.count, words });
    }
    return await indexed(scratch, facts, scratch, signal);
  } finally {
    objects.close();
  }
}

/** Reads objects of a git repository, one at a time, from one `git cat-file --batch`. */
class GitObjects {
  readonly #git: ChildProcessWithoutNullStreams;
  readonly #chunks: AsyncIterator<Buffer>;
  #unread: Buffer = Buffer.alloc(0);
  readonly #ended: Promise<void>;
  #errors = "";

  constructor(cwd: string) {
    this.#git = spawn("git", ["cat-file", "--batch", "--follow-symlinks"], { cwd });
    this.#git.stderr.on("data", (text) => {
      this.#errors += text;
    });
    // The next read reports the error.
    this.#git.stdin.on("error", () => {});
    this.#git.on("error", (error) => {
      this.#errors += isMissing(error) ? "git is not installed" : String(error);
    });
    this.#ended = new Promise((resolve) => {
      this.#git.once("close", () => resolve()).once("error", () => resolve());
    });
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]();
  }

  close(): void {
    this.#git.stdin.end();
    this.#git.kill();
  }

  /** Reads an object by name, such as `main:dist/current/snapshot.json`; undefined if it does not exist. */
  async read(name: string): Promise<{ type: string; bytes: Buffer } | undefined> {
    this.#git.stdin.write(`${name}\n`);
    const head = await this.#line();
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head) ?? [];
    if (type !== undefined) {
      if (Number(size) > MAX_PAGE)
        throw new UserError(`${name} in git has ${size} bytes, more than a page may have; name another revision.`);
      const bytes = await this.#take(Number(size));
      await this.#take(1);
      return { type, bytes };
    }
    // `symlink 9`, `dangling 9`, ...: a link out of the revision, or to nothing; its target follows.
    const [, linkSize] = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(head) ?? [];
    if (linkSize !== undefined) await this.#take(Number(linkSize) + 1);
    return undefined;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf("\n");
      if (end >= 0) return (await this.#take(end + 1)).toString("utf8", 0, end);
      this.#unread = Buffer.concat([this.#unread, await this.#more()]);
    }
  }

  async #take(size: number): Promise<Buffer> {
    const chunks = [this.#unread];
    for (let bytes = this.#unread.length; bytes < size; bytes += chunks.at(-1)?.length ?? 0)
      chunks.push(await this.#more());
    const all = Buffer.concat(chunks);
    this.#unread = all.subarray(size);
    return all.subarray(0, size);
  }

  async #more(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next().catch(() => ({ done: true, value: undefined }));
    if (!done && value) return value;
    await this.#ended;
    const [error = ""] = this.#errors.trim().split("\n");
    throw new UserError(`git cannot read the repository: ${error || "it ended early"}.`);
  }
}
