/** Plans the changes that make a target equal to a release, in one byte of memory per file. */
import { UserError } from "../core/errors.js";
import { each } from "../core/workers/at-most.js";
import { createTurns } from "../core/workers/turns.js";
import type { PublishedFile, ReleaseFiles } from "./order.js";
import { type Owned, ownership } from "./owned.js";
import { AT_ONCE, type FileState, type Target } from "./target.js";

/** Files that are compared before the event loop gets a turn. */
const COMPARED = 100;

const CODES: Record<FileState, number> = { same: 0, absent: 1, different: 2 };

export type StepKind = "add" | "change" | "remove";

export interface PlanCounts {
  /** Files that the target does not have. */
  added: number;
  /** Files that replace others. */
  changed: number;
  /** Files of earlier releases that are removed. */
  removed: number;
  /** Files that are already there, byte for byte. */
  same: number;
}

export interface PlanOptions {
  /** The files that Rollcall owns in the target. */
  before: Owned | undefined;
  /** Also replace files that Rollcall did not put there. */
  force: boolean;
  signal: AbortSignal | undefined;
}

/** Compares a target with a release. @throws UserError if a file of the release would replace one that Rollcall did not put there, unless `force`. */
export async function makePlan(
  target: Target,
  files: ReleaseFiles,
  { before, force, signal }: PlanOptions,
): Promise<Plan> {
  const states = new Uint8Array(files.length);
  const orphans: string[] = [];
  const foreign: string[] = [];
  const isOwned = before ? ownership(before) : () => false;
  for await (const path of target.list(before)) {
    signal?.throwIfAborted();
    if (isOwned(path) && files.indexOf(path) === undefined) orphans.push(path);
  }
  // Most comparisons wait for nothing, and the lock is renewed by a timer.
  const turn = createTurns(COMPARED, signal);
  const compareFile = async (file: PublishedFile) => {
    await turn();
    const state = await target.stateOf(file);
    states[file.index] = CODES[state];
    if (state === "different" && !isOwned(file.path)) foreign.push(file.path);
  };
  await each(files, AT_ONCE, compareFile, signal);
  if (foreign.length > 0 && !force) {
    const more = foreign.length > 1 ? ` and ${foreign.length - 1} more` : "";
    throw new UserError(
      `${target.name} has files that Rollcall did not put there: ${foreign[0]}${more}; move them away, or replace them with --force.`,
    );
  }
  return new Plan(files, before, states, orphans);
}

/** The state of each file, and the files to remove. */
export class Plan {
  readonly counts: PlanCounts;

  constructor(
    readonly files: ReleaseFiles,
    readonly before: Owned | undefined,
    private readonly states: Uint8Array,
    /** Paths of files that Rollcall owns and that the release does not have. */
    readonly orphans: readonly string[],
  ) {
    const count = (of: FileState) => states.reduce((sum, code) => sum + Number(code === CODES[of]), 0);
    this.counts = { added: count("absent"), changed: count("different"), removed: orphans.length, same: count("same") };
  }

  /** The number of files to put or remove. */
  get steps(): number {
    return this.counts.added + this.counts.changed + this.counts.removed;
  }

  /** Whether a file is put. */
  puts(index: number): boolean {
    return this.states[index] !== CODES.same;
  }

  /** The new (`absent`) or changed (`different`) files to put, except those in `toAnnounce`. */
  toPut(state: FileState): Generator<PublishedFile> {
    return this.#filesFrom(0, this.files.announcing, (code) => code === CODES[state]);
  }

  /** The files to put that refer to others, in their order. */
  toAnnounce(): Generator<PublishedFile> {
    return this.#filesFrom(this.files.announcing, this.files.length, (code) => code !== CODES.same);
  }

  /** Reports all steps, for a dry run. */
  report(onStep: (kind: StepKind, path: string) => void): void {
    for (const { path } of this.toPut("absent")) onStep("add", path);
    for (const { path } of this.toPut("different")) onStep("change", path);
    for (const { index, path } of this.toAnnounce())
      onStep(this.states[index] === CODES.absent ? "add" : "change", path);
    for (const path of this.orphans) onStep("remove", path);
  }

  *#filesFrom(first: number, end: number, isSelected: (code: number | undefined) => boolean): Generator<PublishedFile> {
    for (let index = first; index < end; index++) if (isSelected(this.states[index])) yield this.files.at(index);
  }
}
