/** What is not a page (snapshot.json, SHA256SUMS), by sirv, fenced so that no file's fate can end the process. */
import type { ReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import type { NextHandler, Request, Response } from "polka";
import sirv from "sirv";
import { CONTENT_TYPE, etagOf } from "../contract/headers.js";
import { basePath } from "../contract/links.js";
import type { Release } from "../release/open.js";
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

/** @throws UserError as `copyFiles` does. */
export async function createFiles(
  release: Release,
  answers: Answers,
  log: (line: string) => void,
  sent?: (res: ServerResponse, bytes: number) => void,
): Promise<Files> {
  const root = `${basePath(release.snapshot.base_url)}/`;
  const take = async (): Promise<Served> => {
    const copies = await copyFiles(release);
    return { ...copies, serve: sirv(copies.folder, { extensions: [] }) };
  };
  let served = await take();
  let retaking: Promise<Served | undefined> | undefined;
  let inFlight = 0;
  let retired = false;

  /** Temp folders get cleaned: the release itself still has the files. */
  const retake = async (): Promise<Served | undefined> => {
    const lost = served;
    try {
      served = await take();
      await lost.remove();
      return served;
    } catch (error) {
      log(`The copies of ${release.folder} in ${lost.folder} are gone, and cannot be made again: ${error}`);
      return undefined;
    } finally {
      retaking = undefined;
    }
  };
  const removeIfIdle = async () => {
    if (!retired || inFlight > 0) return;
    await served.remove().catch((error) => log(`${served.folder} cannot be removed: ${error.message}`));
  };

  const handle = async (req: Request, res: Response, path: string, digest: string): Promise<void> => {
    const headers = headersOf(path, digest, answers.common);
    if (isFresh(req, etagOf(digest))) return void res.writeHead(304, headers.flat()).end();
    inFlight++;
    res.once("close", () => {
      inFlight--;
      void removeIfIdle();
    });
    let from: Served | undefined = served;
    if (!(await from.isWhole(path))) {
      retaking ??= retake();
      from = await retaking;
    }
    const bytes = from?.files.get(path)?.bytes;
    if (!from || bytes === undefined) return answers.fail(res, 500);
    for (const [name, value] of headers) res.setHeader(name, value);
    sent?.(res, bytes);
    fence(res, bytes, log);
    // sirv misreads ranges, and decodes paths; neither has a say here.
    delete req.headers.range;
    req.url = `/${path}`;
    from.serve(req, res, () => void res.destroy());
  };

  return {
    handle(req, res, next) {
      const path = req.path.startsWith(root) ? req.path.slice(root.length) : "";
      const file = served.files.get(path);
      return file ? handle(req, res, path, file.digest) : next();
    },
    retire() {
      retired = true;
      return removeIfIdle();
    },
  };
}

function headersOf(path: string, digest: string, common: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < common.length; at += 2) pairs.push([common[at] ?? "", common[at + 1] ?? ""]);
  const type = path.endsWith(".json") ? CONTENT_TYPE : "text/plain; charset=utf-8";
  // Whoever polls for a switch must not be answered by a cache on the way.
  return [...pairs, ["Content-Type", type], ["Cache-Control", "no-cache"], ["ETag", etagOf(digest)]];
}

/** sirv pipes a file without a thought for its errors, and promises a length that the file may not have any more. */
function fence(res: ServerResponse, bytes: number, log: (line: string) => void): void {
  res.once("pipe", (source: ReadStream) => {
    source.once("error", (error) => {
      log(`${source.path} cannot be read (${error.message}); the connection was closed.`);
      res.destroy();
    });
    source.once("end", () => {
      if (source.bytesRead !== bytes) res.destroy();
    });
    // A client that leaves would leave the file open.
    res.once("close", () => source.destroy());
  });
}
