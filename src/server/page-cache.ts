/**
 * Reads files of releases: from a cache in memory, or from the disk. A file's bytes are compared with its digest once for
 * what the file is on disk. Files are read on the thread that answers, since most are in the system's own memory.
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
/** What an entry costs besides its bytes, about. */
const OVERHEAD = 512;
/** Where there is no room, one of so many pages that are read is kept. So a walk over all pages drives out few. */
const KEPT = 16;
/** Share of the memory that is cached in unless the user says otherwise. */
const SHARE = 0.25;

/** Megabytes of pages to cache by default, in all processes of one server together. */
export function defaultCacheMb(): number {
  // Of a container or a service, the limit that it has; 0 or undefined where there is none, or more than the machine has.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor((Math.min(limit, totalmem()) * SHARE) / MB);
}

/** Bytes of a file. Those in scratch memory are valid until the next read. */
export interface Stored {
  body: Buffer;
  scratch?: Scratch;
}

export type Store = ReturnType<typeof createStore>;

export function createStore(megabytes: number, log: (line: string) => void, counts?: ServerCounts) {
  const cache = new LRUCache<string, Stored>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: ({ body }) => body.length + OVERHEAD,
  });
  const scratch = new Scratch();
  const takeScratch = (size: number) => scratch.take(size);
  // The log has one line for each damaged file, not one for each request.
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
    if (cache.calculatedSize + size > cache.maxSize && Math.random() * KEPT >= 1) return;
    const body = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(body);
    cache.set(digest, { body });
  };

  return {
    /** A file with these bytes, of any release: what a switch does not change stays cached. */
    find(digest: string): Stored | undefined {
      const cached = cache.get(digest);
      counts?.add(cached ? "cacheHits" : "cacheReads");
      return cached;
    },
    /**
     * Undefined, after a line in the log, if the file's bytes are not those of `digest`.
     * @param proofs what is known of the release's files, of which this one has the number `index`
     */
    read(file: string, digest: string, proofs: Proofs, index: number): Stored | undefined {
      try {
        const began = Date.now();
        const { bytes, state } = readIntoSync(file, takeScratch);
        if (!proofs.hold(index, state) || state.size !== BigInt(bytes.length)) {
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
    /** Hashes a file of any size. False, after a line in the log, if its bytes are not those of `digest`. */
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
 * The digest of a file, whatever its size.
 * @throws Error whose message says what is wrong with the file, and whose cause is the system's error, if there is one.
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
    : 'Build again, or "rollcall use" another release.';
}
