/** `rollcall verify` for the host of a site: verifies each listing, and the files at the top. */
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import { MOST_RESTARTS } from "../../client/walk.js";
import { parseBaseUrl } from "../../contract/base-url.js";
import type { SiteSnapshot } from "../../contract/snapshot.js";
import { UserError } from "../../errors.js";
import { PUBLISHED_FILES } from "../../hosts/hosts.js";
import { count } from "../../print/numbers.js";
import { listed } from "../../print/text.js";
import { SNAPSHOT, SUMS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { hashPlain } from "../../release/plain-files.js";
import { describeSite, parseSiteSnapshot, RECORDS_WORDS, type Site } from "../../release/site.js";
import { parseSnapshot } from "../../release/snapshot-file.js";
import { SIGNATURE_ROW, type SignatureResult } from "../signature.js";
import { type Asked, checkRow, Findings, type Verdict } from "../verdict.js";
import { type Answer, type Asker, createAsker } from "./ask.js";
import { type VerifyHostOptions, verifyHost } from "./host.js";
import { adviceFor, readSignature } from "./reading.js";
import { describeAnswer } from "./served-listing.js";

export interface VerifySiteOptions extends Omit<VerifyHostOptions, "against"> {
  /** The release that the host should serve. Without one, the host's own is downloaded. */
  against?: Site | undefined;
}

const SITE = {
  name: "site",
  rule: "the files at the top have the bytes of the release, and agree with the listings",
} as const;

/** Maximum bytes of a file at the top, and of a listing's SHA256SUMS, which is not kept. */
const MOST_BYTES = 2 ** 32;
/** Maximum number of lines of SHA256SUMS that are read: one for each of 100 listings, and others. */
const MOST_LINES = 1000;
/** Listings that a message names. */
const MOST_NAMED = 10;

/**
 * Verifies the host of a site, or of one listing.
 * @throws UserError if the release to compare with has other listings; as `verifyHost`
 */
export async function verifySiteHost(options: VerifySiteOptions): Promise<Verdict> {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const { against } = options;
  const asker = createAsker(options);
  try {
    let before = await readTop(asker, baseUrl);
    if (!before.snapshot && !isTopOf(before.answer, against))
      return (await verifyHost({ ...options, baseUrl, against: against && listingAt(against, baseUrl) })).verdict;
    if (against && !against.top)
      throw cannotCompare(baseUrl, siteOf(Object.keys(before.snapshot?.listings ?? {})), against);
    for (let restarts = 0; ; restarts++) {
      const seen = await verifyListings(asker, { ...options, baseUrl }, before);
      const after = await readTop(asker, baseUrl);
      const hasMoved = after.answer.digest !== before.answer.digest;
      if (hasMoved && restarts < MOST_RESTARTS) {
        before = after;
        continue;
      }
      if (hasMoved) {
        const found = `a different one each of the ${MOST_RESTARTS + 1} times that the listings were read`;
        seen.findings.add({ check: SITE.name, url: before.answer.url, found, expected: "the same in every answer" });
      }
      return toVerdict(baseUrl, seen);
    }
  } finally {
    asker.close();
  }
}

interface Top {
  answer: Answer;
  /** Undefined if it is not the snapshot.json of a site. */
  snapshot: SiteSnapshot | undefined;
}

async function readTop(asker: Asker, baseUrl: string): Promise<Top> {
  const answer = await asker.ask(`${baseUrl}/${SNAPSHOT}`);
  return { answer, snapshot: answer.status === 200 ? parseSiteSnapshot(String(answer.body)) : undefined };
}

/** Whether a base URL without the snapshot.json of a listing must be the site of this release. */
function isTopOf({ status, body, url }: Answer, against: Site | undefined): boolean {
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

interface Seen {
  findings: Findings;
  listings: Record<string, Verdict>;
  signature: SignatureResult;
}

/** Verifies the listings and the files at the top once. */
async function verifyListings(asker: Asker, options: VerifySiteOptions, { answer, snapshot }: Top): Promise<Seen> {
  const { baseUrl, against, trust } = options;
  const findings = new Findings();
  const note = (url: string, found: string, expected: string) =>
    findings.add({ check: SITE.name, url, found, expected });
  const names = against ? against.listings.map(({ name }) => name) : Object.keys(snapshot?.listings ?? {}).sort();
  const listings: Record<string, Verdict> = {};
  const served: Parameters<typeof describeSite>[1][number][] = [];
  for (const name of names) {
    const url = `${baseUrl}/${name}`;
    const own = await asker.ask(`${url}/${SNAPSHOT}`);
    const facts = own.status === 200 ? parseSnapshot(String(own.body)) : undefined;
    if (!facts) {
      note(own.url, describeAnswer(own), "the snapshot.json of a listing");
      continue;
    }
    const expectedRelease = against?.listings.find((listing) => listing.name === name)?.release;
    const { verdict, release } = await verifyHost({ ...options, baseUrl: url, against: expectedRelease });
    listings[name] = { ...verdict, subject: name };
    served.push({ name, ...release });
    const { count, id, pages, state, base_url, site } = facts;
    const expected = snapshot?.listings[name];
    if (snapshot && stringify({ count, id, pages, state }) !== stringify(expected ?? {}))
      note(own.url, `snapshot ${id}, ${state}`, `those facts that the site's ${SNAPSHOT} has: ${stringify(expected)}`);
    if (snapshot && (site !== snapshot.base_url || base_url !== `${snapshot.base_url}/${name}`))
      note(own.url, `the base URL ${base_url}`, `${snapshot.base_url}/${name}`);
  }
  if (!snapshot) {
    const found = describeAnswer(answer);
    if (Object.keys(listings).length === 0)
      throw new UserError(
        `${answer.url} answers ${found} instead of the snapshot.json of a site. ${adviceFor(answer, baseUrl)}`,
      );
    note(answer.url, found, "the snapshot.json of a site");
  } else {
    if (snapshot.base_url !== baseUrl) note(answer.url, `the base URL ${snapshot.base_url}`, baseUrl);
    const { id } = describeSite(snapshot.base_url, served).snapshot;
    // With a release to compare with, its SHA256SUMS covers the id.
    if (!against && served.length === names.length && snapshot.id !== id)
      note(answer.url, `id ${snapshot.id}`, `${id}, which its content gives`);
  }
  const sums = await asker.ask(`${baseUrl}/${SUMS}`);
  const digests = linesOf(sums);
  if (sums.status !== 200) note(sums.url, describeAnswer(sums), "200 with a file");
  else if (against && sums.digest !== hashPlain(join(against.folder, SUMS)))
    note(sums.url, `other bytes, ${sums.digest}`, `those of release ${against.id}`);
  for (const name of [SNAPSHOT, ...names.map((name) => `${name}/${SUMS}`)])
    if (!digests.has(name)) note(sums.url, `no line for ${name}`, "a line for each file");
  if (digests.size > MOST_LINES)
    note(sums.url, `more than ${MOST_LINES} lines`, "one for each listing, and a few more");
  for (const [path, digest] of [...digests].slice(0, MOST_LINES)) {
    if (PUBLISHED_FILES.has(path)) continue;
    const file = await asker.ask(`${baseUrl}/${path}`, { maxBytes: MOST_BYTES, take: () => {} });
    if (file.status !== 200) note(file.url, describeAnswer(file), "200 with a file");
    else if (file.digest !== digest) note(file.url, `other bytes, ${file.digest}`, digest);
  }
  const signature = await readSignature(asker, { id: against?.id ?? snapshot?.id, baseUrl }, trust, findings);
  return { findings, listings, signature };
}

/** The digests that SHA256SUMS at the top of a site lists, by path. */
function linesOf({ status, body }: Answer): ReadonlyMap<string, string> {
  const lines = status === 200 ? String(body).matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm) : [];
  return new Map([...lines].map(([, digest = "", path = ""]) => [path, digest]));
}

function toVerdict(subject: string, { findings, listings, signature }: Seen): Verdict {
  const rows = [
    checkRow(findings, SITE, count(Object.keys(listings).length, "listing")),
    checkRow(findings, SIGNATURE_ROW, signature.cell, signature),
  ];
  return {
    subject,
    words: RECORDS_WORDS,
    asked: sumOf(Object.values(listings).flatMap(({ asked = [] }) => asked)),
    rows,
    listings,
  };
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
