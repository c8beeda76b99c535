/** Reads pages from the disk, compares them with their digests, and keeps the most recently used ones in memory. */
import { LRUCache } from "lru-cache";
import { codeOf, hasCode } from "../errors.js";
import { digestReleaseFile, readReleaseFile, sha256 } from "../release/files.js";
import { atMost } from "../workers/at-most.js";
import { openFilesLimit } from "./connections/descriptors.js";

const MB = 1024 * 1024;

/** What an entry costs besides its bytes, about. */
const OVERHEAD = 512;

/** How many files are read at once. With fewer, reading would wait for the thread that answers. */
const MOST_READ = 32;

export type PageCache = ReturnType<typeof createPageCache>;

/** A page that is larger than `megabytes` is served without being kept. */
export function createPageCache(megabytes: number, log: (line: string) => void) {
  const cache = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: (body) => body.length + OVERHEAD,
  });
  // The log has a line for each damaged file, not for each request.
  const reported = new Set<string>();
  const turns = atMost(MOST_READ);

  const start = async <T>(read: (file: string, digest: string) => Promise<T>, file: string, digest: string) => {
    await turns.begin();
    try {
      const found = await read(file, digest);
      reported.delete(file);
      return found;
    } catch (error) {
      const { message, cause } = error as Error;
      if (!reported.has(file)) log(`${message}; answered 500. ${adviceFor(cause)}`);
      reported.add(file);
      return undefined;
    } finally {
      turns.end();
    }
  };
  /** Reads a file once for all that ask for it meanwhile. */
  const once = <T>(read: (file: string, digest: string) => Promise<T>) => {
    // By file and not by digest: of two releases with equal pages, only one may still be there.
    const reading = new Map<string, Promise<T | undefined>>();
    return (file: string, digest: string) => {
      const started = reading.get(file) ?? start(read, file, digest).finally(() => reading.delete(file));
      reading.set(file, started);
      return started;
    };
  };
  const read = once(readVerified);
  return {
    /** A page that has these bytes, of any release: a page that a switch does not change stays cached. */
    find: (digest: string) => cache.get(digest),
    /** Reads a page and keeps it. Undefined, after a line in the log, if its bytes are not those of `digest`. */
    async load(file: string, digest: string) {
      const body = await read(file, digest);
      if (body) cache.set(digest, body);
      return body;
    },
    /** Reads a file of any size and keeps nothing of it. Undefined, after a line in the log, if its bytes are others. */
    check: once(digestVerified),
  };
}

async function readVerified(file: string, digest: string): Promise<Buffer> {
  const body = await readReleaseFile(file).catch((cause) => {
    throw unreadable(file, cause);
  });
  requireDigest(file, sha256(body), digest);
  return body;
}

/**
 * The digest of a file, whatever its size.
 * @throws Error whose message says what is wrong with the file, and whose cause is the system's error, if there is one.
 */
export async function digestVerified(file: string, digest: string | undefined): Promise<string> {
  const found = await digestReleaseFile(file).catch((cause) => {
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
