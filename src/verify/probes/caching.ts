/** Probes of what caches rely on: conditional requests, and which coding is chosen. */
import { headerOf } from "../../remote/exchange.js";
import { hasHeadersOfPage } from "../site/headers.js";
import { type Probe, type ProbedSite, tagOf } from "./probe.js";

/** A conditional request of page 1, with a tag. */
function conditional(name: string, rule: string, tag: (site: ProbedSite) => string, status: number): Probe {
  return {
    name,
    rule,
    headers: (site) => ({ "If-None-Match": tag(site) }),
    skipped: (site) => tagOf(site) === "" && "page 1 has no ETag",
    judge: (answer) => answer.status === status,
  };
}

export const CACHING: readonly Probe[] = [
  conditional("not-modified", "If-None-Match with the page's ETag: 304", tagOf, 304),
  {
    ...conditional("not-modified-headers", "304 has the headers that 200 would have", tagOf, 304),
    judge(answer, site) {
      // What describes a body may be left out where there is none (RFC 9110, 15.4.5).
      const left = headerOf(answer, "Content-Type") === undefined ? ["Content-Type"] : [];
      return answer.status === 304 ? hasHeadersOfPage(answer, site, ...left) : "the answer is no 304";
    },
    shown: ["ETag", "Cache-Control", "Vary"],
  },
  conditional("not-modified-weak", "tags are compared weakly: 304", (site) => `W/${tagOf(site)}`, 304),
  conditional("not-modified-list", "a list with the tag in it: 304", (site) => `"x", ${tagOf(site)}`, 304),
  conditional("modified", "another tag: 200", () => `"${"0".repeat(64)}"`, 200),
  {
    name: "encoding-order",
    rule: "of two stored codings, the preferred one",
    headers: () => ({ "Accept-Encoding": "br;q=0.1, gzip" }),
    skipped: ({ release }) => release?.snapshot.encodings.length !== 2 && "no release with two codings is known",
    judge: (answer) => answer.status === 200 && headerOf(answer, "Content-Encoding") === "gzip",
    shown: ["Content-Encoding"],
  },
  {
    name: "refused-coding",
    rule: "a coding that is refused is not used",
    headers: () => ({ "Accept-Encoding": "gzip;q=0, br;q=0" }),
    judge: (answer, { first }) => answer.status === 200 && answer.body.equals(first.bytes),
    shown: ["Content-Encoding"],
  },
];
