/** Reads a host from one snapshot: its files, and its pages, all or some, in every way that it offers. */
import { SnapshotChangedError } from "../../client/errors.js";
import { createWalk } from "../../client/walk.js";
import { LINK_STYLES, type LinkStyle, pageUrl } from "../../contract/links.js";
import { SIGNATURE, SNAPSHOT, SUMS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { type Client, CONCURRENCY } from "../../remote/client.js";
import { TransferError } from "../../remote/transfer.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { isPage, type ProbedSite } from "../probes/probe.js";
import { checkSigned, type Demand } from "../signature.js";
import { Attempt } from "./attempt.js";
import { PartsOfSite } from "./bulk.js";
import { StepsOfSite } from "./changes.js";
import { compareWith } from "./compare.js";
import { askFiles } from "./files.js";
import { type FirstPage, readListing } from "./listing.js";
import { LookupOfSite } from "./lookup.js";
import { OwnFiles } from "./own.js";
import { PROBES } from "./rows.js";
import { MOST_READINGS, SiteVisitor } from "./visitor.js";
import { Ways } from "./ways.js";

export interface VerifySiteOptions
  extends Pick<VerifyOptions, "sample" | "concurrency" | "rate" | "cacheControl">,
    Omit<VerifyEffects, "cwd"> {
  baseUrl: string;
  /** Checks that may differ -> why, where that is known. */
  allowed?: ReadonlyMap<string, string | undefined> | undefined;
  /** The release that the host should serve. */
  against?: Release | undefined;
  /** Why there is none. */
  whyNotAgainst?: string | undefined;
  /** Other releases, which a host may still serve. */
  known?: readonly Release[] | undefined;
  /** For one request and its answer, in milliseconds. */
  timeoutMs?: number;
  /** What the signature must be, where one is demanded. */
  demand?: Demand | undefined;
}

export type SiteReading = Awaited<ReturnType<typeof readSite>>;

/**
 * Reads it by the walk that readers have: several pages at once, all of one snapshot, and again where it moves.
 * @param scratch a folder for what has to be kept until the end.
 * @throws UserError when the host cannot be reached, or page 1 is none; TransferError when it fails again and again.
 */
export async function readSite(client: Client, options: VerifySiteOptions, scratch: string) {
  const { baseUrl } = options;
  let visitor: SiteVisitor | undefined;
  const find = async () => {
    await visitor?.close();
    visitor = await startVisitor(client, await readListing(client, baseUrl), options, scratch);
    return visitor;
  };
  const source = async (found: SiteVisitor) => found;
  const walk = createWalk({ url: baseUrl, most: MOST_READINGS - 1, find, source }, { restart: true });
  try {
    const hasMoved = await walk.next().then(() => false, whetherMoved);
    if (!visitor) throw new Error("The walk has begun nowhere");
    await visitor.finish(hasMoved);
    const { attempt, visited, options: about } = visitor;
    const { site, findings } = attempt;
    const { facts } = site.first;
    const codings = ["identity", ...about.ways.codings] as const;
    const asked = { pages: visited, of: facts.pages, codings, links: about.links, files: about.files };
    return {
      site,
      findings,
      asked,
      note: about.comparison.note(facts),
      whyNoRelease: about.whyNoRelease,
      signature: about.signature,
      lookup: about.lookup,
    };
  } finally {
    await visitor?.close();
  }
}

/** True when the listing has moved at every reading: then the last one is reported. @throws any other error. */
function whetherMoved(error: unknown): boolean {
  if (error instanceof SnapshotChangedError) return true;
  throw error;
}

async function startVisitor(client: Client, first: FirstPage, options: VerifySiteOptions, scratch: string) {
  const { baseUrl, against, known = [], cacheControl, sample, concurrency = CONCURRENCY, onProgress } = options;
  const own = new OwnFiles(client, first.facts, scratch);
  const found = against ?? (await own.release());
  const release = "whyNot" in found ? undefined : found;
  const site = { client, first, release, cacheControl };
  const attempt = new Attempt(site);
  const signed = await own.signed(options.demand !== undefined);
  const isSigned = against?.isSigned ?? signed.signature !== undefined;
  const signature = await checkSigned({ url: `${baseUrl}/${SIGNATURE}` }, signed, options.demand, attempt.findings);
  const files = await askFiles(attempt, concurrency, { against, known, isSigned, sumBytes: own.mostSumBytes });
  const parts = new PartsOfSite(attempt);
  await parts.read();
  const whyNoRelease = "whyNot" in found ? found.whyNot : undefined;
  if (whyNoRelease !== undefined && attempt.findings.of("files").count === 0) {
    const expected = `a ${SUMS} and a ${SNAPSHOT} that fit together`;
    attempt.findings.add({ check: "files", url: `${baseUrl}/${SUMS}`, found: whyNoRelease, expected });
  }
  const links = await findForms(site);
  const comparison = compareWith(release, known, attempt.findings);
  const ways = new Ways(attempt, comparison, links);
  const planned = Math.min(sample ?? first.facts.pages, first.facts.pages);
  const before = client.requests;
  const onPage = () => {
    const { requests } = client;
    const total = Math.max(requests, before + planned * (1 + ways.open) + PROBES.length);
    onProgress?.({ requests, total });
  };
  const steps = new StepsOfSite(attempt);
  const lookup = new LookupOfSite(attempt, planned < first.facts.pages);
  try {
    await steps.read();
    lookup.begin();
  } catch (error) {
    steps.close();
    lookup.close();
    throw error;
  }
  return new SiteVisitor(attempt, {
    ...{ comparison, parts, steps, lookup, ways, planned, concurrency, onPage },
    ...{ links, files, whyNoRelease, signature },
  });
}

/** The forms of URL that pages have, that of the listing's links first. Where links are by path, a host may map no query. */
async function findForms(site: ProbedSite): Promise<LinkStyle[]> {
  const { facts } = site.first;
  const { links, pages } = facts;
  const both = [links, ...LINK_STYLES.filter((form) => form !== links)];
  if (links === "query") return both;
  try {
    const answer = await site.client.request(pageUrl({ ...facts, links: "query" }, pages));
    return isPage(answer, site, pages) ? both : [links];
  } catch (error) {
    if (error instanceof TransferError) return [links];
    throw error;
  }
}
