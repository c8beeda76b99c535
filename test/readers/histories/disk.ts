/** A small disk of its own for a folder of releases, with the process that makes them: both can fail whenever a test likes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { pause } from "../../support/time.js";

const MAKER = new URL("maker.mjs", import.meta.url).pathname;
const BYTES = 16 * 2 ** 20;

export interface Disk {
  /** The folder of releases. Only what is started with `inside` sees it. */
  dist: string;
  /** A program and its arguments, to be put before those of what is to see the disk. */
  inside: readonly string[];
}

/** The release that is current, as its maker reads it. */
export interface Current {
  folder: string;
  id: string;
  state: string;
  /** Of each record's text, in order. */
  digests: string[];
  /** Undefined for a release without change files. */
  steps: { from: string; to: string }[] | undefined;
  /** The digest of contract.json. */
  contract: string;
}

export interface Made {
  /** Undefined where the deed failed, and where its maker was killed. */
  result?: unknown;
  error?: { name: string; code?: string; message: string };
  current?: Current;
  isKilled: boolean;
}

/** What is to be done: its name, and what it is given. */
export interface Deed {
  deed: string;
  /** Bytes that are free on the disk meanwhile. */
  leaves?: number | undefined;
  [given: string]: unknown;
}

/** One in memory, in a namespace of its own, until the test is over. */
export async function openDisk(folder: string): Promise<Disk> {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const mount = `mount -t tmpfs -o size=${BYTES} tmpfs "$0" && echo mounted && exec cat`;
  const holder = spawn("unshare", ["--map-root-user", "--mount", "sh", "-c", mount, disk], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => end(holder));
  await Promise.race([once(holder.stdout, "data"), once(holder, "close").then(() => refuse("No disk was mounted"))]);
  const inside = ["nsenter", "--target", `${holder.pid}`, "--user", "--mount", "--preserve-credentials", "--"];
  return { dist: join(disk, "dist"), inside };
}

/** What carries out deeds on a disk, one at a time. */
export class Maker {
  readonly #disk: Disk;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess;
  #closed: Promise<undefined>;

  constructor(disk: Disk, env: NodeJS.ProcessEnv = {}) {
    this.#disk = disk;
    this.#env = { ...process.env, ...env };
    this.#child = this.#start();
    this.#closed = whenClosed(this.#child);
    onTestFinished(() => end(this.#child));
  }

  /** @param killAfter milliseconds after which the process is killed, unless it is done by then. */
  async do(deed: Deed, killAfter?: number): Promise<Made> {
    const child = this.#child;
    const answer = once(child, "message").then(([made]) => ({ ...made, isKilled: false }) as Made);
    child.send(deed);
    if (killAfter === undefined)
      return (await Promise.race([answer, this.#closed])) ?? refuse(`The maker ended in ${deed.deed}`);
    const early = await Promise.race([answer, pause(killAfter)]);
    if (early) return early;
    child.kill("SIGKILL");
    await this.#closed;
    const made = await Promise.race([answer, this.#closed]);
    this.#child = this.#start();
    this.#closed = whenClosed(this.#child);
    return made ?? { ...(await this.do({ deed: "look" })), isKilled: true };
  }

  #start(): ChildProcess {
    const [program = "", ...args] = [...this.#disk.inside, process.execPath, MAKER, join(this.#disk.dist, "..")];
    return spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], env: this.#env });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

async function whenClosed(child: ChildProcess): Promise<undefined> {
  await once(child, "close");
}

function refuse(why: string): never {
  throw new Error(`${why}.`);
}
