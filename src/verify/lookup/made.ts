/** Compares the files that look-ups and the page for people work by with what the records make of them, one by one. */
import { EXPLORER, EXPLORER_FOLDER } from "../../release/layout.js";
import { differenceOf, type LookupDifference } from "./differences.js";
import { checkOf, HEADS, type LookupCheck } from "./needs.js";

/** What a release or a host has. */
export interface HeldFiles {
  has(path: string): boolean;
  paths(): Iterable<string>;
  /**
   * The bytes of a file that is there, of a large one its beginning; undefined where another check says that it cannot be read.
   * @param made what it should be, which may be given back where a digest shows that it is.
   */
  read(path: string, made: Buffer): Promise<Buffer | undefined>;
}

export type NoteMade = (check: LookupCheck, path: string, difference: LookupDifference) => void;

/** Of what differs from a file that was made, so much is looked at. */
export function mostOf(made: Buffer): number {
  return 2 * made.length + 2 ** 16;
}

export class MadeFiles {
  readonly #made = new Set<string>();

  constructor(
    private readonly held: HeldFiles,
    private readonly checks: readonly LookupCheck[],
    private readonly note: NoteMade,
  ) {}

  async take(path: string, made: Buffer): Promise<void> {
    const check = checkOf(path);
    if (!check || !this.checks.includes(check)) return;
    this.#made.add(path);
    if (!this.held.has(path)) {
      const expected = path === HEADS[check] ? "what says where each sorted file begins" : "a sorted file";
      return this.note(check, path, { found: "no such file", expected });
    }
    const found = await this.held.read(path, made);
    const difference = found && differenceOf(path, found, made);
    if (difference) this.note(check, path, difference);
  }

  /** Once all have been taken. */
  finish(): void {
    for (const path of this.held.paths()) {
      const check = checkOf(path);
      if (!check || !this.checks.includes(check) || this.#made.has(path) || isOfPage(path)) continue;
      this.note(check, path, { found: "a file", expected: "none, since the records make no such file" });
    }
  }
}

/** Whether a file is the page for people, or lies where its script and style do. */
function isOfPage(path: string): boolean {
  return path === EXPLORER || (path.startsWith(`${EXPLORER_FOLDER}/`) && path.split("/").length === 2);
}
