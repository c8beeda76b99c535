/** A disposable machine for a test: a fresh Debian in namespaces, with all ports free. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratch } from "../../support/files.js";

const HERE = new URL(".", import.meta.url).pathname;
const CLI = new URL("../../../lib/cli/cli.js", import.meta.url).pathname;

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

  #enter(command: readonly string[]): string[] {
    return ["--target", this.#init, "--mount", "--net", "--pid", ...command];
  }
}
