/**
 * Reads files of releases from a memory cache or from the disk. Verifies a file's digest at the first read, and again after
 * the file has changed. Reads synchronously, since most files are in the system's page cache.
 */
import { totalmem } from "node:os";
import { LRUCache } from "lru-cache";
import { codeOf, hasCode } from "../errors.js";
import { digestReleaseFile, readIntoSync, sha256 } from "../release/plain-files.js";
import { openFilesLimit } from "./connections/descriptors.js";
import type { ServerCounts } from "./counts.js";
import type { Proofs } from "./proofs.js";
import { Scratch } from "./scratch.js";

const MB = 1024 * 1024;
/** Approximate bytes of an entry without its content. */
const OVERHEAD = 512;
/** When the cache is full, one in this many pages read is cached, so that a walk over all pages evicts few. */
const KEEP_ONE_IN = 16;
/** Share of the machine's memory that the cache takes by default. */
const SHARE = 0.25;

/** The default cache size in megabytes, for all processes of a server together. */
export function defaultCacheMb(): number {
  // The limit of a container or a service; 0, undefined or more than the machine has if there is none.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor((Math.min(limit, totalmem()) * SHARE) / MB);
}

/** The bytes of a file. With `scratch`, they are valid until the next read. */
export interface Stored {
  body: Buffer;
  scratch?: Scratch;
}

export type Store = ReturnType<typeof createStore>;

/** Makes the reader of files, with a cache of some megabytes. */
export function createStore(megabytes: number, log: (line: string) => void, counts?: ServerCounts) {
  const cache = new LRUCache<string, Stored>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: ({ body }) => body.length + OVERHEAD,
  });
  const scratch = new Scratch();
  const takeScratch = (size: number) => scratch.take(size);
  // Damaged files that were logged, so that there is one line for each file, not for each request.
  const reported = new Set<string>();
  const refuse = (file: string, { message, cause }: Error) => {
    counts?.add("damaged");
    if (!reported.has(file)) log(`${message}; answered 500. ${adviceFor(cause)}`);
    reported.add(file);
    return undefined;
  };
  const keep = (digest: string, bytes: Buffer) => {
    const size = bytes.length + OVERHEAD;
    if (size > cache.maxSize) return;
    if (cache.calculatedSize + size > cache.maxSize && Math.random() * KEEP_ONE_IN >= 1) return;
    const body = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(body);
    cache.set(digest, { body });
  };

  return {
    /** Finds a cached file by its digest. Files that a switch does not change stay cached. */
    find(digest: string): Stored | undefined {
      const cached = cache.get(digest);
      counts?.add(cached ? "cacheHits" : "cacheReads");
      return cached;
    },
    /**
     * Reads and verifies a file. Logs and returns undefined if its bytes do not match `digest`.
     * @param proofs the verified states of the release's files. @param index the number of this file among them
     */
    read(file: string, digest: string, proofs: Proofs, index: number): Stored | undefined {
      try {
        const began = Date.now();
        const { bytes, state } = readIntoSync(file, takeScratch);
        if (!proofs.has(index, state) || state.size !== BigInt(bytes.length)) {
          requireDigest(file, sha256(bytes), digest);
          proofs.keep(index, state, began);
        }
        if (reported.size > 0) reported.delete(file);
        keep(digest, bytes);
        return { body: bytes, scratch };
      } catch (error) {
        return refuse(file, error instanceof Mismatch ? error : unreadable(file, error));
      }
    },
    /** Verifies a file of any size. Logs and returns false if its bytes do not match `digest`. */
    async check(file: string, digest: string): Promise<boolean> {
      try {
        await digestVerified(file, digest);
        reported.delete(file);
        return true;
      } catch (error) {
        refuse(file, error as Error);
        return false;
      }
    },
  };
}

class Mismatch extends Error {}

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
  if (digest !== undefined && found !== digest) throw new Mismatch(`${file} does not match its digest`);
}

function unreadable(file: string, cause: unknown): Error {
  return new Error(`${file} cannot be read (${codeOf(cause) ?? cause})`, { cause });
}

function adviceFor(cause: unknown): string {
  return hasCode(cause, "EMFILE", "ENFILE")
    ? `Raise the limit on open files (ulimit -n), which is ${openFilesLimit()}.`
    : 'Build again, or switch to another release with "rollcall use".';
}
