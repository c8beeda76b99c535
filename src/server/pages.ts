/** The listing: from a request's path and query to a page's bytes, all of one release. */
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import fresh from "fresh";
import type { NextHandler, Request, Response } from "polka";
import { etagOf } from "../contract/headers.js";
import { basePath, LISTING_PATH, pageNumber, requestedPage } from "../contract/links.js";
import { pagePath } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { Answers } from "./answers.js";
import type { FastAnswer } from "./fast-path/connection.js";
import { createFastReader } from "./fast-path/request.js";
import { createNegotiation } from "./negotiate.js";
import type { PageCache } from "./page-cache.js";

export interface FastPage {
  url: string;
  /** Where in the text the next request begins. */
  end: number;
  answer: FastAnswer | Promise<FastAnswer>;
}

/**
 * Answers what is the listing's: `{base}/api/users/?page=N`, `{base}/api/users/pages/N.json` and the missing final
 * slash. Paths are compared as they were sent, so that no decoding and no `..` can lead anywhere else.
 */
export function createPages(release: Release, answers: Answers, bodies: PageCache) {
  const { folder, snapshot, sums } = release;
  const listing = `${basePath(snapshot.base_url)}${LISTING_PATH}`;
  const bare = listing.slice(0, -1);
  const byPath = `${listing}pages/`;
  const choose = createNegotiation(snapshot.encodings);

  const answer = (req: IncomingMessage, res: Response, page: number | undefined): void | Promise<void> => {
    const variant = choose(req.headers["accept-encoding"]?.toString());
    const digest = page === undefined ? undefined : sums.pages.get(page, variant);
    if (page === undefined || digest === undefined) return answers.invalidPage(res);
    const etag = etagOf(digest);
    if (isFresh(req.headers["if-none-match"], etag)) return answers.pageNotModified(res, variant, etag);
    const body = bodies.find(digest);
    if (body) return answers.page(res, variant, etag, body);
    return bodies
      .load(join(folder, pagePath(page, variant)), digest)
      .then((loaded) => (loaded ? answers.page(res, variant, etag, loaded) : answers.fail(res, 500)));
  };

  const read = createFastReader(listing);
  return {
    quick(text: string, at: number): FastPage | undefined {
      const request = read(text, at);
      if (!request) return undefined;
      const { page, url, end, acceptEncoding, ifNoneMatch } = request;
      const variant = choose(acceptEncoding);
      const digest = sums.pages.get(page, variant);
      if (digest === undefined) return undefined;
      const etag = etagOf(digest);
      if (isFresh(ifNoneMatch, etag)) return { url, end, answer: answers.quickNotModified(variant, etag) };
      const body = bodies.find(digest);
      if (body) return { url, end, answer: answers.quickPage(variant, etag, body) };
      const answer = bodies
        .load(join(folder, pagePath(page, variant)), digest)
        .then((loaded) => (loaded ? answers.quickPage(variant, etag, loaded) : answers.quickFailure));
      return { url, end, answer };
    },

    handle(req: Request, res: Response, next: NextHandler): void | Promise<void> {
      const { path, search } = req;
      if (path === listing) return answer(req, res, requestedPage(search.slice(1)));
      if (path === bare) return answers.redirect(res, toLocation(listing, search));
      if (!path.startsWith(byPath)) return next();
      const [, number] = /^([^/]*)\.json$/.exec(path.slice(byPath.length)) ?? [];
      return number === undefined ? next() : answer(req, res, pageNumber(number));
    },
  };
}

/**
 * True when the client has the tagged bytes already. Of its headers only If-None-Match counts: a strong tag needs no
 * date, and `Cache-Control: no-cache` asks caches on the way, not the origin.
 */
export function isFresh(given: string | undefined, etag: string): boolean {
  // The library knows spaces around commas only; HTTP has tabs too.
  return given !== undefined && fresh({ "if-none-match": given.replaceAll("\t", " ") }, { etag });
}

/**
 * A path and the client's query as a header may carry them. `//x` would be another host: RFC 3986 writes `/.//x`.
 * A `#` would cut the query short in the client.
 */
function toLocation(path: string, search: string): string {
  const query = search.replace(/[^\x21\x22\x24-\x7e]/gu, (character) => {
    const bytes = Buffer.from(character, character <= "\xff" ? "latin1" : "utf8");
    return bytes.toString("hex").replace(/../g, (byte) => `%${byte.toUpperCase()}`);
  });
  return `${path.startsWith("//") ? "/." : ""}${path}${query}`;
}
