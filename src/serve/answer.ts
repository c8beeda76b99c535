/** From a request to its response: the only code that decides, for Node's server and for the fast path. */
import { etagOf } from "../core/contract/headers.js";
import { asPattern, basePath, pageNumber, requestedPage } from "../core/contract/links.js";
import { EXPLORER, isPacked, type NumberedPaths, VIEWS_FOLDER } from "../core/release/layout.js";
import { pathInSite } from "../core/release/site.js";
import type { PageDigests } from "../core/release/sums.js";
import type { Answer, Answers, Served, ServedView } from "./answers.js";
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

/** Pages with the folder that their paths are relative to. */
interface PageSource {
  paths: NumberedPaths;
  pages: PageDigests;
  folder: string;
}

/** Makes the function that answers requests for a listing, or for the files at the top of a site. */
export function createAnswer(
  { name, folder, baseUrl, encodings, sums, views }: Served,
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
  const listed: PageSource = { ...sums, folder };

  const answerPage = (page: number | undefined, headers: RequestHeaders, from = listed): Answer => {
    const variant = choose(headers["accept-encoding"]);
    const digest = page && from.pages.get(page, variant);
    if (!digest) return answers.invalidPage;
    const etag = etagOf(digest);
    if (isFresh(headers["if-none-match"], etag)) return { head: answers.pagesNotModified[variant], etag };
    const body = store.find(digest) ?? store.read(`${from.folder}/${from.paths.path(page, variant)}`, digest);
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

  /** Answers for a path of a view: that of a value is `DE/`, `DE/pages/2.json` or `DE`, and a view without values has one without a segment. */
  const answerView = ({ sums, path: above }: ServedView, path: string, search: string, headers: RequestHeaders) => {
    const { paths, pages } = sums;
    if (`${path}/` === above) return paths.has("") ? answers.redirect(above, search) : answers.error(404);
    const inside = path.slice(above.length);
    const found = IN_VIEW.exec(inside);
    const [, segment = "", named] = found ?? [];
    if (found && paths.has(segment)) {
      const own = named === undefined ? requestedPage(search.slice(1)) : pageNumber(named);
      const page = own === undefined ? undefined : paths.number(segment, own);
      return answerPage(page, headers, { paths, pages, folder: `${folder}/${VIEWS_FOLDER}` });
    }
    return inside !== "" && paths.has(inside) ? answers.redirect(`${path}/`, search) : answers.error(404);
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
    const view = views.find((one) => `${path}/`.startsWith(one.path));
    if (view) return answerView(view, path, search, headers);
    // The base URL itself is the explorer, unless pages are there.
    const file = path.startsWith(root) ? files.find(path.slice(root.length) || EXPLORER) : undefined;
    return file ? answerFile(file, asked) : answers.error(404);
  };
}

/** A path inside of a view: the segment of a value, if it has any, and the number of a page, if it is by path. */
const IN_VIEW = /^(?:([^/]+)\/)?(?:pages\/([^/]*)\.json)?$/;

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
