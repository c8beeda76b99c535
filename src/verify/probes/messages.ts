/** Probes of requests in an unusual form, which are sent letter by letter. */
import { headerOf } from "../../remote/exchange.js";
import { isJson, isNotAllowed } from "./methods.js";
import { ALLOWED, bare, hasHeader, isPage, type Probe, type ProbedSite, tagOf } from "./probe.js";

const CLOSE = "Connection: close";

/** A method in a form of its own, which must be refused. */
function refused(name: string, rule: string, first: (target: string, site: ProbedSite) => string): Probe {
  const lines: Probe["lines"] = (target, host, site) => [first(target, site), `Host: ${host}`, CLOSE];
  return { name, rule, lines, judge: isNotAllowed, shown: ["Allow"] };
}

export const MESSAGES: readonly Probe[] = [
  refused("method-case", "get is not GET: 405, with Allow", (target) => `get ${target} HTTP/1.1`),
  refused("length-required", "a POST without a length is 405, too", (target) => `POST ${target} HTTP/1.1`),
  refused("connect", "CONNECT is 405, with Allow", (_target, site) => `CONNECT ${authorityOf(site)} HTTP/1.1`),
  {
    name: "options-of-server",
    rule: "OPTIONS * has Allow",
    lines: (_target, host) => ["OPTIONS * HTTP/1.1", `Host: ${host}`, CLOSE],
    judge: (answer) => hasHeader(answer, "Allow", ALLOWED),
    shown: ["Allow"],
  },
  {
    name: "http-1.0",
    rule: "HTTP/1.0 is answered with the page, by HTTP/1.1",
    lines: (target, host) => [`GET ${target} HTTP/1.0`, `Host: ${host}`, CLOSE],
    judge: (answer, site) => answer.version === "HTTP/1.1" && isPage(answer, site, 1),
  },
  {
    name: "repeated-condition",
    rule: "the tag in a second line of If-None-Match: 304",
    lines: (target, host, site) => {
      const conditions = ['"x"', tagOf(site)].map((tag) => `If-None-Match: ${tag}`);
      return [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...conditions, CLOSE];
    },
    skipped: (site) => tagOf(site) === "" && "page 1 has no ETag",
    judge: ({ status }) => status === 304,
  },
  {
    name: "malformed",
    rule: "what is no HTTP is an error like every other",
    lines: (target) => [`GET ${target} HTTP/1.1`, CLOSE],
    judge: (answer) => answer.status >= 400 && isJson(answer) && hasHeader(answer, "Allow", ALLOWED),
    shown: ["Content-Type", "Allow"],
  },
  {
    name: "head-of-errors",
    rule: "HEAD of an error or a redirect has the Content-Length that GET's body has",
    method: "HEAD",
    path: bare,
    async judge(answer, { client, first }) {
      const nothing = `${first.facts.baseUrl}${first.facts.path}nothing`;
      const [redirect, error, errorHead] = [
        await client.request(answer.url),
        await client.request(nothing),
        await client.request(nothing, { method: "HEAD" }),
      ];
      const [length, errorLength] = [answer, errorHead].map((head) => headerOf(head, "Content-Length"));
      return length === `${redirect.body.length}` && errorLength === `${error.body.length}`;
    },
    shown: ["Content-Length"],
  },
];

/** The host with its port, which CONNECT needs where URLs do without. */
function authorityOf({ first }: ProbedSite): string {
  const { protocol, hostname, port } = new URL(first.facts.baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
