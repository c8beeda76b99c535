/**
 * Serves a release's files that are not pages: snapshot.json, SHA256SUMS, an avatar, parts and steps. A small file is proved and cached as a
 * page is. A large one is read piece by piece while it is sent, and holds no descriptor meanwhile, however slow its client is.
 */
import { type BigIntStats, lstatSync, realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { NextHandler, Request } from "polka";
import { etagOf } from "../contract/headers.js";
import { UserError } from "../errors.js";
import { EXPLORER, isPacked, isPublic, SUMS, unlistedFiles } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { readPiece } from "../release/plain-files.js";
import type { AtMost } from "../workers/at-most.js";
import { type Answers, type ServerAnswer, send, sendHead } from "./answers.js";
import { isFresh, requestedRange } from "./negotiate.js";
import { digestVerified, type Store } from "./page-cache.js";
import { isSameFile, type Proofs } from "./proofs.js";

/** Larger files are not kept in memory. */
const MOST_SMALL = 2 ** 20;
/** Bytes of a large file that are read and sent at once. */
const PIECE = 2 ** 16;

interface Served {
  path: string;
  digest: string;
  etag: string;
  size: number;
  /** Its number among the files of the release that are not pages. */
  index: number;
  whole: ServerAnswer;
  notModified: ServerAnswer;
}

interface FileEffects {
  store: Store;
  opening: AtMost;
  createProofs(files: number): Proofs;
}

/**
 * @param root the path of the base URL with its final slash
 * @throws UserError if a file is not what the release says, or its path leads out of the release.
 */
export async function createFiles(
  release: Release,
  root: string,
  answers: Answers,
  { store, opening, createProofs }: FileEffects,
  signal: AbortSignal,
) {
  const { folder } = release;
  const files = new Map<string, Served>();
  const names = namesOf(release);
  const proofs = createProofs(names.length);
  for (const [index, [path, listed]] of names.entries()) {
    const file = join(folder, path);
    const began = Date.now();
    const state = identify(folder, path);
    const digest = await digestVerified(file, listed, signal).catch((cause: Error) => {
      throw broken(cause.message, cause);
    });
    if (!state) throw broken(`${file} leads out of the release`);
    const etag = etagOf(digest);
    const [whole, notModified] = [answers.file(200, path, etag), answers.file(304, path, etag)];
    files.set(path, { path, digest, etag, size: Number(state.size), index, whole, notModified });
    proofs.keep(index, state, began);
  }
  const checking = new Map<string, Promise<boolean>>();

  /** The file that answers a path. At the base URL itself is the explorer. */
  const findServed = (path: string) =>
    path.startsWith(root) ? files.get(path.slice(root.length) || EXPLORER) : undefined;
  const isSmall = ({ size }: Served) => size <= MOST_SMALL;
  /** A small file. Undefined, after a line in the log, if its bytes are not those of the digest. */
  const read = ({ path, digest, index }: Served) => {
    const cached = store.find(digest);
    if (cached) return cached;
    const isPlain = identify(folder, path) !== undefined;
    const stored = store.read(join(folder, path), digest, proofs, index);
    return isPlain ? stored : undefined;
  };
  /** What a large file is on disk, if its bytes are those of the digest. */
  const prove = async ({ path, digest, index }: Served): Promise<BigIntStats | undefined> => {
    const began = Date.now();
    const state = identify(folder, path);
    if (state && proofs.hold(index, state)) return state;
    // Who asks later, about a file that has changed since, must not be given the result of this check.
    const key = `${path} ${state?.ino} ${state?.size} ${state?.ctimeNs}`;
    const begin = async () => {
      await opening.begin();
      return store.check(join(folder, path), digest).finally(opening.end);
    };
    const check = checking.get(key) ?? begin().finally(() => checking.delete(key));
    checking.set(key, check);
    if (!(await check) || !state) return undefined;
    proofs.keep(index, state, began);
    return state;
  };
  /** @throws if the file is not on disk what it was when it was proved, so that the connection breaks off. */
  async function* readPieces(path: string, proved: BigIntStats, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; at += PIECE) {
      await opening.begin();
      const length = Math.min(PIECE, end + 1 - at);
      const { bytes, state } = await readPiece(join(folder, path), at, length).finally(opening.end);
      if (!isSameFile(state, proved) || bytes.length !== length) throw new Error(`${path} has changed.`);
      yield bytes;
    }
  }

  const answer = async (req: IncomingMessage, res: ServerResponse, served: Served): Promise<void> => {
    const { path, etag, size, whole } = served;
    const stored = isSmall(served) ? read(served) : undefined;
    const proved = isSmall(served) ? undefined : await prove(served);
    if (res.destroyed) return;
    const range = isPacked(path) && req.method === "GET" ? requestedRange(req.headers, etag, size) : undefined;
    if (!stored && !proved) return send(res, answers.error(500));
    if (range === "none") return send(res, answers.noSuchRange(size));
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const found = range ? answers.part(path, etag, `bytes ${start}-${end}/${size}`) : whole;
    if (stored) return send(res, found.withBody({ ...stored, body: stored.body.subarray(start, end + 1) }));
    if (!proved) return;
    sendHead(res, found, end + 1 - start);
    if (req.method === "HEAD") return void res.end();
    // A client that leaves, or a file that changes, ends this answer alone.
    await pipeline(readPieces(path, proved, start, end), res).catch(() => {});
  };

  return {
    /** Answers a plain GET for a small file. Undefined for all others. */
    find(path: string, ifNoneMatch: string | undefined): ServerAnswer | undefined {
      const served = findServed(path);
      if (!served || !isSmall(served) || isPacked(served.path)) return undefined;
      if (isFresh(ifNoneMatch, served.etag)) return served.notModified;
      const stored = read(served);
      return stored ? served.whole.withBody(stored) : answers.error(500);
    },
    handle(req: Request, res: ServerResponse, next: NextHandler): void | Promise<void> {
      const served = findServed(req.path);
      if (!served) return next();
      if (isFresh(req.headers["if-none-match"], served.etag)) return send(res, served.notModified);
      return answer(req, res, served);
    },
  };
}

/** The files to serve and their digests. SHA256SUMS does not list itself and its signature. */
function namesOf(release: Release): [path: string, digest: string | undefined][] {
  const unlisted = unlistedFiles(release);
  const listed = [...release.sums.others].filter(([path]) => isPublic(path) && !HIDDEN.test(path));
  for (const [path] of listed)
    if (!PLAIN_PATH.test(path) || unlisted.includes(path)) throw broken(`${SUMS} lists ${JSON.stringify(path)}`);
  return [...unlisted.map((path) => [path, undefined] as [string, undefined]), ...listed];
}

/** What hosts read for themselves and send nobody, such as `.htaccess`, `_headers`, `_worker.js` and `vercel.json`. */
const HIDDEN = /^(?:_[^/]*|(?:vercel|netlify|wrangler)\.[^/]*|netlify\/.*|405\.json)$|(?:^|\/)\.(?!\.?(?:\/|$))/;
/** No empty part, no `.` or `..`, and nothing that a URL would have to encode. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** Undefined if it is not a plain file, or if a symbolic link leads to it. */
function identify(folder: string, path: string): BigIntStats | undefined {
  const file = join(folder, path);
  const parent = dirname(file);
  try {
    const stats = lstatSync(file, { bigint: true });
    const isInside = parent === folder || realpathSync.native(parent) === parent;
    return stats.isFile() && isInside ? stats : undefined;
  } catch {
    // Reading the file will tell why.
    return undefined;
  }
}

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or "rollcall use" another one.`, { cause });
}
