/** A disposable machine for a test: a fresh Debian in namespaces, with all ports free. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { onTestFinished } from "vitest";
import { scratch } from "../../support/files.js";

const HERE = new URL(".", import.meta.url).pathname;
const CLI = new URL("../../../lib/cli.js", import.meta.url).pathname;

/** Only root can give files to the users that servers run as. */
export const canBeMade = process.getuid?.() === 0;

export class Machine {
  readonly #init: string;

  private constructor(
    /** The machine's /srv, as it is seen from outside. */
    readonly srv: string,
    init: string,
  ) {
    this.#init = init;
  }

  static async open(): Promise<Machine> {
    const changes = scratch();
    const made = '"$0" "$@" && echo made && exec sleep infinity';
    const namespaces = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const setup = ["bash", "-c", made, join(HERE, "setup.sh"), changes, HERE, process.execPath, CLI];
    const child = spawn("unshare", [...namespaces, ...setup], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(async () => {
      // With the first process of the machine, all others end.
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "close");
    });
    const [line] = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
    if (String(line).trim() !== "made") throw new Error(`The machine could not be made: ${line}`);
    const [init = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
    return new Machine(join(changes, "srv"), init);
  }

  /** Runs a script as root in a folder, as `bash -e`. @throws Error with all that it printed, when it fails. */
  run(script: string, folder = "/"): string {
    const found = spawnSync("nsenter", this.#enter(["bash", "-euo", "pipefail", "-c", `cd ${folder}\n${script}`]), {
      encoding: "utf8",
    });
    if (found.status === 0) return found.stdout;
    throw new Error(`${script}\nended with ${found.status}: ${found.stdout}${found.stderr}`);
  }

  start(command: readonly string[]): ChildProcess {
    return spawn("nsenter", this.#enter(command), { stdio: ["pipe", "pipe", "inherit"] });
  }

  #enter(command: readonly string[]): string[] {
    return ["--target", this.#init, "--mount", "--net", "--pid", ...command];
  }
}

interface Seen {
  failed?: string;
  status?: number;
  id?: string;
  page?: number;
  coding?: string;
  tag?: string;
  isWhole?: boolean;
  isStale?: boolean;
  times: number;
}

/** Readers of a listing on the machine, who go on until they are told to stop. */
export class Readers {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(machine: Machine, baseUrl: string, pages: number) {
    this.#child = machine.start([process.execPath, join(HERE, "reader.mjs"), baseUrl, String(pages), "6"]);
    const lines: Interface = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** From now on, an answer to a new connection is stale when it is not of this release; none is after "-". */
  async expect(id: string): Promise<void> {
    this.#child.stdin?.write(`${id}\n`);
    await this.#lines.next();
  }

  async stop(): Promise<Seen[]> {
    this.#child.stdin?.end();
    const { value } = await this.#lines.next();
    return JSON.parse(value).answers;
  }
}
