/** The routes of one release, and all else that a request needs of it. So no answer can mix two releases. */
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
import { hasTrueTimes, Proofs } from "./proofs.js";

export type Site = Awaited<ReturnType<typeof openSite>>;

export interface SiteOptions {
  cacheControl: string;
  store: Store;
  /** How long a file must have been what it is on disk before that counts, in milliseconds. */
  settleMs: number;
  /** Limits how many large files are open at once, each for the moment in which a piece is read. */
  opening: AtMost;
  log(line: string): void;
}

const ANY = /^/;

/** @throws UserError if there is no release in `folder`, or a broken one; an error of some kind once `signal` is aborted. */
export async function openSite(folder: string, options: SiteOptions, signal: AbortSignal) {
  const { cacheControl, store, settleMs, log } = options;
  const release = await openRelease(folder);
  signal.throwIfAborted();
  refuseBadBase(release);
  const base = basePath(release.snapshot.base_url);
  const listing = `${base}${release.contract.listing.path}`;
  const answers = createAnswers(release, cacheControl);
  const isProvable = await hasTrueTimes(release.folder);
  const createProofs = (files: number) => new Proofs(isProvable ? files : 0, settleMs);
  const answerPage = createPages(release, answers, store, createProofs);
  const others = await createFiles(release, `${base}/`, answers, { ...options, createProofs }, signal);
  // The links of the page for people are relative to its folder.
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
  // Paths are matched exactly as they were sent: no decoding and no `..` can lead anywhere else.
  app.all(ANY, checkRequest).options(ANY, (_req, res) => send(res, answers.preflight));
  for (const folder of [listing, ...home])
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
    /** Answers a plain GET of a page or a small file without Node's HTTP objects. Undefined if `text` at `at` is none. */
    answerPlain(text: string, at: number) {
      const request = readPlain(text, at);
      if (!request) return undefined;
      const { page, path, url, end, headers } = request;
      const answer = page === undefined ? others.find(path, headers.ifNoneMatch) : answerPage(page, headers);
      // Copying the request by a spread would take as long as all the rest.
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
    // Bodies are never read, so a client could hold its connection by sending one slowly. After a request to upgrade,
    // Node's parser drops the rest of a packet, which may be half a request.
    if (!isExpected || length !== "0" || coding !== undefined || upgrade !== undefined) closeAfter(res);
    // HTTP/1.1 demands a Host. Node's own refusal has no body.
    const isWellFormed = httpVersion === "1.0" || (httpVersion.startsWith("1.") && host !== undefined);
    if (isExpected && isWellFormed) return next();
    send(res, answers.error(isExpected ? 400 : 417));
  }
}

/** A pattern of a path: `path`, which is taken literally, and then `rest`. */
function exactly(path: string, rest = ""): RegExp {
  return new RegExp(`^${asPattern(path)}${rest}$`);
}

/** snapshot.json may say anything; a path that is made from a bad base URL would match nothing. */
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

/** For polka. The absolute form that proxies use (`http://any.host/v1/stations/`) loses its origin: there is one site. */
function parseTarget({ url: raw = "/" }: IncomingMessage) {
  const [, path, search = ""] = /^(?:https?:\/\/[^/?#]*)?([^?]*)(.*)$/is.exec(raw) ?? [];
  return { pathname: path || "/", search, query: undefined, hash: undefined, raw };
}
