/** The lock of a bucket: an object that names the process holding it. Only one run at a time publishes, from any machine. */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { hasCode, UserError } from "../errors.js";
import { TARGET_LOCK } from "../release/layout.js";
import type { ObjectStore } from "./s3.js";

export const OWN_HEADERS = { CacheControl: "no-store", ContentType: "application/json" };

const holderSchema = z.object({
  id: z.string(),
  pid: z.int(),
  machine: z.string(),
  /** The system where `pid` is valid, see `findSystem`. */
  system: z.string(),
  since: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

export interface LockOptions {
  /** The bucket, as messages show it. */
  name: string;
  /** Take the lock over from any holder. */
  force: boolean;
}

/** The ids of the locks that this process holds. */
const held = new Set<string>();

/**
 * Taking the lock is a conditional PUT: there must be no lock, or the version that was read. So only one of several runs gets
 * it, and only its holder removes it. A killed run leaves its lock. A run on the same system sees that the process is gone,
 * and takes the lock over. On other systems, the user must decide, with `force`.
 */
export class BucketLock {
  /** The entity tag of the lock, while this run holds it. */
  #version: string | undefined;
  readonly #id = randomUUID();

  constructor(
    private readonly store: ObjectStore,
    private readonly options: LockOptions,
  ) {}

  /** Takes the lock. @throws UserError that names the holder if another run holds the lock. */
  async take(now: Date): Promise<void> {
    const holder: Holder = {
      id: this.#id,
      pid: process.pid,
      machine: hostname(),
      system: findSystem(),
      since: now.toISOString(),
    };
    const before = await this.#find();
    if (before && !this.#mayReplace(before.holder)) throw this.#isHeld(before.holder);
    const bytes = Buffer.from(`${JSON.stringify(holder)}\n`);
    held.add(this.#id);
    this.#version = await this.store.put(TARGET_LOCK, bytes, OWN_HEADERS, before?.etag);
    if (this.#version !== undefined) return;
    held.delete(this.#id);
    throw this.#isHeld((await this.#find())?.holder);
  }

  /** Checks that this run still holds the lock. @throws UserError if it does not. */
  async confirm(): Promise<void> {
    const found = await this.#find();
    if (found?.etag === this.#version) return;
    held.delete(this.#id);
    const by = found ? describe(found.holder) : "another run, which has ended";
    throw new UserError(
      `The lock of ${this.options.name} was taken over by ${by}. This run has stopped; run it again.`,
    );
  }

  /** Removes the lock if this run holds it. */
  async release(): Promise<void> {
    if (!held.delete(this.#id)) return;
    if ((await this.#find())?.holder?.id === this.#id) await this.store.remove(TARGET_LOCK);
  }

  async #find(): Promise<{ etag: string; holder: Holder | undefined } | undefined> {
    const found = await this.store.find(TARGET_LOCK);
    return found && { etag: found.etag, holder: parseAs(holderSchema, String(found.bytes)) };
  }

  #mayReplace(holder: Holder | undefined): boolean {
    return this.options.force || (holder !== undefined && isDead(holder));
  }

  #isHeld(holder: Holder | undefined): UserError {
    return new UserError(
      `${this.options.name} is being published to by ${describe(holder)}; wait until it has ended, then run this again; if it was killed, take over with --force.`,
    );
  }
}

function describe(holder: Holder | undefined): string {
  if (!holder) return "another run";
  return `process ${holder.pid} on ${holder.machine} since ${holder.since}`;
}

/** Whether the holder is known to have ended. */
function isDead({ id, pid, machine, system }: Holder): boolean {
  if (machine !== hostname() || system !== findSystem()) return false;
  if (pid === process.pid) return !held.has(id);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}

/**
 * Identifies the running system and its PID namespace, since containers may share a host name. Empty without /proc: then
 * only the host name counts.
 */
function findSystem(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
