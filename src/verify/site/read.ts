/** Reads a host's pages from one snapshot: where it changes under way, everything is begun anew. */
import type { Release } from "../../release/open.js";
import { type Client, CONCURRENCY } from "../../remote/client.js";
import { readFirst } from "../../remote/first.js";
import { Findings } from "../findings.js";
import type { ProbedSite } from "../probes/probe.js";
import { compareWith } from "./compare.js";
import { walkPages } from "./walk.js";

export interface ReadOptions {
  /** Normalised. */
  baseUrl: string;
  sample?: number | undefined;
  against?: Release | undefined;
  known?: readonly Release[] | undefined;
  cacheControl?: string | undefined;
  concurrency?: number | undefined;
  onProgress?: ((done: { users: number; total: number }) => void) | undefined;
}

export interface ReadPages {
  site: ProbedSite;
  findings: Findings;
  /** How many pages were read, and how many there are. */
  read: number;
  total: number;
  /** What differences from the release come to. */
  note: string | undefined;
}

/** How often a host that changes is begun anew. */
const RESTARTS = 3;

/** @throws UserError when the host cannot be reached, or page 1 is none. */
export async function readPages(client: Client, options: ReadOptions): Promise<ReadPages> {
  const { baseUrl, sample, against: release, known = [], cacheControl, concurrency = CONCURRENCY } = options;
  for (let restarts = 0; ; restarts++) {
    const first = await readFirst(client, baseUrl, {});
    const site: ProbedSite = { client, first, release, cacheControl };
    const { facts } = first;
    const findings = new Findings();
    const comparison = release && compareWith(release, known, findings);
    const planned = Math.min(Math.max(1, sample ?? facts.pages), facts.pages);
    const { onProgress = () => {} } = options;
    const {
      pages: read,
      users,
      hasChanged,
    } = await walkPages(site, findings, {
      pages: choosePages(facts.pages, planned),
      planned,
      concurrency,
      comparison,
      onProgress,
    });
    if (hasChanged && restarts < RESTARTS) continue;
    const page1 = { page: 1, url: first.answer.url };
    if (hasChanged) {
      const found = `another one each of ${RESTARTS + 1} times that its pages were read`;
      findings.add({ check: "one-snapshot", ...page1, found, expected: "one that stays" });
    }
    if (facts.linkBase !== undefined && facts.linkBase !== baseUrl)
      findings.add({
        check: "base-url",
        ...page1,
        found: `links to ${facts.linkBase}`,
        expected: baseUrl,
      });
    if (planned === facts.pages && users !== facts.count && findings.of("pages").count === 0)
      findings.add({ check: "count", found: `${users} users on all pages`, expected: `${facts.count}` });
    return { site, findings, read, total: facts.pages, note: comparison?.note(facts) };
  }
}

/** All pages, or some of them, spread evenly from the first to the last: one by one, since a host says how many. */
function* choosePages(pages: number, some: number): Generator<number, void> {
  const gap = some === 1 ? 0 : (pages - 1) / (some - 1);
  for (let at = 0; at < some; at++) yield 1 + Math.round(at * gap);
}
