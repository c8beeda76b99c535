/** The run that holds the lock of a bucket, as the bucket's list of owned files names it. */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { hasCode } from "../errors.js";
import { processSchema, thisProcess } from "../release/lock.js";

export const holderSchema = z.strictObject({
  ...processSchema.shape,
  id: z.string(),
  /** The system where `pid` is valid, see `findSystem`. */
  system: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** The ids of the runs of this process that hold a lock. */
const held = new Set<string>();

/** Makes this run a holder, until `endHolding`. */
export function beginHolding(now: Date): Holder {
  const id = randomUUID();
  held.add(id);
  return { ...thisProcess(now), id, system: findSystem() };
}

/** Ends a holder of this process: a lock that it left counts as a dead run's. */
export function endHolding({ id }: Holder): void {
  held.delete(id);
}

/** Whether a holder is known to have ended. */
export function isDead({ id, pid, machine, system }: Holder): boolean {
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
