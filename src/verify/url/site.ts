/** `rollcall verify` for the host of a site: verifies each listing, and the files at the top. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseBaseUrl } from "../../core/contract/base-url.js";
import { DEFAULT_CACHE_CONTROL } from "../../core/contract/headers.js";
import { DEFAULT_PATH } from "../../core/contract/links.js";
import type { SiteSnapshot } from "../../core/contract/snapshot.js";
import { UserError } from "../../core/errors.js";
import { count } from "../../core/print/numbers.js";
import { listed } from "../../core/print/text.js";
import { SNAPSHOT, SUMS, unlistedFiles } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { hashPlain } from "../../core/release/plain-files.js";
import { inspectSite, parseSiteSnapshot, RECORDS_WORDS, type Site } from "../../core/release/site.js";
import { parseSnapshot } from "../../core/release/snapshot.js";
import { makeScratch, removeScratch } from "../../core/scratch/folder.js";
import { each } from "../../core/workers/at-most.js";
import { FILES_IN_RELEASE } from "../../host/hosts.js";
import type { Served } from "../../serve/answers.js";
import { SIGNATURE_ROW } from "../signature.js";
import { type Asked, checkRow, Findings, type Row, type Verdict } from "../verdict.js";
import { type Asker, createAsker, type HostAnswer } from "./ask.js";
import { adviceFor, fetchManifest } from "./download.js";
import { MOVING, readSettled, readSignature, type VerifyHostOptions, verifyHost } from "./listing.js";
import { createModel, describeAnswer, FILE_HEADER_ROWS } from "./model.js";
import { ONE_SNAPSHOT_ROW, PartReading } from "./part.js";
import { probe, TOP_HOME, TOP_PROBE_ROWS } from "./probes.js";

export interface VerifySiteOptions extends Omit<VerifyHostOptions, "against"> {
  /** The release that the host should serve. Without one, the host's own is downloaded. */
  against?: Site | undefined;
}

const SITE = {
  name: "site",
  rule: "the files at the top have the bytes of the release, and agree with the listings",
} as const;

/** The checks of each file at the top. */
const FILE_ROWS = [ONE_SNAPSHOT_ROW, ...FILE_HEADER_ROWS];
/** Maximum files at the top that are requested. A release has a few. */
const MOST_FILES = 1000;
/** Listings that a message names. */
const MOST_NAMED = 10;

/**
 * Verifies the host of a site, or of one listing.
 * @throws UserError if the release to compare with has other listings; as `verifyHost`
 */
export async function verifySiteHost(given: VerifySiteOptions): Promise<Verdict> {
  const options = { ...given, baseUrl: parseBaseUrl(given.baseUrl) };
  const { baseUrl, against } = options;
  const asker = createAsker(options);
  const scratch = await makeScratch("verify");
  const readTop = () => asker.ask(`${baseUrl}/${SNAPSHOT}`);
  try {
    const top = await readTop();
    const snapshot = siteIn(top);
    if (!snapshot && !isTopOf(top, against))
      return (await verifyHost({ ...options, against: against && listingAt(against, baseUrl) })).verdict;
    if (against && !against.top) throw cannotCompare(baseUrl, siteOf(Object.keys(snapshot?.listings ?? {})), against);
    let before = top;
    const { findings, hasMoved, ...verdict } = await readSettled(async () => {
      const findings = new Findings();
      const seen = await verifyListings(asker, options, before, mkdtempSync(join(scratch, "site-")), findings);
      const after = await readTop();
      const hasMoved = after.digest !== before.digest;
      before = after;
      return { ...seen, findings, hasMoved };
    });
    if (hasMoved) findings.add({ check: SITE.name, url: top.url, ...MOVING });
    const { listings, signature, top: checked } = verdict;
    const rows = [
      checkRow(findings, SITE, count(Object.keys(listings).length, "listing")),
      checkRow(findings, SIGNATURE_ROW, signature.cell, signature),
      ...checked,
    ];
    const sum = sumOf(Object.values(listings).flatMap(({ asked = [] }) => asked));
    const asked = { ...sum, requests: sum.requests + asker.requests };
    return { subject: baseUrl, words: RECORDS_WORDS, asked, rows, listings };
  } finally {
    asker.close();
    removeScratch(scratch);
  }
}

/** The snapshot.json of a site; undefined if the response is something else. */
function siteIn({ status, body }: HostAnswer): SiteSnapshot | undefined {
  return status === 200 ? parseSiteSnapshot(String(body)) : undefined;
}

/** Whether a base URL without the snapshot.json of a listing must be the site of this release. */
function isTopOf({ status, body, url }: HostAnswer, against: Site | undefined): boolean {
  const isListing = status === 200 && parseSnapshot(String(body)) !== undefined;
  return against?.top !== undefined && !isListing && nameAt(against, url.slice(0, -SNAPSHOT.length - 1)) === undefined;
}

/** The name of the listing that a base URL ends with: the longest, since `orders` and `v1/orders` may both be listings. */
function nameAt({ listings }: Site, baseUrl: string): string | undefined {
  const names = listings.map(({ name }) => name).filter((name) => baseUrl.endsWith(`/${name}`));
  return names.sort((one, other) => other.length - one.length)[0];
}

/** The listing of a release that a base URL should serve. @throws UserError if the release has none that fits */
function listingAt(against: Site, baseUrl: string): Release {
  const name = against.top ? nameAt(against, baseUrl) : "";
  const found = against.listings.find((listing) => listing.name === name);
  if (found) return found.release;
  throw cannotCompare(baseUrl, "one listing", against);
}

/** The error for a host and a release of which one is a site, and the other one is a listing that is not in it. */
function cannotCompare(baseUrl: string, served: string, { id, top }: Site): UserError {
  const expected = top ? siteOf(Object.keys(top.snapshot.listings)) : "one listing";
  return new UserError(
    `${baseUrl} is ${served}, and release ${id} is ${expected}. Verify the base URL of a listing that the release has, or compare with the host's own release: --against none.`,
  );
}

function siteOf(names: readonly string[]): string {
  return `a site of ${listed(names, MOST_NAMED)}`;
}

/** Verifies the listings and the files at the top once. The host's files that describe them are compared as those on a disk are. */
async function verifyListings(
  asker: Asker,
  options: VerifySiteOptions,
  top: HostAnswer,
  folder: string,
  findings: Findings,
) {
  const { baseUrl, against, trust } = options;
  const snapshot = siteIn(top);
  const note = (path: string, found: string, expected: string) =>
    findings.add({ check: SITE.name, url: `${baseUrl}/${path}`, found, expected });
  const names = against ? against.listings.map(({ name }) => name) : Object.keys(snapshot?.listings ?? {}).sort();
  const listings: Record<string, Verdict> = {};
  await fetchManifest(asker, baseUrl, folder, top);
  for (const name of names) {
    const url = `${baseUrl}/${name}`;
    const own = await asker.ask(`${url}/${SNAPSHOT}`);
    const facts = own.status === 200 ? parseSnapshot(String(own.body)) : undefined;
    await fetchManifest(asker, url, join(folder, name), own, facts?.pages);
    if (!facts) {
      note(`${name}/${SNAPSHOT}`, describeAnswer(own), "the snapshot.json of a listing");
      continue;
    }
    const release = against?.listings.find((listing) => listing.name === name)?.release;
    const { verdict } = await verifyHost({ ...options, baseUrl: url, against: release });
    listings[name] = { ...verdict, subject: name };
  }
  let own: Site | undefined;
  if (snapshot) {
    const { site, problems } = await inspectSite(folder);
    own = site;
    for (const { check, path, found, expected } of problems)
      if (check === SITE.name && found !== "no release") note(path, found, expected);
    if (snapshot.base_url !== baseUrl) note(SNAPSHOT, `the base URL ${snapshot.base_url}`, baseUrl);
  } else if (Object.keys(listings).length > 0) note(SNAPSHOT, describeAnswer(top), "the snapshot.json of a site");
  else
    throw new UserError(
      `${top.url} answers ${describeAnswer(top)} instead of the snapshot.json of a site. ${adviceFor(top, baseUrl)}`,
    );
  const signature = await readSignature(asker, { id: against?.id ?? snapshot?.id, baseUrl }, trust, findings);
  return { listings, signature, top: await verifyTop(asker, options, against ?? own, top, findings) };
}

/**
 * Verifies the files at the top as those of a listing are. Without a site to compare with, those that SHA256SUMS lists.
 * @param site what the host should serve; undefined if the host's own cannot be opened
 */
async function verifyTop(
  asker: Asker,
  { baseUrl, cacheControl = DEFAULT_CACHE_CONTROL, concurrency, onProgress }: VerifySiteOptions,
  site: Site | undefined,
  first: HostAnswer,
  findings: Findings,
): Promise<Row[]> {
  const skip = (rows: readonly Pick<Row, "name" | "rule">[], skipped: string) =>
    rows.map((row) => checkRow(findings, row, "", { skipped }));
  if (!site?.top) return skip([...FILE_ROWS, ...TOP_PROBE_ROWS], "the host's own site cannot be opened");
  const { folder, id, listings, top } = site;
  const served: Served = { ...top, folder, baseUrl, id, encodings: [] };
  const expected = createModel(served, cacheControl);
  const place = { path: DEFAULT_PATH, links: "path", pages: 0, home: TOP_HOME } as const;
  const part = new PartReading({ ...served, ...place, asker, first, expected }, findings);
  const isOfListing = (path: string) => listings.some(({ name }) => path.startsWith(`${name}/`));
  const listed = [...top.sums.others].filter(([path]) => !isOfListing(path) && !FILES_IN_RELEASE.has(path));
  if (listed.length > MOST_FILES)
    findings.add({
      check: SITE.name,
      url: `${baseUrl}/${SUMS}`,
      found: count(listed.length, "file"),
      expected: `at most ${MOST_FILES} at the top`,
    });
  // SHA256SUMS cannot list itself.
  const unlisted = unlistedFiles(top).map((path) => [path, hashPlain(join(folder, path))] as const);
  const paths = [...unlisted, ...listed.slice(0, MOST_FILES)];
  await each(paths, concurrency, ([path, digest]) => part.readFile(SITE.name, path, digest));
  const rows = first.status === 200 ? [] : skip(TOP_PROBE_ROWS, `it has no ${SNAPSHOT}`);
  if (first.status === 200)
    for await (const row of probe(part.served, findings, (error) => part.fail(error))) {
      rows.push(row);
      onProgress?.({ requests: asker.requests, total: asker.requests + TOP_PROBE_ROWS.length - rows.length });
    }
  return [...FILE_ROWS.map((row) => checkRow(findings, row, count(paths.length, "file"))), ...rows];
}

function sumOf(all: readonly Asked[]): Asked {
  const sum = (of: (asked: Asked) => number) => all.reduce((total, asked) => total + of(asked), 0);
  return {
    pages: sum(({ pages }) => pages),
    of: sum(({ of }) => of),
    files: sum(({ files }) => files),
    requests: sum(({ requests }) => requests),
    codings: [...new Set(all.flatMap(({ codings }) => codings))],
    links: [...new Set(all.flatMap(({ links }) => links))],
  };
}
