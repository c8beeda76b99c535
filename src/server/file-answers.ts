/**
 * Serves a release's files that are not pages: snapshot.json, SHA256SUMS, parts, steps, ... A small file is verified and
 * cached like a page. A large one is read in pieces while it is sent, and needs no descriptor while its client is slow.
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

/** Maximum bytes of a file that is kept in memory. */
const MOST_SMALL = 2 ** 20;
/** Bytes of a large file that are read at once. */
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
 * Verifies all files that are not pages, and prepares their responses.
 * @param root the path of the base URL with its final slash
 * @throws UserError if a file does not match its digest, or its path leads out of the release.
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

  /** Finds the file for a URL path. The base URL itself is the explorer, unless pages are there: those are found before. */
  const findServed = (path: string) =>
    path.startsWith(root) ? files.get(path.slice(root.length) || EXPLORER) : undefined;
  const isSmall = ({ size }: Served) => size <= MOST_SMALL;
  /** Reads a small file. Logs and returns undefined if its bytes do not match the digest. */
  const read = ({ path, digest, index }: Served) => {
    const cached = store.find(digest);
    if (cached) return cached;
    const isPlain = identify(folder, path) !== undefined;
    const stored = store.read(join(folder, path), digest, proofs, index);
    return isPlain ? stored : undefined;
  };
  /** Verifies a large file, unless that was done before. @returns its `stat`; undefined if its bytes do not match the digest. */
  const prove = async ({ path, digest, index }: Served): Promise<BigIntStats | undefined> => {
    const began = Date.now();
    const state = identify(folder, path);
    if (state && proofs.has(index, state)) return state;
    // The key includes the file's state, so that a later request, after a change, does not share this check.
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
  /** Reads a range of a file. @throws if the file has changed since it was verified, which cuts the connection. */
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
    // If the client disconnects or the file changes, only this response ends.
    await pipeline(readPieces(path, proved, start, end), res).catch(() => {});
  };

  return {
    /** The response to a plain GET for a small file; undefined for all other requests. */
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

/** The files to serve and their digests; undefined for SHA256SUMS and its signature, which have no listed digest. */
function namesOf(release: Release): [path: string, digest: string | undefined][] {
  const unlisted = unlistedFiles(release);
  const listed = [...release.sums.others].filter(([path]) => isPublic(path) && !HIDDEN.test(path));
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

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or switch to another one with "rollcall use".`, {
    cause,
  });
}
