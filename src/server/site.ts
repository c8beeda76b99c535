/** The routes of one release, and everything that a request needs from it, so that no response mixes two releases. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import polka, { type NextHandler, type Request } from "polka";
import { parseBaseUrl } from "../contract/base-url.js";
import { UserError } from "../errors.js";
import { openRelease, type Release } from "../release/open.js";
import { createAnswer } from "./answer.js";
import { createAnswers } from "./answers.js";
import { openFiles, type VerifiedFiles } from "./files.js";
import { createDownloads, hasBody, send } from "./send.js";
import type { Store } from "./store.js";

export type Site = Awaited<ReturnType<typeof openSite>>;

export interface SiteOptions {
  cacheControl: string;
  store: Store;
  /** The number of large files that are being sent, and how many may be. */
  downloads: { running: number; readonly most: number };
  log(line: string): void;
}

/** Every target, also `*`. */
const ANY = /^/;

/**
 * Opens a release for serving.
 * @param last the site that was served before.
 * @throws UserError if `folder` has no release, or a broken one; some error if `signal` is aborted.
 */
export async function openSite(
  folder: string,
  options: SiteOptions,
  signal: AbortSignal,
  last?: { files: VerifiedFiles },
) {
  const { cacheControl, store, downloads, log } = options;
  const release = await openRelease(folder);
  signal.throwIfAborted();
  refuseBadBase(release);
  const answers = createAnswers(release, cacheControl);
  const files = await openFiles(release, store, signal, last?.files);
  const answer = createAnswer(release, answers, files, store);
  const sendFile = createDownloads(release.folder);
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
    release,
    files,
    answer,
    answers,
    handle: (req: IncomingMessage, res: ServerResponse) => void app.handler(req as Request, res, undefined as never),
  };

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
    const { httpVersion, headers } = req;
    const { host, expect } = headers;
    // Only `100-continue` can be expected, and only since HTTP/1.1.
    const isExpected = expect === undefined || httpVersion !== "1.1" || /(?:^|\W)100-continue(?:$|\W)/i.test(expect);
    if (!isExpected || hasBody(req)) res.setHeader("Connection", "close");
    // HTTP/1.1 requires Host. Node's own refusal would have no body.
    const isWellFormed = httpVersion === "1.0" || (httpVersion.startsWith("1.") && host !== undefined);
    if (isExpected && isWellFormed) next();
    else send(res, answers.error(isExpected ? 400 : 417));
  }
}

/** @throws UserError if snapshot.json has an invalid base URL, whose routes would match nothing. */
function refuseBadBase({ folder, snapshot, contract }: Release): void {
  let cause: unknown;
  try {
    if (parseBaseUrl(snapshot.base_url, contract.listing.path) === snapshot.base_url) return;
  } catch (error) {
    cause = error;
  }
  const base = JSON.stringify(snapshot.base_url);
  throw new UserError(`Release ${basename(folder)} is broken: its base URL is ${base}. Build again.`, { cause });
}
