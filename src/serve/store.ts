/**
 * Reads files of releases from a memory cache or from the disk. Each read from the disk is compared with the file's digest, unless
 * the file was already read in the same state.
 */
import type { BigIntStats } from "node:fs";
import { LRUCache } from "lru-cache";
import { codeOf, hasCode } from "../core/errors.js";
import { digestReleaseFile, readPlainSync, sha256 } from "../core/release/plain-files.js";
import { memoryLimit } from "../core/settings/memory.js";
import type { Counts } from "./counts.js";
import { openFilesLimit } from "./limits.js";

const MB = 1024 * 1024;
/** Approximate bytes of an entry without its content. */
const OVERHEAD = 512;
/** Maximum files whose verified state is remembered. */
const MOST_STATES = 65_536;
/** Milliseconds after a change within which a file may change again in the same tick of its file system's clock. */
const SETTLE_MS = 2_000;
/** When the cache is full, one in this many files read is cached, so that a walk over all pages evicts few. */
const KEEP_ONE_IN = 16;
/** Maximum bytes of the memory for files that are not cached. Larger files get memory of their own. */
const MOST_SPARE = 2 ** 20;
/** Share of the machine's memory that the cache takes by default. */
const SHARE = 0.25;

/** The default cache size in megabytes. */
export function defaultCacheMb(): number {
  return Math.floor((memoryLimit() * SHARE) / MB);
}

export type FileStore = ReturnType<typeof createStore>;

/**
 * Makes the reader of files, with a cache of some megabytes. It reads synchronously, since most files are in the system's cache.
 * @param now milliseconds since 1970
 */
export function createStore(megabytes: number, log: (line: string) => void, counts?: Counts, now = Date.now) {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: ({ length }) => length + OVERHEAD,
  });
  /** The memory for the next file that is not cached; undefined while a response uses it. */
  let spare: Buffer | undefined;
  let lent: Buffer | undefined;
  const isKept = (size: number): boolean =>
    size + OVERHEAD <= cache.maxSize &&
    (cache.calculatedSize + size + OVERHEAD <= cache.maxSize || Math.random() * KEEP_ONE_IN < 1);
  const lend = (size: number): Buffer => {
    lent = spare && spare.length >= size ? spare : Buffer.allocUnsafeSlow(size);
    spare = undefined;
    return lent.subarray(0, size);
  };
  const verified = new LRUCache<string, FileState>({ max: MOST_STATES });
  // Damaged files that were logged, so that there is one line for each file, not for each request.
  const reported = new Set<string>();
  /** Counts and logs that a file is damaged. */
  const report = (file: string, { message, cause }: Error): void => {
    counts?.add("damaged");
    if (!reported.has(file)) log(`${message}; answered 500. ${adviceFor(cause)}`);
    reported.add(file);
  };
  return {
    report,
    /** Finds a cached file by its digest. Files that a switch does not change stay cached. */
    find(digest: string): Uint8Array | undefined {
      const cached = cache.get(digest);
      counts?.add(cached ? "cacheHits" : "cacheReads");
      return cached;
    },
    /** Takes back the memory of a body that was sent, if it is not cached. Without this, the next file gets new memory. */
    giveBack(body: Uint8Array): void {
      if (body.buffer === lent?.buffer) spare = lent;
    },
    /** Reads and verifies a file. Logs and returns undefined if its bytes do not match `digest`. */
    read(file: string, digest: string): Uint8Array | undefined {
      try {
        const began = now();
        let isOwn = true;
        const { bytes, state } = readPlainSync(file, (size) => {
          isOwn = size > MOST_SPARE || isKept(size);
          // Unlike the memory of `allocUnsafe`, this is not part of a shared block, which a cached file would keep.
          return isOwn ? Buffer.allocUnsafeSlow(size) : lend(size);
        });
        if (!isSameState(verified.get(digest), state) || state.size !== BigInt(bytes.length)) {
          requireDigest(file, sha256(bytes), digest);
          if (state.ctimeMs < BigInt(began - SETTLE_MS)) verified.set(digest, stateOf(state));
        }
        if (reported.size > 0) reported.delete(file);
        if (isOwn) cache.set(digest, bytes);
        return bytes;
      } catch (error) {
        report(file, error instanceof Mismatch ? error : unreadable(file, error));
        return undefined;
      }
    },
  };
}

/**
 * What changes with the bytes of a file: writing, truncating, linking and setting times all update ctime, which no system call
 * can set.
 */
type FileState = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs">;

function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileState {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

function isSameState(one: FileState | undefined, other: FileState): boolean {
  return (
    one?.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.dev === other.dev
  );
}

/** A file whose bytes are not those of the release. */
export class Mismatch extends Error {
  constructor(file: string) {
    super(`${file} does not match its digest`);
  }
}

/**
 * Hashes a file of any size, and compares the digest with `digest`, if given.
 * @throws Error that says what is wrong with the file; its cause is the system's error, if any.
 */
export async function digestVerified(file: string, digest: string | undefined, signal?: AbortSignal): Promise<string> {
  const found = await digestReleaseFile(file, signal).catch((cause) => {
    throw unreadable(file, cause);
  });
  requireDigest(file, found, digest);
  return found;
}

function requireDigest(file: string, found: string, digest: string | undefined): void {
  if (digest !== undefined && found !== digest) throw new Mismatch(file);
}

function unreadable(file: string, cause: unknown): Error {
  return new Error(`${file} cannot be read (${codeOf(cause) ?? cause})`, { cause });
}

function adviceFor(cause: unknown): string {
  return hasCode(cause, "EMFILE", "ENFILE")
    ? `Raise the limit on open files (ulimit -n), which is ${openFilesLimit()}.`
    : 'Build again, or switch to another release with "rollcall use".';
}
