/** The files of a release that are not pages: which are served, and whether they are still what was verified. */
import { type BigIntStats, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { etagOf } from "../core/contract/headers.js";
import { UserError } from "../core/errors.js";
import { isPublic, SUMS, unlistedFiles } from "../core/release/layout.js";
import type { ServedFile, ServedFiles } from "./answer.js";
import type { Served } from "./answers.js";
import { digestVerified, type FileStore, Mismatch } from "./store.js";

/** Maximum bytes of a file that is kept in memory. sirv sends larger ones from the disk. */
const MOST_SMALL = 2 ** 20;

interface VerifiedFile extends ServedFile {
  digest: string;
  /** Its `stat` before it was verified. */
  state: BigIntStats;
}

export interface VerifiedFiles extends ServedFiles {
  find(path: string): VerifiedFile | undefined;
}

/**
 * Verifies all files of a listing, or of the top of a site, that are not pages.
 * @param last the files of the release that was served before. Its large files are not hashed again if they are in this one.
 * @throws UserError if a file does not match its digest, or its path leads out of the release.
 */
export async function openFiles(
  served: Served,
  store: FileStore,
  signal: AbortSignal,
  last?: VerifiedFiles,
): Promise<VerifiedFiles> {
  const { folder } = served;
  const files = new Map<string, VerifiedFile>();
  for (const [path, listed] of namesOf(served)) {
    const file = join(folder, path);
    const state = identify(folder, path);
    const before = last?.find(path);
    const isKnown = before?.isLarge && before.digest === listed && isSame(before.state, state);
    const digest = isKnown
      ? before.digest
      : await digestVerified(file, listed, signal).catch((cause: Error) => {
          throw broken(cause.message, cause);
        });
    if (!state) throw broken(`${file} leads out of the release`);
    const size = Number(state.size);
    files.set(path, { path, digest, etag: etagOf(digest), size, isLarge: size > MOST_SMALL, state });
  }
  const find = (path: string) => files.get(path);
  return {
    find,
    read({ path }) {
      const digest = find(path)?.digest ?? "";
      const cached = store.find(digest);
      if (cached) return cached;
      const isPlain = identify(folder, path) !== undefined;
      const bytes = store.read(join(folder, path), digest);
      return isPlain ? bytes : undefined;
    },
    isVerified({ path }) {
      if (isSame(find(path)?.state, identify(folder, path))) return true;
      const file = join(folder, path);
      store.report(file, new Mismatch(file));
      return false;
    },
  };
}

/** The files to serve and their digests; undefined for SHA256SUMS and its signature, which have no listed digest. */
function namesOf(served: Served): [path: string, digest: string | undefined][] {
  const unlisted = unlistedFiles(served);
  const listed = [...served.sums.others].filter(([path]) => isPublic(path) && !HIDDEN.test(path));
  for (const [path] of listed)
    if (!PLAIN_PATH.test(path) || unlisted.includes(path)) throw broken(`${SUMS} lists ${JSON.stringify(path)}`);
  return [...unlisted.map((path) => [path, undefined] as [string, undefined]), ...listed];
}

/** Configuration of hosts, which is never served: `.htaccess`, `_headers`, `_worker.js`, `vercel.json`, ... */
const HIDDEN = /^(?:_[^/]*|(?:vercel|netlify|wrangler)\.[^/]*|netlify\/.*|405\.json)$|(?:^|\/)\.(?!\.?(?:\/|$))/;
/** No empty part, no `.` or `..`, and nothing that a URL would have to encode. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** The `stat` of a file; undefined if it is not a regular file, or a symbolic link leads to it. */
function identify(folder: string, path: string): BigIntStats | undefined {
  const file = join(folder, path);
  const parent = dirname(file);
  try {
    const stats = lstatSync(file, { bigint: true });
    const isInside = parent === folder || realpathSync.native(parent) === parent;
    return stats.isFile() && isInside ? stats : undefined;
  } catch {
    // Reading the file reports why.
    return undefined;
  }
}

/** Whether two results of `stat` are of one unchanged file. A hard link to a file changes its ctime, which does not matter. */
function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return (
    one !== undefined &&
    one.dev === other?.dev &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs
  );
}

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or switch to another one with "rollcall use".`, {
    cause,
  });
}
