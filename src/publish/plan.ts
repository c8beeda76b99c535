/** The plan: what has to happen so that a target equals a release. One byte of memory a file. */
import { UserError } from "../errors.js";
import type { PublishedFile, ReleaseFiles } from "./files.js";
import { type Owned, owns } from "./owned.js";
import type { Standing, Target } from "./target.js";

const CODES: Record<Standing, number> = { same: 0, absent: 1, different: 2 };

export type StepKind = "add" | "change" | "remove";

export interface PlanCounts {
  /** Files that the target did not have. */
  added: number;
  /** Files that replace others. */
  changed: number;
  /** Files of releases before that go. */
  removed: number;
  /** Files that are there already, byte for byte. */
  same: number;
}

/**
 * Compares a target with a release.
 * @throws UserError when something that is not Rollcall's stands where a file belongs, unless `force`.
 */
export async function makePlan(
  target: Target,
  files: ReleaseFiles,
  owned: Owned | undefined,
  { force, signal }: { force: boolean; signal: AbortSignal | undefined },
): Promise<Plan> {
  const standings = new Uint8Array(files.length);
  let stranger: string | undefined;
  let strangers = 0;
  await target.survey(
    files,
    ({ index, path }, standing) => {
      standings[index] = CODES[standing];
      if (standing !== "different" || (owned && owns(owned, path))) return;
      stranger ??= path;
      strangers++;
    },
    signal,
  );
  if (stranger !== undefined && !force) {
    const which = strangers > 1 ? `${stranger} and ${strangers - 1} more` : stranger;
    throw new UserError(
      `${target.name} has files that Rollcall did not put there: ${which}; move them away, or replace them with --force.`,
    );
  }
  let orphans = 0;
  if (owned) for await (const _ of target.orphans(owned, files)) orphans++;
  return new Plan(files, standings, orphans);
}

export class Plan {
  readonly #files: ReleaseFiles;
  readonly #standings: Uint8Array;
  readonly counts: PlanCounts;

  constructor(files: ReleaseFiles, standings: Uint8Array, removed: number) {
    this.#files = files;
    this.#standings = standings;
    const count = (of: Standing) => standings.reduce((sum, code) => sum + Number(code === CODES[of]), 0);
    this.counts = { added: count("absent"), changed: count("different"), removed, same: count("same") };
  }

  get isEmpty(): boolean {
    return this.counts.added + this.counts.changed + this.counts.removed === 0;
  }

  /** Whether the file of that number is put. */
  puts(index: number): boolean {
    return this.#standings[index] !== CODES.same;
  }

  /** Files to put where nothing stands (`absent`) or something else does, but for those that announce the release. */
  *toPut(standing: Standing): Generator<PublishedFile> {
    for (let index = 0; index < this.#files.announcing; index++) {
      if (this.#standings[index] === CODES[standing]) yield this.#files.at(index);
    }
  }

  /** Those that announce it and are to be put. */
  *toAnnounce(): Generator<PublishedFile> {
    for (let index = this.#files.announcing; index < this.#files.length; index++) {
      if (this.puts(index)) yield this.#files.at(index);
    }
  }

  /** Says what is put, in the order in which it would be. */
  tell(onStep: (kind: StepKind, path: string) => void): void {
    for (const { path } of this.toPut("absent")) onStep("add", path);
    for (const { path } of this.toPut("different")) onStep("change", path);
    for (const { index, path } of this.toAnnounce())
      onStep(this.#standings[index] === CODES.absent ? "add" : "change", path);
  }
}
