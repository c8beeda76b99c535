/** Reads pages from the disk, compares them with their digests, and keeps those in memory that are asked for again. */
import type { BigIntStats } from "node:fs";
import { LRUCache } from "lru-cache";
import { codeOf, hasCode } from "../errors.js";
import { digestReleaseFile, readWithState, sha256 } from "../release/files.js";
import { atMost } from "../workers/at-most.js";
import { openFilesLimit } from "./connections/descriptors.js";
import type { ServerCounts } from "./counts.js";

const MB = 1024 * 1024;

/** What an entry costs besides its bytes, about. */
const OVERHEAD = 512;

/** How many rounds are told apart, in a byte that has one more value for none. */
const ROUNDS = 255;

/** How many files are read at once. With fewer, reading would wait for the thread that answers. */
const MOST_READ = 32;

export type PageCache = ReturnType<typeof createPageCache>;

/** A page that is larger than `megabytes` is served without being kept. */
export function createPageCache(megabytes: number, log: (line: string) => void, counts?: ServerCounts) {
  const cache = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: (body) => body.length + OVERHEAD,
  });
  // The log has a line for each damaged file, not for each request.
  const reported = new Set<string>();
  const turns = atMost(MOST_READ);

  const start = async <T>(read: () => Promise<T>, file: string): Promise<T | undefined> => {
    await turns.begin();
    try {
      const found = await read();
      reported.delete(file);
      return found;
    } catch (error) {
      const { message, cause } = error as Error;
      counts?.add("damaged");
      if (!reported.has(file)) log(`${message}; answered 500. ${adviceFor(cause)}`);
      reported.add(file);
      return undefined;
    } finally {
      turns.end();
    }
  };
  /** Reads a file once for all that ask for it meanwhile. */
  const once = <T, About>(
    read: (file: string, digest: string, about?: About) => Promise<T>,
    // By file and not by digest: of two releases with equal pages, only one may still be there.
    keyOf = (file: string, _about?: About) => file,
  ) => {
    const reading = new Map<string, Promise<T | undefined>>();
    return (file: string, digest: string, about?: About) => {
      const key = keyOf(file, about);
      const started =
        reading.get(key) ?? start(() => read(file, digest, about), file).finally(() => reading.delete(key));
      reading.set(key, started);
      return started;
    };
  };
  /** The current round of the count by which `admits` knows what was read not long ago, from 1 to 255, and its reads so far. */
  let round = 1;
  let reads = 0;

  return {
    /** A page that has these bytes, of any release: a page that a switch does not change stays cached. */
    find(digest: string) {
      const body = cache.get(digest);
      counts?.add(body ? "cacheHits" : "cacheReads");
      return body;
    },
    /**
     * Whether a page that was just read is worth its memory: where there is room, or where it was read not long before, too.
     * A walk over all pages reads each of them once, and so drives out nothing that others ask for.
     * @param readAt the round in which each page of a release was read last; 0 if never
     */
    admits(readAt: Uint8Array, index: number, size: number): boolean {
      const bytes = size + OVERHEAD;
      if (bytes > cache.maxSize) return false;
      if (cache.calculatedSize + bytes <= cache.maxSize) return true;
      // A round is as many reads as there are pages in memory.
      if (++reads > cache.size) {
        reads = 1;
        round = round === ROUNDS ? 1 : round + 1;
      }
      const last = readAt[index];
      readAt[index] = round;
      return last === round;
    },
    keep: (digest: string, body: Buffer) => void cache.set(digest, body),
    /** A file has its bytes: if it is damaged later, the log says so again. */
    noteWhole: (file: string) => void reported.delete(file),
    /** Reads a page. Undefined, after a line in the log, if its bytes are not those of `digest`. */
    load: once(readVerified),
    /**
     * Reads a file of any size and keeps nothing of it. Undefined, after a line in the log, if its bytes are others.
     * @param identity what it is on disk: nobody is told of what it was before
     */
    check: once<string, string>(
      (file, digest) => digestVerified(file, digest),
      (file, identity) => `${file} ${identity}`,
    ),
  };
}

/** What is known of a file. */
export interface FileProof {
  /** Whether a file that is so on disk has been proved. */
  hold(state: BigIntStats): boolean;
  /** It has been now. `began` is from before it was read, in milliseconds since 1970. */
  keep(state: BigIntStats, began: number): void;
}

async function readVerified(file: string, digest: string, proof?: FileProof): Promise<Buffer> {
  const began = Date.now();
  const { bytes, state } = await readWithState(file).catch((cause) => {
    throw unreadable(file, cause);
  });
  if (proof?.hold(state) && state.size === BigInt(bytes.length)) return bytes;
  requireDigest(file, sha256(bytes), digest);
  proof?.keep(state, began);
  return bytes;
}

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
  if (digest !== undefined && found !== digest) throw new Error(`${file} does not match its digest`);
}

function unreadable(file: string, cause: unknown): Error {
  return new Error(`${file} cannot be read (${codeOf(cause) ?? cause})`, { cause });
}

function adviceFor(cause: unknown): string {
  return hasCode(cause, "EMFILE", "ENFILE")
    ? `Raise the limit on open files (ulimit -n), which is ${openFilesLimit()}.`
    : 'Build again, or "rollcall use" another release.';
}
