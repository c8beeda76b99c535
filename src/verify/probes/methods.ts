/** Probes of methods, and of what every error says. */
import { INVALID_PAGE } from "../../contract/headers.js";
import { LISTING_PATH } from "../../contract/links.js";
import { headerOf } from "../../remote/exchange.js";
import { detailOf, hasHeader, isJson, varyOf } from "../judge.js";
import { hasHeadersOfPage } from "../site/headers.js";
import { listing, type Probe, type ProbedSite, pagePathOf, showHeaders } from "./probe.js";

const ALLOWED = "GET, HEAD, OPTIONS";
const pageOne = (site: ProbedSite) => pagePathOf(site, 1);

function notAllowed(method: string): Probe {
  return {
    name: method.toLowerCase(),
    rule: "any other method is 405, with Allow",
    method,
    path: pageOne,
    judge: (answer) => answer.status === 405 && hasHeader(answer, "Allow", ALLOWED),
    show: showHeaders("Allow"),
  };
}

/** The headers of a preflight that a browser must be allowed to send. */
const PREFLIGHT = () => ({
  Origin: "https://example.org",
  "Access-Control-Request-Method": "GET",
  "Access-Control-Request-Headers": "if-none-match",
});

const listed = (value = "") => value.toLowerCase().split(/\s*,\s*/);

export const METHODS: readonly Probe[] = [
  {
    name: "head",
    rule: "HEAD has GET's status and headers",
    method: "HEAD",
    path: pageOne,
    judge: (answer, site) => answer.status === 200 && hasHeadersOfPage(answer, site),
    show: showHeaders("Content-Type", "ETag"),
  },
  {
    name: "head-length",
    rule: "HEAD has the Content-Length that GET's body has",
    method: "HEAD",
    path: pageOne,
    judge: (answer, { first }) => hasHeader(answer, "Content-Length", `${first.answer.body.length}`),
    show: showHeaders("Content-Length"),
  },
  { name: "head-body", rule: "HEAD has no body", method: "HEAD", path: pageOne },
  {
    name: "head-error",
    rule: "HEAD has GET's status also where that is an error",
    method: "HEAD",
    path: listing("nothing"),
    judge: ({ status }) => status === 404,
  },
  {
    name: "options",
    rule: "OPTIONS is 204, no body, with Allow",
    method: "OPTIONS",
    path: pageOne,
    judge: (answer) => answer.status === 204 && answer.body.length === 0 && hasHeader(answer, "Allow", ALLOWED),
    show: showHeaders("Allow"),
  },
  {
    name: "preflight",
    rule: "OPTIONS lets a browser's preflight pass",
    method: "OPTIONS",
    path: pageOne,
    headers: PREFLIGHT,
    judge(answer) {
      const methods = listed(headerOf(answer, "Access-Control-Allow-Methods"));
      const fields = listed(headerOf(answer, "Access-Control-Allow-Headers"));
      const allows = (list: string[], ...names: string[]) => names.some((name) => list.includes(name));
      const isOpen = hasHeader(answer, "Access-Control-Allow-Origin", "*");
      return isOpen && allows(methods, "get", "*") && allows(fields, "if-none-match", "*");
    },
    show: showHeaders("Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"),
  },
  ...["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"].map(notAllowed),
  {
    name: "method-detail",
    rule: '405 says {"detail":"Method not allowed."}',
    method: "POST",
    path: pageOne,
    judge: (answer) => (answer.status === 405 ? detailOf(answer) === "Method not allowed." : "the answer is no 405"),
  },
];

type Judge = NonNullable<Probe["judge"]>;

const NO_ERROR = "the answer is no error";

/** An error that every host gives, judged in one respect. */
function error(name: string, rule: string, judge: Judge, ...shown: string[]): Probe {
  const path = listing("?format=api&page=0");
  // A host that answers a page here is told so by another row.
  const judged: Judge = (answer, site) => (answer.status < 400 ? NO_ERROR : judge(answer, site));
  return {
    name,
    rule,
    path: (site) => (site.first.facts.links === "query" ? path() : `${LISTING_PATH}pages/0.json`),
    judge: judged,
    ...(shown.length > 0 && { show: showHeaders(...shown) }),
  };
}

export const ERRORS: readonly Probe[] = [
  error("invalid-page", '404 says {"detail":"Invalid page."}', (answer) => detailOf(answer) === INVALID_PAGE),
  error("error-type", "every error is JSON", isJson, "Content-Type"),
  error(
    "error-caching",
    "every error has Cache-Control: no-store",
    (answer) => hasHeader(answer, "Cache-Control", "no-store"),
    "Cache-Control",
  ),
  error("error-allow", `every error has Allow: ${ALLOWED}`, (answer) => hasHeader(answer, "Allow", ALLOWED), "Allow"),
  error("error-vary", "every error has Vary", (answer, site) => hasHeader(answer, "Vary", ...varyOf(site)), "Vary"),
  error(
    "error-browsers",
    "every error has Access-Control-Allow-Origin: * and X-Content-Type-Options: nosniff",
    (answer) =>
      hasHeader(answer, "Access-Control-Allow-Origin", "*") && hasHeader(answer, "X-Content-Type-Options", "nosniff"),
    "Access-Control-Allow-Origin",
    "X-Content-Type-Options",
  ),
  {
    name: "error-detail",
    rule: 'every error is {"detail": "..."}',
    path: listing("nothing"),
    judge: (answer) => (answer.status < 400 ? NO_ERROR : detailOf(answer) !== undefined && isJson(answer)),
  },
];
