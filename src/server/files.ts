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
import { readPiece } from "../release/files.js";
import { EXPLORER, isPacked, isPublic, SUMS, unlistedFiles } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { AtMost } from "../workers/at-most.js";
import { type Answers, type ServerAnswer, send, sendHead } from "./answers.js";
import { isFresh, requestedRange } from "./negotiate.js";
import { digestVerified, type FileProof, type PageCache } from "./page-cache.js";
import type { Proving } from "./page-files.js";
import { isSettled } from "./proofs.js";

/** Larger files are not kept in memory. */
const MOST_SMALL = 2 ** 20;
/** Bytes of a large file that are read and sent at once. */
const PIECE = 2 ** 16;

interface Served {
  path: string;
  digest: string;
  etag: string;
  size: number;
  /** What the cache remembers it by. */
  index: number;
  whole: ServerAnswer;
  notModified: ServerAnswer;
  /** What `identify` said of the file when its bytes were those of the digest. */
  checked?: string | undefined;
}

/**
 * @param root the path of the base URL with its final slash
 * @throws UserError if a file is not what the release says, or its path leads out of the release.
 */
export async function createFiles(
  release: Release,
  root: string,
  answers: Answers,
  { cache, opening, proving: { isOnce, settleMs } }: { cache: PageCache; opening: AtMost; proving: Proving },
  signal: AbortSignal,
) {
  const { folder } = release;
  const files = new Map<string, Served>();
  for (const [path, listed] of namesOf(release)) {
    const file = join(folder, path);
    const now = Date.now();
    const state = identify(folder, path);
    const digest = await digestVerified(file, listed, signal).catch((cause: Error) => {
      throw broken(cause.message, cause);
    });
    if (!state) throw broken(`${file} leads out of the release`);
    const etag = etagOf(digest);
    files.set(path, {
      ...{ path, digest, etag, size: Number(state.size), index: files.size },
      whole: answers.file(200, path, etag),
      notModified: answers.file(304, path, etag),
      checked: settledText(state, now, settleMs),
    });
  }
  const readAt = new Uint8Array(files.size);
  const isSmall = ({ size }: Served) => size <= MOST_SMALL;

  const proofOf = (served: Served): FileProof => ({
    hold: (state) => isOnce && textOf(state) === served.checked,
    keep(state, began) {
      served.checked = settledText(state, began, settleMs);
    },
  });
  /** A small file's bytes, read. Undefined, after a line in the log, if they are not those of the digest. */
  const load = async (served: Served): Promise<Buffer | undefined> => {
    const { path, digest, index } = served;
    const isPlain = identify(folder, path) !== undefined;
    const body = await cache.load(join(folder, path), digest, proofOf(served));
    if (!isPlain || !body) return undefined;
    if (cache.admits(readAt, index, body.length)) cache.keep(digest, body);
    return body;
  };
  /** What a large file is on disk, if its bytes are those of the digest. */
  const prove = async (served: Served): Promise<string | undefined> => {
    const now = Date.now();
    const state = identify(folder, served.path);
    const text = state && textOf(state);
    if (text !== undefined && text === served.checked) return text;
    // Whoever asks later, about a file that has changed since, is not told of this check.
    const found = await cache.check(join(folder, served.path), served.digest, text);
    if (found === undefined || !state) return undefined;
    served.checked = settledText(state, now, settleMs);
    return text;
  };
  /** @throws if the file is not on disk what it was when it was proved, so that the connection breaks off. */
  async function* read(path: string, text: string, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; at += PIECE) {
      await opening.begin();
      const length = Math.min(PIECE, end + 1 - at);
      const { bytes, state } = await readPiece(join(folder, path), at, length).finally(opening.end);
      if (textOf(state) !== text || bytes.length !== length) throw new Error(`${path} has changed.`);
      yield bytes;
    }
  }

  const answer = async (req: IncomingMessage, res: ServerResponse, served: Served): Promise<void> => {
    const { path, etag, size, whole } = served;
    const body = isSmall(served) ? (cache.find(served.digest) ?? (await load(served))) : undefined;
    const text = isSmall(served) ? undefined : await prove(served);
    if (res.destroyed) return;
    if (body === undefined && text === undefined) return send(res, answers.error(500));
    const range = isPacked(path) && req.method === "GET" ? requestedRange(req.headers, etag, size) : undefined;
    if (range === "none") return send(res, answers.noSuchRange(size));
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const found = range ? answers.part(path, etag, `bytes ${start}-${end}/${size}`) : whole;
    if (body) return send(res, found.withBody(body.subarray(start, end + 1)));
    sendHead(res, found, end + 1 - start);
    if (req.method === "HEAD") return void res.end();
    // A client that leaves, or a file that changes, ends this answer alone.
    await pipeline(read(path, text ?? "", start, end), res).catch(() => {});
  };

  return {
    /** Answers a plain GET for a small file. Undefined for all others. */
    find(path: string, ifNoneMatch: string | undefined): ServerAnswer | Promise<ServerAnswer> | undefined {
      const served = path.startsWith(root) ? files.get(path.slice(root.length) || EXPLORER) : undefined;
      if (!served || !isSmall(served) || isPacked(served.path)) return undefined;
      if (isFresh(ifNoneMatch, served.etag)) return served.notModified;
      const body = cache.find(served.digest);
      if (body) return served.whole.withBody(body);
      return load(served).then((loaded) => (loaded ? served.whole.withBody(loaded) : answers.error(500)));
    },
    handle(req: Request, res: ServerResponse, next: NextHandler): void | Promise<void> {
      // At the base URL itself is the explorer.
      const served = files.get(req.path.slice(root.length) || EXPLORER);
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

/** What changes whenever the file does. */
function textOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** Undefined if the file may still change without showing it. `now` is from before it was looked at. */
function settledText(state: BigIntStats, now: number, settleMs: number): string | undefined {
  return isSettled(state, now, settleMs) ? textOf(state) : undefined;
}

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or "rollcall use" another one.`, { cause });
}
