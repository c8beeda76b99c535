/**
 * What files were on disk when their bytes were proved. While a file is the same, its bytes are, and need no hashing: writing
 * to a file, cutting it, linking it and setting its times all set its time of change (ctime), which no call can set.
 */
import type { BigIntStats } from "node:fs";
import { statfs } from "node:fs/promises";

/** Nanoseconds of a millisecond. */
const MS = 1_000_000n;

/** Of ext2 to ext4, XFS, Btrfs, tmpfs, ZFS, F2FS, bcachefs, overlays of these, and SquashFS, by their numbers in Linux. */
const LOCAL: readonly number[] = [
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1],
  ...[0xf2f52010, 0xca451a4e, 0x794c7630, 0x73717368],
];

/** Whether times tell of every change: not on a file system of another machine, whose clock and caches are its own. */
export async function hasTrueTimes(folder: string): Promise<boolean> {
  return LOCAL.includes((await statfs(folder)).type);
}

/** Whether a file is on disk what it was. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.dev === other.dev
  );
}

/** Size, times and inode. The device is the same for all files. */
const FIELDS = 4;

/** Proofs of files 0 to `files` - 1, in 32 bytes each, which the system provides as they are used. */
export class Proofs {
  readonly #states: BigInt64Array;
  #device: bigint | undefined;

  /** @param settleMs how long a file must have been what it is before that counts */
  constructor(
    readonly files: number,
    readonly settleMs: number,
  ) {
    this.#states = new BigInt64Array(files * FIELDS);
  }

  /** Whether a file that is so on disk has been proved. */
  hold(file: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats): boolean {
    const at = file * FIELDS;
    const states = this.#states;
    return (
      states[at + 1] === ctimeNs &&
      states[at + 2] === mtimeNs &&
      states[at + 3] === ino &&
      states[at] === size &&
      this.#device === dev
    );
  }

  /**
   * A file has been proved that is so on disk. One that changed a moment ago may change again within the same tick of the
   * system's clock, so it does not count yet, as git has it for files that are "racily clean".
   * @param began milliseconds since 1970, from before the file was read
   */
  keep(file: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats, began: number): void {
    if (file >= this.files || ctimeNs > BigInt(Math.floor(began - this.settleMs)) * MS) return;
    this.#device ??= dev;
    this.#states.set([size, ctimeNs, mtimeNs, ino], file * FIELDS);
  }
}
