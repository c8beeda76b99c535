/** From a request to its response: the only code that decides, for Node's server and for the fast path. */
import { etagOf } from "../core/contract/headers.js";
import { asPattern, basePath, pageNumber, requestedPage } from "../core/contract/links.js";
import { EXPLORER, isPacked } from "../core/release/layout.js";
import { pathInSite } from "../core/release/site.js";
import type { Answer, Answers, Served } from "./answers.js";
import { createNegotiation, isFresh, type RequestHeaders, requestedRange } from "./negotiate.js";
import type { FileStore } from "./store.js";

/** A request, as HTTP has it. The target is the raw URL, and names of headers are lowercase. */
export interface RequestFacts {
  method: string;
  target: string;
  headers: RequestHeaders;
}

/** A file of the release that is not a page. */
export interface ServedFile {
  /** Inside the release. */
  path: string;
  etag: string;
  size: number;
  /** Whether it is too large for the memory cache. */
  isLarge: boolean;
}

/** Files by their path, and access to their bytes. Both functions log damage, which is answered with a 500. */
export interface ServedFiles {
  find(path: string): ServedFile | undefined;
  /** Reads a file that is not large. */
  read(file: ServedFile): Uint8Array | undefined;
  /** Whether a large file is the one that was verified. */
  isVerified(file: ServedFile): boolean;
}

/** Makes the function that answers requests for a listing, or for the files at the top of a site. */
export function createAnswer(
  { name, folder, baseUrl, encodings, sums }: Served,
  answers: Answers,
  files: ServedFiles,
  store: Pick<FileStore, "find" | "read">,
): (asked: RequestFacts) => Answer {
  const { paths } = sums;
  const base = basePath(baseUrl);
  const hasPages = sums.pages.pages > 0;
  const listing = `${base}${paths.listing}`;
  const byPath = new RegExp(`^${asPattern(listing)}pages/([^/]*)\\.json$`);
  const root = `${base}/`;
  // The explorer's links are relative, so its URL needs a final slash.
  const folders = files.find(EXPLORER) && base !== "" ? [listing, root] : [listing];
  const choose = createNegotiation(encodings);

  const answerPage = (page: number | undefined, headers: RequestHeaders): Answer => {
    const variant = choose(headers["accept-encoding"]);
    const digest = page && sums.pages.get(page, variant);
    if (!digest) return answers.invalidPage;
    const etag = etagOf(digest);
    if (isFresh(headers["if-none-match"], etag)) return { head: answers.pagesNotModified[variant], etag };
    const body = store.find(digest) ?? store.read(`${folder}/${paths.path(page, variant)}`, digest);
    return body ? { head: answers.pages[variant], etag, body } : answers.error(500);
  };

  const answerFile = (file: ServedFile, { method, headers }: RequestFacts): Answer => {
    const { path, etag, size, isLarge } = file;
    if (isFresh(headers["if-none-match"], etag)) return { head: answers.file(304, path), etag };
    const body = isLarge ? undefined : files.read(file);
    if (!body && !(isLarge && files.isVerified(file))) return answers.error(500);
    const wanted = method === "GET" && isPacked(path) ? requestedRange(headers, etag, size) : undefined;
    if (wanted === "none") return answers.noSuchRange(size);
    // sirv reads `0-0` as the whole file.
    const range = isLarge && wanted?.end === 0 ? undefined : wanted;
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const head = range
      ? answers.file(206, path, { "Content-Range": `bytes ${start}-${end}/${size}` })
      : answers.file(200, path);
    if (body) return { head, etag, body: range ? body.subarray(start, end + 1) : body };
    return {
      head,
      etag,
      file: { path: pathInSite(name, path), start, end, isPartial: range !== undefined },
    };
  };

  return (asked) => {
    const { method, target, headers } = asked;
    if (method === "OPTIONS") return answers.preflight;
    if (method !== "GET" && method !== "HEAD") return answers.error(405);
    const { path, search } = parseTarget(target);
    if (hasPages && path === listing) return answerPage(requestedPage(search.slice(1)), headers);
    const [, named] = hasPages ? (byPath.exec(path) ?? []) : [];
    if (named !== undefined) return answerPage(pageNumber(named), headers);
    for (const folder of folders) if (`${path}/` === folder) return answers.redirect(folder, search);
    // The base URL itself is the explorer, unless pages are there.
    const file = path.startsWith(root) ? files.find(path.slice(root.length) || EXPLORER) : undefined;
    return file ? answerFile(file, asked) : answers.error(404);
  };
}

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  return parseTarget(target).path;
}

/** Divides a request target, without decoding it. Drops the origin of the absolute form that proxies send. */
function parseTarget(target: string): { path: string; search: string } {
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  const at = local.indexOf("?");
  return { path: (at === -1 ? local : local.slice(0, at)) || "/", search: at === -1 ? "" : local.slice(at) };
}
