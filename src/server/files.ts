/** What is not a page (snapshot.json, SHA256SUMS, ...), by sirv, fenced so that no file's fate can end the process. */
import type { ReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextHandler, Request, Response } from "polka";
import sirv from "sirv";
import { etagOf } from "../contract/headers.js";
import { basePath } from "../contract/links.js";
import type { Release } from "../release/open.js";
import type { AtMost } from "../workers/at-most.js";
import type { Answers } from "./answers.js";
import { type Copies, copyFiles } from "./copies.js";
import { isFresh } from "./pages.js";

export interface Files {
  handle(req: Request, res: Response, next: NextHandler): void | Promise<void>;
  /** Removes the copies as soon as no answer needs them. */
  retire(): Promise<void>;
}

interface Served extends Copies {
  serve: ReturnType<typeof sirv>;
}

/**
 * @param opening bounds how many files are open at once, of this release and of those before and after it
 * @throws UserError as `copyFiles` does.
 */
export async function createFiles(
  release: Release,
  answers: Answers,
  opening: AtMost,
  log: (line: string) => void,
): Promise<Files> {
  const root = `${basePath(release.snapshot.base_url)}/`;
  const take = async (): Promise<Served> => {
    const copies = await copyFiles(release);
    return { ...copies, serve: sirv(copies.folder, { extensions: [] }) };
  };
  let served = await take();
  let retaking: Promise<boolean> | undefined;
  let inFlight = 0;
  let retired = false;

  /** Temp folders get cleaned: the release itself still has the files. */
  const retake = async (): Promise<boolean> => {
    const lost = served;
    try {
      served = await take();
      await lost.remove();
      return true;
    } catch (error) {
      log(`The copies of ${release.folder} in ${lost.folder} are gone, and cannot be made again: ${error}`);
      return false;
    } finally {
      retaking = undefined;
    }
  };
  const removeIfIdle = async () => {
    if (!retired || inFlight > 0) return;
    await served.remove().catch((error) => log(`${served.folder} cannot be removed: ${error}`));
  };
  const answer = async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    if (!(await served.isWhole(path))) retaking ??= retake();
    const file = served.files.get(path);
    if ((await retaking) === false || !file) return answers.fail(res, 500);
    await opening.begin();
    // Nobody would say that a client has gone which went before.
    if (res.destroyed) return opening.end();
    res.once("close", opening.end);
    answers.beginFile(res, path, etagOf(file.digest), file.bytes);
    await send(served, req, res, path, file.bytes);
  };
  const begin = (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    inFlight++;
    return answer(req, res, path).finally(() => {
      inFlight--;
      return removeIfIdle();
    });
  };

  return {
    handle(req, res, next) {
      const path = req.path.startsWith(root) ? req.path.slice(root.length) : "";
      const file = served.files.get(path);
      if (!file) return next();
      const etag = etagOf(file.digest);
      if (isFresh(req.headers["if-none-match"], etag)) return answers.fileNotModified(res, path, etag);
      // In another server's pipeline an answer has no socket before its turn, nor hears that the client has left.
      if (res.socket) return begin(req, res, path);
      res.once("socket", () => begin(req, res, path).catch(next));
    },
    retire() {
      retired = true;
      return removeIfIdle();
    },
  };
}

/**
 * Lets sirv answer, and resolves when it has the file open, which then may go. sirv pipes a file without a thought
 * for its errors, and promises a length that the file may not have any more.
 */
async function send(
  { serve }: Served,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  bytes: number,
): Promise<void> {
  // It misreads ranges and decodes paths; neither has a say here.
  delete req.headers.range;
  req.url = `/${path}`;
  await new Promise<void>((resolve, reject) => {
    res.once("pipe", (source: ReadStream) => {
      source.once("open", () => resolve());
      // Also without having been open, where the client leaves in that moment.
      source.once("close", () => resolve());
      source.once("error", (error) => {
        reject(error);
        res.destroy();
      });
      source.once("end", () => {
        if (source.bytesRead !== bytes) res.destroy();
      });
      // A client that leaves would leave the file open.
      res.once("close", () => source.destroy());
    });
    serve(req, res, () => reject(new Error(`sirv does not know ${path}`)));
  });
}
