/** The run that holds the lock of a target: how it is named, renewed, refused and taken over. */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import * as z from "zod";
import { hasCode, UserError } from "../core/errors.js";
import { duration } from "../core/print/numbers.js";
import { describeProcess, type Process, processSchema, thisProcess } from "../core/release/process.js";

/** Milliseconds between two renewals of a lock. */
export const RENEW_MS = 30_000;
/** Milliseconds without a renewal, by the target's own time, after which the holder of a lock counts as dead. */
const STALE_MS = 600_000;
/** How often a run tries to get a lock that changes meanwhile. */
export const ATTEMPTS = 3;

/** Times of a lock. Tests use shorter ones. */
export interface LockTimes {
  renewMs?: number;
  /**
   * Milliseconds within which a holder notices that its lock was taken over. In a bucket it then asks again before its next
   * change. In a folder it looks before each one.
   */
  checkMs?: number;
}

/** Called with a sentence when a run takes over a lock whose holder is not known to have ended. */
export type OnTakeOver = (note: string) => void;
export const holderSchema = z.strictObject({
  ...processSchema.shape,
  id: z.string(),
  /** The system where `pid` is valid, see `findSystem`. */
  system: z.string(),
  /** The number of renewals. It gives each version of the list another entity tag. */
  renewals: z.int().min(0),
});
export type Holder = z.infer<typeof holderSchema>;

/** The ids of the runs of this process that hold a lock. */
const held = new Set<string>();

/** Makes this run a holder, until `endHolding`. */
export function beginHolding(now: Date): Holder {
  const id = randomUUID();
  held.add(id);
  return { ...thisProcess(now), id, system: findSystem(), renewals: 0 };
}

/** Renews a lock every `everyMs`, until the returned function is called. A failure is ignored: the next renewal may succeed. */
export function startRenewing(renew: () => Promise<void>, everyMs: number): () => void {
  let isRenewing = false;
  const timer = setInterval(async () => {
    if (isRenewing) return;
    isRenewing = true;
    await renew().catch(() => {});
    isRenewing = false;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether a lock that was renewed so long ago counts as a dead run's. @param ageMs NaN if the target does not tell. */
export function isStale(ageMs: number): boolean {
  return ageMs >= STALE_MS;
}

/** The error of a run that finds a target locked. */
export function heldBy(name: string, other: Process | undefined): UserError {
  const who = other ? describeProcess(other) : "another run";
  const minutes = STALE_MS / 60_000;
  return new UserError(
    `${name} is being published to by ${who}; wait until it has ended, then run this again; if it was killed, wait ${minutes} minutes, or take over at once with --take-over.`,
  );
}

/** The error of a run that has lost its lock. @param other the run that holds it now. */
export function lostTo(name: string, other: Process | undefined): UserError {
  const who = other ? describeProcess(other) : "another run, which has ended";
  return new UserError(`The lock of ${name} was taken over by ${who}. This run has stopped; run it again.`);
}

/** The note of a run that takes over a lock. @param ageMs milliseconds since its last renewal, by the target's own time. */
export function tookOver(other: Process | undefined, ageMs: number): string {
  const who = other ? describeProcess(other) : "another run";
  const when = Number.isFinite(ageMs) ? `, last renewed ${duration(Math.max(0, ageMs))} ago` : "";
  return `took over the lock of ${who}${when}`;
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
