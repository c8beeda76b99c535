/** Probes of the page for people, which browsers ask for by the base URL alone. */

import { canParse } from "../../contract/links.js";
import { sha256 } from "../../release/files.js";
import { EXPLORER, fileHeaders } from "../../release/layout.js";
import { headerOf } from "../../remote/exchange.js";
import { hasHeader, type Probe, type ProbedSite } from "./probe.js";

const { "Content-Type": TYPE, "Cache-Control": CACHING, ...OWN } = fileHeaders(EXPLORER, "");

function digestOf({ release }: ProbedSite): string | undefined {
  return release?.sums.others.get(EXPLORER);
}

function skipped(site: ProbedSite): string | false {
  return digestOf(site) === undefined && `no release with ${EXPLORER} is known`;
}

export const EXPLORERS: readonly Probe[] = [
  {
    ...{ name: "explorer-page", rule: `the base URL with a slash is ${EXPLORER}, where the release has one`, skipped },
    path: () => "/",
    judge: (answer, site) =>
      answer.status === 200 &&
      sha256(answer.body) === digestOf(site) &&
      hasHeader(answer, "Content-Type", TYPE) &&
      hasHeader(answer, "Cache-Control", CACHING),
    shown: ["Content-Type", "Cache-Control"],
  },
  {
    ...{ name: "explorer-slash", rule: "without that slash, 301 to it: what the page names is relative" },
    path: () => "",
    skipped: (site) =>
      skipped(site) ||
      (new URL(site.first.facts.baseUrl).pathname === "/" && "a base URL without a path has its slash"),
    judge(answer, { first: { facts } }) {
      const to = headerOf(answer, "Location") ?? "";
      return answer.status === 301 && canParse(to, answer.url) && new URL(to, answer.url).href === `${facts.baseUrl}/`;
    },
  },
  {
    ...{ name: "explorer-headers", rule: `${EXPLORER} is not shown within other sites, nor listed by search engines` },
    path: () => `/${EXPLORER}`,
    skipped,
    judge: (answer) => Object.entries(OWN).every(([name, value]) => hasHeader(answer, name, value)),
    shown: Object.keys(OWN),
  },
];
