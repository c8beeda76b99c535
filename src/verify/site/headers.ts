/** The headers that every page must have, a row each. */
import { CONTENT_TYPE } from "../../contract/headers.js";
import { sha256 } from "../../release/files.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { hasHeader, type ProbedSite, varyOf } from "../probes/probe.js";

interface HeaderRow {
  name: string;
  rule: string;
  header: string;
  /** What the header must be; undefined when it is that. */
  whyNot(answer: RemoteResponse, site: ProbedSite): string | undefined;
}

function exactly(name: string, header: string, value: string): HeaderRow {
  const whyNot = (answer: RemoteResponse) => (hasHeader(answer, header, value) ? undefined : value);
  return { name, rule: `every page has ${header}: ${value}`, header, whyNot };
}

export const HEADERS: readonly HeaderRow[] = [
  exactly("content-type", "Content-Type", CONTENT_TYPE),
  exactly("allow", "Allow", "GET, HEAD, OPTIONS"),
  {
    name: "vary",
    rule: "every page has Vary: Accept, or Accept, Accept-Encoding where pages are compressed, in one line",
    header: "Vary",
    whyNot(answer, site) {
      const expected = varyOf(site);
      return hasHeader(answer, "Vary", ...expected) ? undefined : expected.join(", or ");
    },
  },
  {
    name: "cache-control",
    rule: "every page has the same Cache-Control, which lets it be cached",
    header: "Cache-Control",
    whyNot(answer, { cacheControl, first }) {
      const said = headerOf(first.answer, "Cache-Control");
      const expected = cacheControl ?? (said !== undefined && !/no-store/i.test(said) ? said : "public, max-age=60");
      return hasHeader(answer, "Cache-Control", expected) ? undefined : expected;
    },
  },
  exactly("browsers", "Access-Control-Allow-Origin", "*"),
  exactly("nosniff", "X-Content-Type-Options", "nosniff"),
  {
    name: "etag",
    rule: "every page has a strong ETag made of its SHA-256: equal bytes have equal tags",
    header: "ETag",
    whyNot(answer) {
      const digest = sha256(answer.body);
      const [, tag] = /^"([0-9a-f]{16,64})"$/.exec(headerOf(answer, "ETag") ?? "") ?? [];
      return tag !== undefined && digest.startsWith(tag) ? undefined : `"${digest}"`;
    },
  },
  {
    name: "plain",
    rule: "a request without codings is answered with the plain page",
    header: "Content-Encoding",
    whyNot: (answer) => (headerOf(answer, "Content-Encoding") === undefined ? undefined : "none"),
  },
  {
    name: "snapshot-id",
    rule: "every page has Snapshot-Id, which browsers may read",
    header: "Snapshot-Id",
    whyNot(answer) {
      const exposed = headerOf(answer, "Access-Control-Expose-Headers") ?? "";
      const isExposed = /(^|[\s,])(snapshot-id|\*)($|[\s,])/i.test(exposed);
      const id = headerOf(answer, "Snapshot-Id");
      if (id !== undefined && isExposed) return undefined;
      return id === undefined ? "one" : "also Access-Control-Expose-Headers that names it";
    },
  },
];

/**
 * Whether an answer has the same headers as page 1.
 * @param but headers that are not compared; nor are those that are wrong on page 1, which have rows of their own.
 */
export function hasHeadersOfPage(answer: RemoteResponse, site: ProbedSite, ...but: string[]): boolean {
  const { answer: page } = site.first;
  return HEADERS.every(({ header, whyNot }) => {
    const isCompared = !but.includes(header) && whyNot(page, site) === undefined;
    return !isCompared || headerOf(answer, header) === headerOf(page, header);
  });
}
