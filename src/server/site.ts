/** All that a request needs of one release, bound together once: whoever holds a site cannot mix two releases. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import polka, { type Request } from "polka";
import type { ErrorStatus } from "../contract/headers.js";
import { parseBaseUrl } from "../contract/links.js";
import { UserError } from "../errors.js";
import { openRelease, type Release } from "../release/open.js";
import type { AtMost } from "../workers/at-most.js";
import { createAnswers } from "./answers.js";
import { createFiles } from "./files.js";
import type { PageCache } from "./page-cache.js";
import { createPages, type FastPage } from "./pages.js";

export interface Site {
  readonly release: Release;
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** A plain GET of a page in a text that may hold more; undefined for anything else. */
  quick(text: string, at: number): FastPage | undefined;
  fail(res: ServerResponse, status: ErrorStatus): void;
  /** An error as text, for a socket that has no request. */
  raw(status: ErrorStatus): string;
  /** Gives back what the site holds on disk, as soon as its last answer is out. */
  retire(): Promise<void>;
}

export interface SiteOptions {
  cacheControl: string;
  bodies: PageCache;
  /** Bounds how many files that are no pages are open at once. */
  opening: AtMost;
  log(line: string): void;
  sent?: ((res: ServerResponse, bytes: number) => void) | undefined;
}

/** @throws UserError when there is no release in `folder`, or a broken one. */
export async function takeUp(folder: string, { cacheControl, bodies, opening, log, sent }: SiteOptions): Promise<Site> {
  const release = await openRelease(folder);
  refuseBadBase(release);
  const answers = createAnswers(release.snapshot, cacheControl, sent);
  const files = await createFiles(release, answers, opening, log);
  const app = polka({
    onError(error, _req, res) {
      log(`Unexpected error: ${error instanceof Error ? error.stack?.replaceAll("\n", " |") : error}`);
      if (res.headersSent) res.destroy();
      else answers.fail(res, 500);
    },
    onNoMatch: (_req, res) => answers.fail(res, 404),
  });
  app.parse = parseTarget;
  const pages = createPages(release, answers, bodies);
  app.use(pages.handle, files.handle);

  return {
    release,
    handle(req, res) {
      if (!endsWithItsHeaders(req)) res.shouldKeepAlive = false;
      if (!isWellFormed(req)) return answers.fail(res, 400);
      if (req.method === "OPTIONS") return answers.preflight(res);
      if (req.method !== "GET" && req.method !== "HEAD") return answers.fail(res, 405);
      void app.handler(req as Request, res, undefined as never);
    },
    quick: pages.quick,
    fail: answers.fail,
    raw: answers.raw,
    retire: files.retire,
  };
}

/** snapshot.json's form does not say that its base URL is one; a path made from another would match nothing. */
function refuseBadBase({ folder, snapshot }: Release): void {
  try {
    if (parseBaseUrl(snapshot.base_url) === snapshot.base_url) return;
  } catch (cause) {
    throw broken(cause);
  }
  throw broken();

  function broken(cause?: unknown): UserError {
    const base = JSON.stringify(snapshot.base_url);
    return new UserError(`Release ${basename(folder)} is broken: its base URL is ${base}. Build again.`, {
      cause,
    });
  }
}

/** HTTP/1.0, or HTTP/1.1 with the Host that it demands. Node's own refusal of the latter has no body. */
function isWellFormed({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && (httpVersionMinor === 0 || headers.host !== undefined);
}

/**
 * Whether the next request can follow at once. A body is never read, and a client that sends one slowly must not hold
 * the connection. What comes in one packet with a request to upgrade, node's parser drops: half a request may be left.
 */
function endsWithItsHeaders({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding, upgrade } = headers;
  return length === "0" && coding === undefined && upgrade === undefined;
}

/**
 * A request's target as polka wants it, split at the first `?` and otherwise as it was sent. The absolute form
 * (`http://any.host/api/users/`), which proxies use, loses its origin: this host has one site only.
 */
function parseTarget({ url: raw = "/" }: IncomingMessage) {
  const target = raw.replace(/^https?:\/\/[^/?#]*/i, "");
  const at = target.indexOf("?");
  const pathname = (at === -1 ? target : target.slice(0, at)) || "/";
  return { pathname, search: at === -1 ? "" : target.slice(at), query: undefined, hash: undefined, raw };
}
