/** Bodies of pages: read once, held against their digest, and kept in a cache that is bounded by bytes. */
import { LRUCache } from "lru-cache";
import { codeOf, hasCode } from "../errors.js";
import { readReleaseFile, sha256 } from "../release/files.js";
import { atMost } from "../workers/at-most.js";
import { openFilesLimit } from "./descriptors.js";

const MB = 1024 * 1024;

/** What an entry costs besides its bytes: key, Buffer and the cache's own books. Near enough for a bound. */
const OVERHEAD = 512;

/** Files that are read at once: with fewer, the threads that read them wait for the one that answers. */
const MOST_READ = 32;

export interface PageCache {
  /** Whatever has these bytes, of this release or an earlier one: an unchanged page stays cached over a switch. */
  find(digest: string): Buffer | undefined;
  /** Reads `file`; undefined, and a line in the log the first time, when its bytes are not those of `digest`. */
  load(file: string, digest: string): Promise<Buffer | undefined>;
}

/** @param megabytes at most this much is kept; 0 keeps nothing, and a larger body is served without being kept. */
export function createPageCache(megabytes: number, log: (line: string) => void): PageCache {
  const cache = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, Math.floor(megabytes * MB)),
    sizeCalculation: (body) => body.length + OVERHEAD,
  });
  // By file and not by digest: of two releases with equal pages, one may be gone while the other is there.
  const loading = new Map<string, Promise<Buffer | undefined>>();
  // A line each, not one a request: whoever keeps asking for a damaged page must not fill the log.
  const reported = new Set<string>();

  const reading = atMost(MOST_READ);

  const load = async (file: string, digest: string) => {
    await reading.begin();
    try {
      const body = await readVerified(file, digest);
      cache.set(digest, body);
      reported.delete(file);
      return body;
    } catch (error) {
      if (!reported.has(file)) log(`${whyDamaged(file, error)}; answered 500. ${adviceFor(error)}`);
      reported.add(file);
      return undefined;
    } finally {
      reading.end();
      loading.delete(file);
    }
  };
  return {
    find: (digest) => cache.get(digest),
    load(file, digest) {
      const found = loading.get(file);
      if (found) return found;
      const started = load(file, digest);
      loading.set(file, started);
      return started;
    },
  };
}

/** @throws Damaged when the file's bytes are not those of `digest`, and the system's errors. */
export async function readVerified(file: string, digest: string): Promise<Buffer> {
  const body = await readReleaseFile(file);
  if (sha256(body) === digest) return body;
  throw new Damaged(`${file} does not match its digest`);
}

/** Says what is wrong with a file that `readVerified` refused. */
export function whyDamaged(file: string, error: unknown): string {
  return error instanceof Damaged ? error.message : `${file} cannot be read (${codeOf(error) ?? error})`;
}

function adviceFor(error: unknown): string {
  if (hasCode(error, "EMFILE", "ENFILE"))
    return `Raise the limit on open files (ulimit -n), which is ${openFilesLimit()}.`;
  return 'Build again, or "rollcall use" another release.';
}

class Damaged extends Error {}
