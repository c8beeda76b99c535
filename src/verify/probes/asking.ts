/** Probes of how pages are requested: numbers that are none, parameters that do not count, the missing slash. */
import { basePath, canParse } from "../../contract/links.js";
import { headerOf } from "../../remote/exchange.js";
import { bare, isPage, listing, type Probe, type ProbedSite } from "./probe.js";

const onePage = ({ first }: ProbedSite) => first.facts.pages < 2 && "there is one page only";

/** A request that must be answered with one of the first two pages. */
function answersPage(name: string, rule: string, path: Probe["path"], page: 1 | 2, headers = {}): Probe {
  const skipped = page === 2 ? onePage : () => false as const;
  return { name, rule, path, skipped, headers: () => headers, judge: (answer, site) => isPage(answer, site, page) };
}

/** A request that must be answered with 404. What the body says is another row's. */
function notFound(name: string, rule: string, path: Probe["path"]): Probe {
  return { name, rule, path, judge: ({ status }) => status === 404 };
}

function isNoPage(name: string, value: string, what: string): Probe {
  return notFound(name, `${what} is no page: 404`, listing(`?format=api&page=${value}`));
}

export const ASKING: readonly Probe[] = [
  answersPage("no-page", "without a page, page 1", listing(), 1),
  answersPage("other-parameters", "other parameters are ignored", listing("?x=1&format=csv&page=2&page_size=1"), 2),
  answersPage("accept", "Accept is ignored: the answer is always JSON", listing("?format=api&page=1"), 1, {
    Accept: "text/html",
  }),
  isNoPage("page-0", "0", "0"),
  isNoPage("page-leading-zero", "01", "01"),
  isNoPage("page-word", "abc", "abc"),
  notFound("page-beyond", "a page beyond the last is no page: 404", ({ first }) => {
    return `${first.facts.path}?format=api&page=${first.facts.pages + 1}`;
  }),
  answersPage("page-path", "pages/N.json is page N", listing("pages/1.json"), 1),
  notFound("page-path-beyond", "a page beyond the last is no page: 404", ({ first }) => {
    return `${first.facts.path}pages/${first.facts.pages + 1}.json`;
  }),
  {
    name: "missing-slash",
    rule: "without its final slash, 301 to the listing",
    path: bare,
    judge: (answer, site) => answer.status === 301 && leadsTo(site, headerOf(answer, "Location")),
  },
  {
    name: "missing-slash-query",
    rule: "that redirect keeps the query",
    path: (site) => `${bare(site)}?format=api&page=2`,
    judge: (answer, site) => leadsTo(site, headerOf(answer, "Location"), "?format=api&page=2"),
  },
  notFound("other-path", "any other path is an error: 404", listing("nothing")),
  answersPage("range", "ranges are not offered: 200, the whole page", undefined, 1, { Range: "bytes=0-9" }),
];

/** Whether a redirect leads to the listing, by an absolute URL or not, and with this query. */
function leadsTo({ first: { facts } }: ProbedSite, location: string | undefined, query?: string): boolean {
  if (location === undefined || !canParse(location, facts.baseUrl)) return false;
  const target = new URL(location, facts.baseUrl);
  const isListing = target.pathname === `${basePath(facts.baseUrl)}${facts.path}`;
  const isHost = target.host === new URL(facts.baseUrl).host;
  return isListing && isHost && (query === undefined || target.search === query);
}
