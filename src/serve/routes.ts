/** The routes of one release, and everything that a request needs from it, so that no response mixes two releases. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import polka, { type NextHandler, type Request } from "polka";
import { parseBaseUrl } from "../core/contract/base-url.js";
import { basePath } from "../core/contract/links.js";
import { UserError } from "../core/errors.js";
import { openSiteRelease, type Site } from "../core/release/site.js";
import { createAnswer, pathOf, type RequestFacts } from "./answer.js";
import { type Answer, createAnswers, type Served } from "./answers.js";
import { openFiles, type VerifiedFiles } from "./files.js";
import { isHost } from "./host-header.js";
import { createDownloads, hasBody, send } from "./send.js";
import type { FileStore } from "./store.js";

export type Routes = Awaited<ReturnType<typeof openRoutes>>;

export interface RouteOptions {
  cacheControl: string;
  store: FileStore;
  /** The number of large files that are being sent, and how many may be. */
  downloads: { running: number; readonly most: number };
  log(line: string): void;
}

/** Every target, also `*`. */
const ANY = /^/;

/**
 * Opens a release for serving.
 * @param last the routes of the release that was served before.
 * @throws UserError if `folder` has no release, or a broken one; some error if `signal` is aborted.
 */
export async function openRoutes(
  folder: string,
  options: RouteOptions,
  signal: AbortSignal,
  last?: { files: ReadonlyMap<string, VerifiedFiles> },
) {
  const { cacheControl, store, downloads, log } = options;
  const site = await openSiteRelease(folder);
  signal.throwIfAborted();
  refuseBadBase(site);
  const files = new Map<string, VerifiedFiles>();
  const parts = new Map<string, ReturnType<typeof createPart>>();
  for (const served of servedOf(site)) {
    const own = await openFiles(served, store, signal, last?.files.get(served.name));
    files.set(served.name, own);
    parts.set(served.name, createPart(served, own));
  }
  const root = `${basePath(site.baseUrl)}/`;
  const top = parts.get("") ?? (parts.values().next().value as ReturnType<typeof createPart>);
  const { answers } = top;
  const sendFile = createDownloads(site.folder);
  const app = polka({
    onError(error, _req, res) {
      log(`Unexpected error: ${error instanceof Error ? error.stack?.replaceAll("\n", " |") : error}`);
      if (res.headersSent) res.destroy();
      else send(res, answers.error(500));
    },
  });
  // `answer` parses targets itself.
  app.parse = ({ url: raw = "/" }: IncomingMessage) => {
    return { pathname: raw, search: "", query: undefined, hash: undefined, raw };
  };
  app.all(ANY, checkRequest).all(ANY, sendAnswer);

  return {
    site,
    files,
    answer,
    answers,
    handle: (req: IncomingMessage, res: ServerResponse) => void app.handler(req as Request, res, undefined as never),
  };

  function createPart(served: Served, own: VerifiedFiles) {
    const answers = createAnswers(served, cacheControl);
    return { answers, answer: createAnswer(served, answers, own, store) };
  }

  /** Answers for the listing that the path is in; for the top of a site otherwise. */
  function answer(asked: RequestFacts): Answer {
    const part = parts.size === 1 ? top : (findPart(asked.target) ?? top);
    return part.answer(asked);
  }

  /** Finds the listing of a target. No listing is below another one. */
  function findPart(target: string): typeof top | undefined {
    const path = pathOf(target);
    if (!path.startsWith(root)) return undefined;
    for (let end = root.length - 1; end < path.length; ) {
      const next = path.indexOf("/", end + 1);
      end = next === -1 ? path.length : next;
      const part = parts.get(path.slice(root.length, end));
      if (part) return part;
    }
    return undefined;
  }

  function sendAnswer(req: Request, res: ServerResponse): void {
    const found = answer({ method: req.method, target: req.url, headers: req.headers });
    if (!found.file || req.method === "HEAD") send(res, found);
    else if (downloads.running < downloads.most) {
      downloads.running++;
      res.once("close", () => downloads.running--);
      sendFile(req, res, found, found.file);
    } else {
      // A kept connection would hold a place that another client needs.
      res.setHeader("Connection", "close");
      send(res, answers.error(503));
    }
  }

  function checkRequest(req: Request, res: ServerResponse, next: NextHandler): void {
    const { httpVersion, headers, headersDistinct } = req;
    const { expect } = headers;
    const { host: hosts = [] } = headersDistinct;
    // Only `100-continue` can be expected, and only since HTTP/1.1.
    const isExpected = expect === undefined || httpVersion !== "1.1" || /(?:^|\W)100-continue(?:$|\W)/i.test(expect);
    if (!isExpected || hasBody(req)) res.setHeader("Connection", "close");
    // HTTP/1.1 requires one Host. Node's own refusal would have no body.
    const hasHost = hosts.length === 1 || (hosts.length === 0 && httpVersion === "1.0");
    const isWellFormed = httpVersion.startsWith("1.") && hasHost && hosts.every(isHost);
    if (isExpected && isWellFormed) next();
    else send(res, answers.error(isExpected ? 400 : 417));
  }
}

/** The listings of a site, and the files at its top. */
function servedOf({ listings, top, folder, baseUrl, id }: Site): Served[] {
  const served = listings.map(({ name, release }): Served => {
    const { folder, sums, isSigned, snapshot } = release;
    return { name, folder, sums, isSigned, baseUrl: snapshot.base_url, id: snapshot.id, encodings: snapshot.encodings };
  });
  return top ? [...served, { ...top, folder, baseUrl, id, encodings: [] }] : served;
}

/** @throws UserError if snapshot.json has an invalid base URL, whose routes would match nothing. */
function refuseBadBase({ folder, baseUrl, listings }: Site): void {
  const path = listings.length === 1 ? listings[0]?.release.paths.listing : undefined;
  let cause: unknown;
  try {
    if (parseBaseUrl(baseUrl, path) === baseUrl) return;
  } catch (error) {
    cause = error;
  }
  const base = JSON.stringify(baseUrl);
  throw new UserError(`Release ${basename(folder)} is broken: its base URL is ${base}. Build again.`, { cause });
}
