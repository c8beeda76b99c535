/** Probes of what caches rely on: conditions, tags, and the coded variants of a page. */
import type { Encoding } from "../../contract/headers.js";
import { decodeBody, headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { hasHeader } from "../judge.js";
import { hasHeadersOfPage } from "../site/headers.js";
import { type Probe, type ProbedSite, pagePathOf, showHeaders } from "./probe.js";

const pageOne = (site: ProbedSite) => pagePathOf(site, 1);
const tagOf = ({ first }: ProbedSite) => headerOf(first.answer, "ETag") ?? "";
const withoutTag = (site: ProbedSite) => tagOf(site) === "" && "page 1 has no ETag";

/** A question on condition. */
function conditional(name: string, rule: string, status: number, given: (site: ProbedSite) => string): Probe {
  return {
    name,
    rule,
    path: pageOne,
    headers: (site) => ({ "If-None-Match": given(site) }),
    skipped: withoutTag,
    judge: (answer) => answer.status === status,
  };
}

export const CACHING: readonly Probe[] = [
  conditional("not-modified", "If-None-Match with the page's ETag: 304", 304, tagOf),
  {
    ...conditional("not-modified-headers", "304 has the headers that 200 would have", 304, tagOf),
    judge(answer, site) {
      // What describes a body may be left out where there is none (RFC 9110, 15.4.5).
      const left = headerOf(answer, "Content-Type") === undefined ? ["Content-Type"] : [];
      return answer.status === 304 ? hasHeadersOfPage(answer, site, ...left) : "the answer is no 304";
    },
    show: showHeaders("ETag", "Cache-Control", "Vary"),
  },
  {
    name: "not-modified-body",
    rule: "304 has no body",
    path: pageOne,
    headers: (site) => ({ "If-None-Match": tagOf(site) }),
    skipped: withoutTag,
  },
  conditional("not-modified-weak", "tags are compared weakly: 304", 304, (site) => `W/${tagOf(site)}`),
  conditional("not-modified-list", "a list with the tag in it: 304", 304, (site) => `"x", ${tagOf(site)}`),
  conditional("not-modified-any", "If-None-Match: * is 304", 304, () => "*"),
  conditional("modified", "another tag: 200", 200, () => `"${"0".repeat(64)}"`),
  ...(["br", "gzip"] as const).flatMap(coded),
  {
    name: "encoding-order",
    rule: "of two codings that are stored, the one that is wanted more",
    path: pageOne,
    headers: () => ({ "Accept-Encoding": "br;q=0.1, gzip" }),
    skipped: ({ release }) => release?.snapshot.encodings.length !== 2 && "no release with two codings is known",
    judge: (answer) => answer.status === 200 && headerOf(answer, "Content-Encoding") === "gzip",
    show: showHeaders("Content-Encoding"),
  },
  {
    name: "refused-coding",
    rule: "a coding that is refused is not used",
    path: pageOne,
    headers: () => ({ "Accept-Encoding": "gzip;q=0, br;q=0" }),
    judge: (answer, { first }) => answer.status === 200 && answer.body.equals(first.bytes),
    show: showHeaders("Content-Encoding"),
  },
];

/** Probes of page 1 in one coding. A host without compressed pages may answer plain, unless its release has them. */
function coded(coding: Encoding): Probe[] {
  const ask = { path: pageOne, headers: () => ({ "Accept-Encoding": coding }) };
  const isCoded = (answer: RemoteResponse) => headerOf(answer, "Content-Encoding") === coding;
  const ifCoded = (judge: NonNullable<Probe["judge"]>): NonNullable<Probe["judge"]> => {
    return (answer, site) => (isCoded(answer) ? judge(answer, site) : `the answer is not in ${coding}`);
  };
  return [
    {
      ...ask,
      name: coding,
      rule: `Accept-Encoding: ${coding} is answered with the page, in ${coding} where the release has it`,
      async judge(answer, { first, release }) {
        if (answer.status !== 200 || !(await decodeBody(answer)).equals(first.bytes)) return false;
        return isCoded(answer) || !release?.snapshot.encodings.includes(coding);
      },
      show: showHeaders("Content-Encoding"),
    },
    {
      ...ask,
      name: `${coding}-tag`,
      rule: "each coding has a strong ETag of its own",
      judge: ifCoded((answer, site) => {
        const tag = headerOf(answer, "ETag") ?? "";
        return /^"[^"]+"$/.test(tag) && tag !== tagOf(site);
      }),
      show: showHeaders("Content-Encoding", "ETag"),
    },
    {
      ...ask,
      name: `${coding}-vary`,
      rule: "a coded answer has Vary: Accept, Accept-Encoding, in one line",
      judge: ifCoded((answer) => hasHeader(answer, "Vary", "Accept, Accept-Encoding")),
      show: showHeaders("Content-Encoding", "Vary"),
    },
  ];
}
