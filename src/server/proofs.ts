/**
 * What a file was on disk when its bytes were proved. While it is the same, its bytes are, and need no hashing: whoever writes
 * to a file, cuts it, links it or sets its times gives it another time of change (ctime), which nobody can set.
 */
import type { BigIntStats } from "node:fs";
import { statfs } from "node:fs/promises";

/** Nanoseconds of a millisecond. */
const MS = 1_000_000n;

/**
 * A file that changed a moment ago may change again within the same tick of the system's clock, and have the same times. So
 * what it is counts only once it has been that for a while, as git has it for files that are "racily clean".
 * @param now milliseconds since 1970, from before the file was read.
 */
export function isSettled({ ctimeNs }: Pick<BigIntStats, "ctimeNs">, now: number, settleMs: number): boolean {
  return ctimeNs <= BigInt(Math.floor(now - settleMs)) * MS;
}

/** Of ext2 to ext4, XFS, Btrfs, tmpfs, ZFS, F2FS, bcachefs, overlays of these, and SquashFS, by their numbers in Linux. */
const LOCAL: readonly number[] = [
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1],
  ...[0xf2f52010, 0xca451a4e, 0x794c7630, 0x73717368],
];

/** Whether times tell of every change: not on a file system of another machine, whose clock and caches are its own. */
export async function hasTrueTimes(folder: string): Promise<boolean> {
  return LOCAL.includes((await statfs(folder)).type);
}

/** Device aside, which all files of a release share. */
const FIELDS = 4;

/** Proofs of pages 1 to `pages` in one variant, in 32 bytes each, which the system provides as they are used. */
export class Proofs {
  readonly #states: BigInt64Array;
  #device: bigint | undefined;

  constructor(pages: number) {
    this.#states = new BigInt64Array(pages * FIELDS);
  }

  /** The bytes of a page that was proved. */
  sizeOf(page: number): number | undefined {
    return Number(this.#states[(page - 1) * FIELDS]) || undefined;
  }

  hold(page: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats): boolean {
    const at = (page - 1) * FIELDS;
    const states = this.#states;
    return (
      states[at + 1] === ctimeNs &&
      states[at + 2] === mtimeNs &&
      states[at + 3] === ino &&
      states[at] === size &&
      this.#device === dev
    );
  }

  keep(page: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats): void {
    this.#device ??= dev;
    this.#states.set([size, ctimeNs, mtimeNs, ino], (page - 1) * FIELDS);
  }
}
