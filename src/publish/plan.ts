/** What has to change so that a target equals a release. Takes one byte of memory for each file. */
import { UserError } from "../errors.js";
import { EXPLORER } from "../release/layout.js";
import type { PublishedFile, ReleaseFiles } from "./files.js";
import { type Owned, owns } from "./owned.js";
import type { FileState, Target } from "./target.js";

const CODES: Record<FileState, number> = { same: 0, absent: 1, different: 2 };
/** Of files that other runs put. */
const LEFT = 3;

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

/** @throws UserError when a file that Rollcall did not put there is in the place of one of the release, unless `force`. */
export async function makePlan(
  target: Target,
  files: ReleaseFiles,
  before: Owned | undefined,
  { force, signal }: { force: boolean; signal: AbortSignal | undefined },
): Promise<Plan> {
  const states = new Uint8Array(files.length).fill(LEFT);
  const foreign = { first: "", count: 0 };
  await target.survey(
    files,
    ({ index, path }, state) => {
      states[index] = CODES[state];
      if (state !== "different" || (before && owns(before, path))) return;
      if (foreign.count++ === 0) foreign.first = path;
    },
    signal,
  );
  if (foreign.count > 0 && !force) {
    await target.requireSame?.();
    const which = foreign.count > 1 ? `${foreign.first} and ${foreign.count - 1} more` : foreign.first;
    throw new UserError(
      `${target.name} has files that Rollcall did not put there: ${which}; move them away, or replace them with --force.`,
    );
  }
  if (files.isShare) leaveEnd(files, target.announced, states);
  const orphans = { count: 0, hasExplorer: false };
  if (before && !files.isShare)
    for await (const path of target.orphans(before, files)) {
      orphans.count++;
      orphans.hasExplorer ||= path === EXPLORER;
    }
  return new Plan(files, before, states, orphans);
}

/**
 * The page at which the listing there ends is left to the run that follows all shards: its `next` will lead to a new page,
 * and from that to others, which other shards may not have put yet.
 */
function leaveEnd(files: ReleaseFiles, announced: number | undefined, states: Uint8Array): void {
  if (announced === undefined || announced >= files.shape.pages) return;
  const { first, end } = files.filesOf({ first: announced, last: announced });
  for (let index = first; index < end; index++) if (states[index] === CODES.different) states[index] = LEFT;
}

export class Plan {
  readonly counts: PlanCounts;

  constructor(
    readonly files: ReleaseFiles,
    readonly before: Owned | undefined,
    private readonly states: Uint8Array,
    private readonly orphans: { count: number; hasExplorer: boolean },
  ) {
    const count = (of: FileState) => states.reduce((sum, code) => sum + Number(code === CODES[of]), 0);
    this.counts = { added: count("absent"), changed: count("different"), removed: orphans.count, same: count("same") };
  }

  /** Whether the target has a page for people, and the release has none. */
  get removesExplorer(): boolean {
    return this.orphans.hasExplorer;
  }

  get isEmpty(): boolean {
    return this.counts.added + this.counts.changed + this.counts.removed === 0;
  }

  puts(index: number): boolean {
    return isPut(this.states[index]);
  }

  /** Files to put where there is nothing (`absent`) or something else (`different`), except those in `toAnnounce`. */
  toPut(state: FileState): Generator<PublishedFile> {
    return this.#filesFrom(0, this.files.announcing, (code) => code === CODES[state]);
  }

  /** The files that announce others, in their order, where they are to be put. */
  toAnnounce(): Generator<PublishedFile> {
    return this.#filesFrom(this.files.announcing, this.files.length, isPut);
  }

  tell(onStep: (kind: StepKind, path: string) => void): void {
    for (const { path } of this.toPut("absent")) onStep("add", path);
    for (const { path } of this.toPut("different")) onStep("change", path);
    for (const { index, path } of this.toAnnounce())
      onStep(this.states[index] === CODES.absent ? "add" : "change", path);
  }

  *#filesFrom(first: number, end: number, isMeant: (code: number | undefined) => boolean): Generator<PublishedFile> {
    for (let index = first; index < end; index++) if (isMeant(this.states[index])) yield this.files.at(index);
  }
}

function isPut(code: number | undefined): boolean {
  return code === CODES.absent || code === CODES.different;
}
