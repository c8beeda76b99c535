/** Probes of what caches rely on: conditional requests, tags, and the compressed variants of a page. */
import type { Encoding } from "../../contract/headers.js";
import { decodeBody, headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { hasHeadersOfPage } from "../site/headers.js";
import { hasHeader, type Probe, type ProbedSite, pagePathOf } from "./probe.js";

const pageOne = (site: ProbedSite) => pagePathOf(site, 1);
const tagOf = ({ first }: ProbedSite) => headerOf(first.answer, "ETag") ?? "";

/** A conditional request of page 1, which has `tag` already; without `status`, only the body is counted. */
function conditional(name: string, rule: string, tag: (site: ProbedSite) => string, status?: number): Probe {
  return {
    name,
    rule,
    path: pageOne,
    headers: (site) => ({ "If-None-Match": tag(site) }),
    skipped: (site) => tagOf(site) === "" && "page 1 has no ETag",
    ...(status !== undefined && { judge: (answer: RemoteResponse) => answer.status === status }),
  };
}

export const CACHING: readonly Probe[] = [
  conditional("not-modified", "If-None-Match with the page's ETag: 304", tagOf, 304),
  {
    ...conditional("not-modified-headers", "304 has the headers that 200 would have", tagOf),
    judge(answer, site) {
      // What describes a body may be left out where there is none (RFC 9110, 15.4.5).
      const left = headerOf(answer, "Content-Type") === undefined ? ["Content-Type"] : [];
      return answer.status === 304 ? hasHeadersOfPage(answer, site, ...left) : "the answer is no 304";
    },
    shown: ["ETag", "Cache-Control", "Vary"],
  },
  conditional("not-modified-body", "304 has no body", tagOf),
  conditional("not-modified-weak", "tags are compared weakly: 304", (site) => `W/${tagOf(site)}`, 304),
  conditional("not-modified-list", "a list with the tag in it: 304", (site) => `"x", ${tagOf(site)}`, 304),
  conditional("not-modified-any", "If-None-Match: * is 304", () => "*", 304),
  conditional("modified", "another tag: 200", () => `"${"0".repeat(64)}"`, 200),
  ...(["br", "gzip"] as const).flatMap(encoded),
  {
    name: "encoding-order",
    rule: "of two stored codings, the preferred one",
    path: pageOne,
    headers: () => ({ "Accept-Encoding": "br;q=0.1, gzip" }),
    skipped: ({ release }) => release?.snapshot.encodings.length !== 2 && "no release with two codings is known",
    judge: (answer) => answer.status === 200 && headerOf(answer, "Content-Encoding") === "gzip",
    shown: ["Content-Encoding"],
  },
  {
    name: "refused-coding",
    rule: "a coding that is refused is not used",
    path: pageOne,
    headers: () => ({ "Accept-Encoding": "gzip;q=0, br;q=0" }),
    judge: (answer, { first }) => answer.status === 200 && answer.body.equals(first.bytes),
    shown: ["Content-Encoding"],
  },
];

/** Probes of page 1 in one coding. A host without compressed pages may answer plain, unless its release has them. */
function encoded(coding: Encoding): Probe[] {
  const request = { path: pageOne, headers: () => ({ "Accept-Encoding": coding }) };
  const isEncoded = (answer: RemoteResponse) => headerOf(answer, "Content-Encoding") === coding;
  const notEncoded = `the answer is not in ${coding}`;
  return [
    {
      ...request,
      name: coding,
      rule: `Accept-Encoding: ${coding} is answered with the page, in ${coding} where the release has it`,
      async judge(answer, { first, release }) {
        if (answer.status !== 200 || !(await decodeBody(answer)).equals(first.bytes)) return false;
        return isEncoded(answer) || !release?.snapshot.encodings.includes(coding);
      },
      shown: ["Content-Encoding"],
    },
    {
      ...request,
      name: `${coding}-tag`,
      rule: "each coding has a strong ETag of its own",
      judge(answer, site) {
        const tag = headerOf(answer, "ETag") ?? "";
        return isEncoded(answer) ? /^"[^"]+"$/.test(tag) && tag !== tagOf(site) : notEncoded;
      },
      shown: ["Content-Encoding", "ETag"],
    },
    {
      ...request,
      name: `${coding}-vary`,
      rule: "a coded answer has Vary: Accept, Accept-Encoding, in one line",
      judge: (answer) => (isEncoded(answer) ? hasHeader(answer, "Vary", "Accept, Accept-Encoding") : notEncoded),
      shown: ["Content-Encoding", "Vary"],
    },
  ];
}
