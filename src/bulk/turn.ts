/** Takes members of pages in any order, as threads make them, and gives each in its turn. */
import type { BulkMember } from "./members.js";

/** Of pages that are written together. Threads that are so far ahead of another one wait for it. */
const MOST_EARLY = 4;

export interface WrittenBulk {
  /** The digest of each file. */
  files: readonly (readonly [path: string, digest: string])[];
  /** Of bulk.json; empty where members are handed over. */
  text: string;
}

/** To be closed in a `finally`. */
export abstract class MembersInTurn {
  readonly #early = new Map<number, { pages: number; members: readonly BulkMember[] }>();
  #next = 1;
  #isClosed = false;
  #waiting: (() => void)[] = [];
  #done: ArrayBuffer[] = [];

  /** Is given one member after the other. Its memory is used again afterwards. */
  protected abstract write(member: BulkMember): void;

  /** To be called when all members have come. */
  abstract finish(): WrittenBulk;

  /**
   * Takes the members of some pages from page `first` on.
   * @returns undefined, or a promise to wait for before more is made, because much waits for pages before.
   */
  add(first: number, pages: number, members: readonly BulkMember[]): Promise<void> | undefined {
    this.#early.set(first, { pages, members });
    for (let found = this.#early.get(this.#next); found; found = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      for (const member of found.members) {
        this.write(member);
        if (this.#done.length < MOST_EARLY) this.#done.push(member.memory);
      }
      this.#next += found.pages;
    }
    if (this.#isClosed || this.#early.size < MOST_EARLY) this.#goOn();
    else return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Memory for further members, of some that are written. */
  memory(): ArrayBuffer | undefined {
    return this.#done.pop();
  }

  /** Nobody waits any longer, and no more is to be added. */
  close(): void {
    this.#isClosed = true;
    this.#goOn();
  }

  #goOn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
