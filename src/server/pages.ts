/** Answers requests for pages of one release. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request } from "polka";
import { etagOf } from "../contract/headers.js";
import { pageNumber, requestedPage } from "../contract/links.js";
import { UserError } from "../errors.js";
import type { Variant } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { type Answers, send } from "./answers.js";
import { createNegotiation, isFresh } from "./negotiate.js";
import type { PageCache } from "./page-cache.js";
import type { createPageFiles } from "./page-files.js";

const UNREADABLE = "unreadable";

interface PageSources {
  cache: PageCache;
  files: ReturnType<typeof createPageFiles>;
  /** Told once that digests cannot be read any more. */
  log(line: string): void;
}

export function createPages({ snapshot, sums }: Release, answers: Answers, { cache, files, log }: PageSources) {
  let isReported = false;
  const choose = createNegotiation(snapshot.encodings);

  /** At once if the client has the page, it is cached or its file is read without waiting, otherwise later; undefined if there is no such page. */
  const findPage = (page: number, acceptEncoding: string | undefined, ifNoneMatch: string | undefined) => {
    const variant = choose(acceptEncoding);
    const digest = digestOf(page, variant);
    if (digest === undefined) return undefined;
    if (digest === UNREADABLE) return answers.error(500);
    const etag = etagOf(digest);
    if (isFresh(ifNoneMatch, etag)) return answers.pageNotModified(variant, etag);
    const body = cache.find(digest);
    if (body) return answers.page(variant, etag, body);
    const read = files.readNow(page, variant, digest);
    if (read) return answers.page(variant, etag, read.bytes, read.giveBack);
    return files
      .load(page, variant, digest)
      .then((loaded) => (loaded ? answers.page(variant, etag, loaded) : answers.error(500)));
  };
  /** Where there are too many for the memory, they are read when they are asked for. */
  const digestOf = (page: number, variant: Variant): string | undefined => {
    try {
      return sums.pages.get(page, variant);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (!isReported) log(`${error.message} Until then, pages are answered 500.`);
      isReported = true;
      return UNREADABLE;
    }
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
