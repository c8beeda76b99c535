/** The routes of one release, and everything that a request needs from it, so that no response mixes two releases. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import polka, { type NextHandler, type Request } from "polka";
import { parseBaseUrl } from "../contract/base-url.js";
import { asPattern, basePath, pageNumber, requestedPage } from "../contract/links.js";
import { UserError } from "../errors.js";
import { EXPLORER } from "../release/layout.js";
import { openRelease, type Release } from "../release/open.js";
import type { AtMost } from "../workers/at-most.js";
import { createAnswers, send } from "./answers.js";
import { closeAfter } from "./connections/node-internals.js";
import { createFastReader } from "./fast-path/request.js";
import { createFiles } from "./file-answers.js";
import type { Store } from "./page-cache.js";
import { createPages } from "./pages.js";
import { hasReliableTimes, Proofs } from "./proofs.js";

export type Site = Awaited<ReturnType<typeof openSite>>;

export interface SiteOptions {
  cacheControl: string;
  store: Store;
  /** See `SERVER_LIMITS.settleMs`. */
  settleMs: number;
  /** Limits how many large files are open at once. */
  opening: AtMost;
  log(line: string): void;
}

const ANY = /^/;

/** Opens a release for serving. @throws UserError if `folder` has no release, or a broken one; some error if `signal` is aborted. */
export async function openSite(folder: string, options: SiteOptions, signal: AbortSignal) {
  const { cacheControl, store, settleMs, log } = options;
  const release = await openRelease(folder);
  signal.throwIfAborted();
  refuseBadBase(release);
  const base = basePath(release.snapshot.base_url);
  const listing = `${base}${release.contract.listing.path}`;
  const answers = createAnswers(release, cacheControl);
  const isProvable = await hasReliableTimes(release.folder);
  const createProofs = (files: number) => new Proofs(isProvable ? files : 0, settleMs);
  const answerPage = createPages(release, answers, store, createProofs);
  const others = await createFiles(release, `${base}/`, answers, { ...options, createProofs }, signal);
  // The explorer's links are relative, so its URL needs a final slash.
  const home = release.sums.others.has(EXPLORER) && base !== "" ? [`${base}/`] : [];

  const readPlain = createFastReader(listing);
  const app = polka({
    onError(error, _req, res) {
      log(`Unexpected error: ${error instanceof Error ? error.stack?.replaceAll("\n", " |") : error}`);
      if (res.headersSent) res.destroy();
      else send(res, answers.error(500));
    },
  });
  app.parse = parseTarget;
  // Paths are matched exactly as they were sent: without decoding, and without resolving `..`.
  app.all(ANY, checkRequest).options(ANY, (_req, res) => send(res, answers.preflight));
  for (const folder of new Set([listing, ...home]))
    app.get(exactly(folder.slice(0, -1)), (req, res) => send(res, answers.redirect(folder, req.search)));
  app
    .get(exactly(listing), (req, res) => sendPage(req, res, requestedPage(req.search.slice(1))))
    .get(exactly(`${listing}pages/`, "[^/]*\\.json"), (req, res) =>
      sendPage(req, res, pageNumber(req.path.slice(listing.length + 6, -5))),
    )
    .get(exactly(`${base}/`, ".*"), others.handle)
    .get(ANY, (_req, res) => send(res, answers.error(404)))
    .all(ANY, (_req, res) => send(res, answers.error(405)));

  return {
    release,
    answers,
    handle: (req: IncomingMessage, res: ServerResponse) => void app.handler(req as Request, res, undefined as never),
    /** The response to a plain GET of a page or a small file, on the fast path. Undefined if `text` at `at` is not one. */
    answerPlain(text: string, at: number) {
      const request = readPlain(text, at);
      if (!request) return undefined;
      const { page, path, url, end, headers } = request;
      const answer = page === undefined ? others.find(path, headers.ifNoneMatch) : answerPage(page, headers);
      // Spreading the request would take as long as everything else.
      return answer && { url, end, headers, answer };
    },
  };

  function sendPage({ headers }: Request, res: ServerResponse, page: number | undefined) {
    const acceptEncoding = headers["accept-encoding"]?.toString();
    const found = page && answerPage(page, { acceptEncoding, ifNoneMatch: headers["if-none-match"] });
    send(res, found || answers.invalidPage);
  }

  function checkRequest({ httpVersion, headers }: Request, res: ServerResponse, next: NextHandler) {
    const { host, expect, "content-length": length = "0", "transfer-encoding": coding, upgrade } = headers;
    // Only `100-continue` can be expected, and only since HTTP/1.1.
    const isExpected = expect === undefined || httpVersion !== "1.1" || /(?:^|\W)100-continue(?:$|\W)/i.test(expect);
    // Bodies are never read, so a client could keep its connection by sending one slowly. After an upgrade request, Node's
    // parser drops the rest of the packet, which may be half a request.
    if (!isExpected || length !== "0" || coding !== undefined || upgrade !== undefined) closeAfter(res);
    // HTTP/1.1 requires Host. Node's own refusal would have no body.
    const isWellFormed = httpVersion === "1.0" || (httpVersion.startsWith("1.") && host !== undefined);
    if (isExpected && isWellFormed) return next();
    send(res, answers.error(isExpected ? 400 : 417));
  }
}

/** A pattern for exactly `path`, followed by the pattern `end`. */
function exactly(path: string, end = ""): RegExp {
  return new RegExp(`^${asPattern(path)}${end}$`);
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

/** Parses a request target for polka. Drops the origin of the absolute form that proxies send (`http://any.host/v1/stations/`). */
function parseTarget({ url: raw = "/" }: IncomingMessage) {
  const [, path, search = ""] = /^(?:https?:\/\/[^/?#]*)?([^?]*)(.*)$/is.exec(raw) ?? [];
  return { pathname: path || "/", search, query: undefined, hash: undefined, raw };
}
