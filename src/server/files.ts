/**
 * Serves a release's files that are no pages (snapshot.json, SHA256SUMS, an avatar, parts and steps), by sirv. A file is checked when
 * the release is opened, and again when it has changed since, so that sirv never sends what the release does not say.
 */
import { lstatSync, type ReadStream, realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import type { NextHandler, Request } from "polka";
import sirv from "sirv";
import { etagOf } from "../contract/headers.js";
import { UserError } from "../errors.js";
import { EXPLORER, isPacked, isPublic, SUMS, unlistedFiles } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { AtMost } from "../workers/at-most.js";
import { type Answers, bodyBytes, type ServerAnswer, send, setHeaders } from "./answers.js";
import { isFresh, requestedRange } from "./negotiate.js";
import { digestVerified, type PageCache } from "./page-cache.js";
import type { Proving } from "./page-files.js";
import { isSettled } from "./proofs.js";

interface Served {
  digest: string;
  answer: ServerAnswer;
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
  { cache, opening, proving: { settleMs } }: { cache: PageCache; opening: AtMost; proving: Proving },
) {
  const { folder } = release;
  const files = new Map<string, Served>();
  for (const [path, listed] of namesOf(release)) {
    const file = join(folder, path);
    const now = Date.now();
    const identity = identify(folder, path);
    const digest = await digestVerified(file, listed).catch((cause: Error) => {
      throw broken(cause.message, cause);
    });
    if (!identity) throw broken(`${file} leads out of the release`);
    files.set(path, {
      digest,
      answer: answers.file(200, path, etagOf(digest)),
      checked: settledText(identity, now, settleMs),
    });
  }
  // In dev mode it looks at a file when it is asked for, instead of walking over every page at the start.
  const serve = sirv(folder, {
    dev: true,
    extensions: [],
    setHeaders(res, path) {
      const served = files.get(path.slice(1));
      if (served) setHeaders(res, served.answer);
      // sirv takes what ends in `.gz` for a form of another file. A header without values is not sent.
      res.setHeader("Content-Encoding", []);
    },
  });

  const answer = async (req: IncomingMessage, res: ServerResponse, path: string, served: Served): Promise<void> => {
    await opening.begin();
    const now = Date.now();
    const identity = identify(folder, path);
    const isKnown = identity !== undefined && identity.text === served.checked;
    // Whoever asks later, about a file that has changed since, is not told of this check.
    const check = () => cache.check(join(folder, path), served.digest, identity?.text);
    const isRight = isKnown || ((await check()) !== undefined && identity !== undefined);
    if (isRight && !isKnown) served.checked = settledText(identity, now, settleMs);
    // A client that has left by now would not end its turn.
    if (res.destroyed) return opening.end();
    res.once("close", opening.end);
    if (!isRight) return send(res, answers.error(500));
    const { size } = identity;
    const hasRanges = isPacked(path) && req.method === "GET";
    const range = hasRanges ? requestedRange(req.headers, etagOf(served.digest), size) : undefined;
    if (range === "none") {
      res.setHeader("Content-Range", `bytes */${size}`);
      return send(res, answers.error(416));
    }
    if (range) req.headers.range = `bytes=${range.start}-${range.end}`;
    else delete req.headers.range;
    bodyBytes.set(res, range ? range.end - range.start + 1 : size);
    req.url = `/${path}`;
    res.once("pipe", endWithAnswer);
    serve(req, res, () => send(res, answers.error(500)));
  };

  return (req: Request, res: ServerResponse, next: NextHandler): void | Promise<void> => {
    // At the base URL itself is the page for people.
    const path = req.path.slice(root.length) || EXPLORER;
    const served = files.get(path);
    if (!served) return next();
    const etag = etagOf(served.digest);
    if (isFresh(req.headers["if-none-match"], etag)) return send(res, answers.file(304, path, etag));
    // As a part of another server, an answer may not have its socket yet, and would not hear that the client has left.
    if (res.socket) return answer(req, res, path, served);
    res.once("socket", () => answer(req, res, path, served).catch(next));
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

/** What hosts read for themselves and send nobody, such as `.htaccess`. */
const HIDDEN = /(?:^|\/)\.(?!\.?(?:\/|$))/;
/** No empty part, no `.` or `..`, and nothing that a URL would have to encode. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

interface Identity {
  /** What changes whenever the file does. */
  text: string;
  size: number;
  ctimeNs: bigint;
}

/** Undefined if it is no plain file, or if a symbolic link leads to it. */
function identify(folder: string, path: string): Identity | undefined {
  const file = join(folder, path);
  const parent = dirname(file);
  try {
    const stats = lstatSync(file, { bigint: true });
    const isInside = parent === folder || realpathSync.native(parent) === parent;
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    if (!stats.isFile() || !isInside) return undefined;
    return { text: [dev, ino, size, mtimeNs, ctimeNs].join(" "), size: Number(size), ctimeNs };
  } catch {
    // Reading the file will tell why.
    return undefined;
  }
}

/** Undefined if the file may still change without showing it. `now` is from before it was looked at. */
function settledText(identity: Identity, now: number, settleMs: number): string | undefined {
  return isSettled(identity, now, settleMs) ? identity.text : undefined;
}

/** sirv pipes a file without hearing of its errors, and promises a length that the file may not have any more. */
function endWithAnswer(this: ServerResponse, source: ReadStream): void {
  source.once("error", () => this.destroy());
  source.once("end", () => {
    if (source.bytesRead !== bodyBytes.get(this)) this.destroy();
  });
  // A client that leaves would leave the file open.
  this.once("close", () => source.destroy());
}

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or "rollcall use" another one.`, { cause });
}
