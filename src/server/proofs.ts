/**
 * Remembers the `stat` of verified files. While it is unchanged, the bytes are, and need no hashing: writing, truncating,
 * linking and setting times all update ctime, which no system call can set.
 */
import type { BigIntStats } from "node:fs";
import { statfs } from "node:fs/promises";

/** Nanoseconds of a millisecond. */
const MS = 1_000_000n;

/** Linux' magic numbers of ext2 to ext4, XFS, Btrfs, tmpfs, ZFS, F2FS, bcachefs, overlayfs and SquashFS. */
const LOCAL: readonly number[] = [
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1],
  ...[0xf2f52010, 0xca451a4e, 0x794c7630, 0x73717368],
];

/** Whether ctime shows every change. It does on local file systems, not on network ones, with their own clocks and caches. */
export async function hasReliableTimes(folder: string): Promise<boolean> {
  return LOCAL.includes((await statfs(folder)).type);
}

/** Whether two results of `stat` are of the same unchanged file. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.dev === other.dev
  );
}

/** Numbers per file: size, ctime, mtime, inode. The device is the same for all files. */
const FIELDS = 4;

/** The `stat` of verified files 0 to `files` - 1, in 32 bytes each. The system allocates memory as it is used. */
export class Proofs {
  readonly #states: BigInt64Array;
  #device: bigint | undefined;

  /** @param settleMs the age in milliseconds that a file's last change must have before it is kept */
  constructor(
    readonly files: number,
    readonly settleMs: number,
  ) {
    this.#states = new BigInt64Array(files * FIELDS);
  }

  /** Whether a file was verified in this state. */
  has(file: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats): boolean {
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
   * Keeps the state of a verified file. A file that changed a moment ago may change again within the same clock tick, so it
   * is not kept yet, like git's "racily clean" files.
   * @param began milliseconds since 1970, from before the file was read
   */
  keep(file: number, { dev, size, ino, mtimeNs, ctimeNs }: BigIntStats, began: number): void {
    if (file >= this.files || ctimeNs > BigInt(Math.floor(began - this.settleMs)) * MS) return;
    this.#device ??= dev;
    this.#states.set([size, ctimeNs, mtimeNs, ino], file * FIELDS);
  }
}
