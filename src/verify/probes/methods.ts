/** Probes of methods, and of what every error says. */
import { CONTENT_TYPE, INVALID_PAGE } from "../../contract/headers.js";
import { parseJson } from "../../contract/json.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { hasHeadersOfPage } from "../site/headers.js";
import { ALLOWED, hasHeader, listing, type Probe, varyOf } from "./probe.js";

export const METHODS: readonly Probe[] = [
  {
    ...{ name: "head", rule: "HEAD has GET's status and headers", method: "HEAD" },
    judge: (answer, site) => answer.status === 200 && hasHeadersOfPage(answer, site),
    shown: ["Content-Type", "ETag"],
  },
  {
    ...{ name: "head-length", rule: "HEAD has the Content-Length that GET's body has", method: "HEAD" },
    judge: (answer, { first }) => hasHeader(answer, "Content-Length", `${first.answer.body.length}`),
    shown: ["Content-Length"],
  },
  {
    ...{ name: "options", rule: "OPTIONS is 204, no body, with Allow", method: "OPTIONS" },
    judge: (answer) => answer.status === 204 && answer.body.length === 0 && hasHeader(answer, "Allow", ALLOWED),
    shown: ["Allow"],
  },
  {
    ...{ name: "preflight", rule: "OPTIONS lets a browser's preflight pass", method: "OPTIONS" },
    headers: () => ({
      Origin: "https://example.org",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "if-none-match",
    }),
    judge(answer) {
      const allows = (name: string, value: string) => {
        const listed = (headerOf(answer, name) ?? "").toLowerCase().split(/\s*,\s*/);
        return listed.includes(value) || listed.includes("*");
      };
      const allowsRequest =
        allows("Access-Control-Allow-Methods", "get") && allows("Access-Control-Allow-Headers", "if-none-match");
      return allowsRequest && hasHeader(answer, "Access-Control-Allow-Origin", "*");
    },
    shown: ["Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"],
  },
  {
    ...{ name: "post", rule: "any other method is 405, with Allow", method: "POST" },
    judge: (answer) => answer.status === 405 && hasHeader(answer, "Allow", ALLOWED),
    shown: ["Allow"],
  },
  {
    ...{ name: "method-detail", rule: '405 says {"detail":"Method not allowed."}', method: "POST" },
    judge: (answer) => (answer.status === 405 ? detailOf(answer) === "Method not allowed." : "the answer is no 405"),
  },
];

const NO_ERROR = "the answer is no error";

/** An error that every host gives, judged in one respect. */
function error(name: string, rule: string, judge: NonNullable<Probe["judge"]>, ...shown: string[]): Probe {
  return {
    name,
    rule,
    path: ({ first }) => `${first.facts.path}${first.facts.links === "query" ? "?format=api&page=0" : "pages/0.json"}`,
    // That a host answers with a page here is the finding of another row.
    judge: (answer, site) => (answer.status < 400 ? NO_ERROR : judge(answer, site)),
    ...(shown.length > 0 && { shown }),
  };
}

function errorHeaders(name: string, headers: Readonly<Record<string, string>>): Probe {
  const pairs = Object.entries(headers);
  const rule = `every error has ${pairs.map((pair) => pair.join(": ")).join(" and ")}`;
  return error(name, rule, (answer) => pairs.every((pair) => hasHeader(answer, ...pair)), ...Object.keys(headers));
}

export const ERRORS: readonly Probe[] = [
  error("invalid-page", '404 says {"detail":"Invalid page."}', (answer) => detailOf(answer) === INVALID_PAGE),
  error("error-type", "every error is JSON", isJson, "Content-Type"),
  errorHeaders("error-caching", { "Cache-Control": "no-store" }),
  error("error-vary", "every error has Vary", (answer, site) => hasHeader(answer, "Vary", ...varyOf(site)), "Vary"),
  errorHeaders("error-browsers", { "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff" }),
  {
    ...{ name: "error-detail", rule: 'every error is {"detail": "..."}', path: listing("nothing") },
    judge: (answer) => (answer.status < 400 ? NO_ERROR : detailOf(answer) !== undefined && isJson(answer)),
  },
];

function isJson(answer: RemoteResponse): boolean {
  return hasHeader(answer, "Content-Type", CONTENT_TYPE);
}

/** The detail of an error's body; undefined when it is not of that form. */
function detailOf({ body }: RemoteResponse): string | undefined {
  const read = parseJson(body.toString("utf8"));
  if ("why" in read) return undefined;
  const { detail, ...others } = Object(read.value);
  return typeof detail === "string" && Object.keys(others).length === 0 ? detail : undefined;
}
