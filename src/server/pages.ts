/** Answers requests for pages of one release. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Request } from "polka";
import { etagOf } from "../contract/headers.js";
import { pageNumber, requestedPage } from "../contract/links.js";
import type { Release } from "../release/open.js";
import { type Answers, send } from "./answers.js";
import { createNegotiation, isFresh } from "./negotiate.js";
import type { PageCache } from "./page-cache.js";

export function createPages({ folder, snapshot, paths, sums }: Release, answers: Answers, cache: PageCache) {
  const choose = createNegotiation(snapshot.encodings);

  /** At once if the page is cached or the client has it, otherwise from the disk; undefined if there is no such page. */
  const findPage = (page: number, acceptEncoding: string | undefined, ifNoneMatch: string | undefined) => {
    const variant = choose(acceptEncoding);
    const digest = sums.pages.get(page, variant);
    if (digest === undefined) return undefined;
    const etag = etagOf(digest);
    if (isFresh(ifNoneMatch, etag)) return answers.pageNotModified(variant, etag);
    const body = cache.find(digest);
    if (body) return answers.page(variant, etag, body);
    return cache
      .load(join(folder, paths.path(page, variant)), digest)
      .then((loaded) => (loaded ? answers.page(variant, etag, loaded) : answers.error(500)));
  };
  const answer = async ({ headers }: IncomingMessage, res: ServerResponse, page: number | undefined) => {
    const accept = headers["accept-encoding"]?.toString();
    const found = page === undefined ? undefined : findPage(page, accept, headers["if-none-match"]);
    send(res, found === undefined ? answers.invalidPage : await found);
  };

  return {
    findPage,
    /** `{base}/v1/stations/?page=N` */
    byQuery: (req: Request, res: ServerResponse) => answer(req, res, requestedPage(req.search.slice(1))),
    /** `{base}/v1/stations/pages/N.json` */
    byPath(req: Request, res: ServerResponse) {
      const [, number = ""] = /([^/]*)\.json$/.exec(req.path) ?? [];
      return answer(req, res, pageNumber(number));
    },
  };
}
