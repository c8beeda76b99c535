/** Reads objects of a git repository, one after the other, from one `git cat-file --batch`. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { isMissing, UserError } from "../errors.js";
import { MAX_PAGE } from "../release/files.js";

export class GitObjects {
  readonly #git: ChildProcessWithoutNullStreams;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  readonly #ended: Promise<void>;
  #complaint = "";

  constructor(cwd: string) {
    this.#git = spawn("git", ["cat-file", "--batch", "--follow-symlinks"], { cwd });
    this.#git.stderr.on("data", (text) => {
      this.#complaint += text;
    });
    // What goes wrong is told when an answer is waited for.
    this.#git.stdin.on("error", () => {});
    this.#git.on("error", (error) => {
      this.#complaint += isMissing(error) ? "git is not installed" : String(error);
    });
    this.#ended = new Promise((resolve) => {
      this.#git.once("close", () => resolve()).once("error", () => resolve());
    });
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]();
  }

  async has(name: string): Promise<boolean> {
    return (await this.#ask(name)) !== undefined;
  }

  /** The content of a file, or undefined when there is none of this name. */
  async find(name: string): Promise<Buffer | undefined> {
    const object = await this.#ask(name);
    return object?.type === "blob" ? object.bytes : undefined;
  }

  close(): void {
    this.#git.stdin.end();
    this.#git.kill();
  }

  async #ask(name: string): Promise<{ type: string; bytes: Buffer } | undefined> {
    this.#git.stdin.write(`${name}\n`);
    const head = await this.#line();
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head) ?? [];
    if (type !== undefined) {
      if (Number(size) > MAX_PAGE)
        throw new UserError(`${name} in git has ${size} bytes, more than a page may; name another revision.`);
      const bytes = await this.#take(Number(size));
      await this.#take(1);
      return { type, bytes };
    }
    // `symlink 9`, `dangling 9`, ...: a link that leads out of the revision, or nowhere, and where to.
    const [, linkSize] = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(head) ?? [];
    if (linkSize !== undefined) await this.#take(Number(linkSize) + 1);
    return undefined;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) return (await this.#take(end + 1)).toString("utf8", 0, end);
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
    }
  }

  async #take(size: number): Promise<Buffer> {
    const chunks = [this.#rest];
    for (let bytes = this.#rest.length; bytes < size; bytes += chunks.at(-1)?.length ?? 0)
      chunks.push(await this.#more());
    const all = Buffer.concat(chunks);
    this.#rest = all.subarray(size);
    return all.subarray(0, size);
  }

  async #more(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next().catch(() => ({ done: true, value: undefined }));
    if (!done && value) return value;
    await this.#ended;
    const [complaint = ""] = this.#complaint.trim().split("\n");
    throw new UserError(`git cannot read the repository: ${complaint || "it ended early"}.`);
  }
}
