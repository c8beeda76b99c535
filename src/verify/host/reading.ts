/** Reads a host once: its files and pages, in all forms of URL and codings. Adds a finding for everything that is wrong. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { etagOf } from "../../contract/headers.js";
import { LINK_STYLES, type LinkStyle, pageUrl, parsePageUrl } from "../../contract/links.js";
import { HostError, UserError } from "../../errors.js";
import { PUBLISHED_FILES } from "../../hosts/hosts.js";
import { number } from "../../print/numbers.js";
import { isPacked, isPublic, SIGNATURE, SUMS, unlistedFiles, type Variant } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { hashPlain } from "../../release/plain-files.js";
import { parseSnapshot } from "../../release/snapshot-file.js";
import type { Complete } from "../../settings/settings.js";
import { each } from "../../workers/at-most.js";
import type { VerifyOptions } from "../options.js";
import { checkSigned, type SignatureResult, type SignatureTrust, type Signed } from "../signature.js";
import type { Finding, Findings } from "../verdict.js";
import { type Answer, type Asker, NoAnswer } from "./ask.js";
import { type AnswerKind, HEADERS, hasDigestTag, hasStrongTag } from "./headers.js";
import {
  CODINGS,
  describeAnswer,
  hasHeader,
  mostBytes,
  pageIn,
  readPage,
  type ServedListing,
} from "./served-listing.js";

export interface ReadingOptions extends Pick<Complete<VerifyOptions>, "sample" | "concurrency" | "cacheControl"> {
  baseUrl: string;
  /** The required signature, if any. */
  trust?: SignatureTrust | undefined;
  /** Called with the number of requests sent, and an estimate of all. */
  onRequests(requests: number, total: number): void;
}

/** Maximum incomplete responses, after which verification gives up. */
export const MOST_FAILURES = 20;

/** The place of a finding about a request, and the check that fails without a response. */
type Place = Pick<Finding, "check" | "page"> & { url: string };
/** Another way to request pages: a form of URL and a coding. */
type Way = { links: LinkStyle; coding: Variant };

export type Reading = Awaited<ReturnType<typeof readHost>>;

/**
 * Reads a host, and compares it with a release.
 * @param before the host's snapshot.json before anything else was read
 * @throws UserError if the host cannot be reached, has no page 1, or fails repeatedly; HostError if no link works
 */
export async function readHost(
  asker: Asker,
  before: Answer,
  release: Release,
  options: ReadingOptions,
  findings: Findings,
) {
  const { baseUrl, trust, cacheControl } = options;
  const { path } = release.contract.listing;
  const { links, pages } = release.snapshot;
  const first = await readFirst(asker, baseUrl, path, links);
  const served: ServedListing = { asker, baseUrl, path, links, pages, release, cacheControl, first };
  const reading = new HostReading(served, options, findings);
  const linkBase = linkBaseOf(first, path);
  if (linkBase !== undefined && linkBase !== baseUrl)
    findings.add({ check: "base-url", page: 1, url: first.url, found: `links to ${linkBase}`, expected: baseUrl });
  const signed = { id: release.snapshot.id, baseUrl, maxBytes: mostBytes(served, SUMS) };
  const signature = await readSignature(asker, signed, trust, findings);
  const files = await reading.readFiles();
  await reading.readPages();
  const now = await asker.ask(before.url);
  const again = await asker.ask(first.url);
  const hasMoved = now.status !== before.status || now.digest !== before.digest || again.digest !== first.digest;
  return {
    served,
    signature,
    hasMoved,
    note: reading.describeDifferences(before.status === 200 ? parseSnapshot(String(before.body))?.id : undefined),
    asked: {
      pages: reading.visited,
      of: pages,
      files,
      links: reading.links,
      codings: ["identity", ...reading.codings] as const,
    },
  };
}

/** Requests page 1 by the release's form of URL. @throws UserError that describes the response if it is not a page; HostError if only the other form works */
async function readFirst(asker: Asker, baseUrl: string, path: string, links: LinkStyle): Promise<Answer> {
  const first = await asker.ask(pageUrl({ baseUrl, path, links }, 1));
  const read = readPage(first);
  if (!("received" in read)) return first;
  const form = otherForm(links);
  const other = await asker.ask(pageUrl({ baseUrl, path, links: form }, 1));
  if (pageIn(other, { path }) === 1)
    throw new HostError(
      `${first.url} answers ${read.received} instead of a page. ${other.url} is page 1, but next and previous have the other form, so no link works on this host: build with --links ${form}.`,
    );
  throw new UserError(`${first.url} answers ${read.received} instead of a page. ${adviceFor(first, baseUrl)}`);
}

function otherForm(links: LinkStyle): LinkStyle {
  return LINK_STYLES.find((form) => form !== links) ?? links;
}

/** Advice for a wrong response. */
export function adviceFor({ status }: Pick<Answer, "status">, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "The server's user probably cannot read the release: run \"rollcall verify\" there to see why, and read the server's error log.";
}

/** The base URL in the links of page 1; undefined if there is only one page. */
function linkBaseOf(first: Answer, path: string): string | undefined {
  const read = readPage(first);
  return "envelope" in read ? parsePageUrl(read.envelope.next ?? "", path)?.baseUrl : undefined;
}

/** Requests the signature, and SHA256SUMS if there is a key to verify it with. @param id of the release. @param maxBytes of SHA256SUMS */
export async function readSignature(
  asker: Asker,
  { id, baseUrl, maxBytes }: Pick<Signed, "id"> & { baseUrl: string; maxBytes?: number },
  trust: SignatureTrust | undefined,
  findings: Findings,
): Promise<SignatureResult> {
  const url = `${baseUrl}/${SIGNATURE}`;
  const answer = await asker.ask(url);
  const signature = answer.status === 200 ? String(answer.body) : undefined;
  const isNeeded = trust !== undefined && signature !== undefined;
  const sums = isNeeded ? await asker.ask(`${baseUrl}/${SUMS}`, { maxBytes }) : undefined;
  const signed = { sums: sums?.status === 200 ? sums.body : undefined, signature, id, baseUrl };
  return checkSigned({ url }, signed, trust, findings);
}

/** The digest of a file that SHA256SUMS cannot list, from the release on disk. */
function digestOf({ folder }: Release, path: string): string | undefined {
  return hashPlain(join(folder, path));
}

/** Requests the files and pages of a host, and collects findings. */
class HostReading {
  /** The forms of URL that the host supports, that of the listing's links first. */
  readonly links: LinkStyle[];
  /** The codings of the host's responses. */
  readonly codings = new Set<Variant>();
  /** Number of pages that were requested. */
  visited = 0;
  #ways: Way[] = [];
  #failures = 0;
  /** Pages that were compared with the release, and those of them that differ. */
  #compared = 0;
  #differing = 0;

  constructor(
    private readonly served: ServedListing,
    private readonly options: ReadingOptions,
    private readonly findings: Findings,
  ) {
    this.links = [served.links];
  }

  /** Requests all files of the release that hosts serve. @returns their number */
  async readFiles(): Promise<number> {
    const { folder, sums, isSigned } = this.served.release;
    const others = [...sums.others.keys()].filter((path) => isPublic(path) && !PUBLISHED_FILES.has(path));
    const paths = [...unlistedFiles({ isSigned }), ...others].filter((path) => existsSync(join(folder, path)));
    await each(paths, this.options.concurrency, async (path) => {
      for (const coding of isPacked(path) ? (["gzip"] as const) : CODINGS) await this.#readFile(path, coding);
    });
    return paths.length;
  }

  async #readFile(path: string, coding: Variant): Promise<void> {
    const { release, baseUrl } = this.served;
    const url = `${baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const place = { check: "files", url };
    const answer = await this.#ask(place, coding, mostBytes(this.served, path));
    if (!answer) return;
    if (answer.status !== 200 || answer.flaw !== undefined) {
      const found = answer.flaw ? `an answer that ${answer.flaw}` : describeAnswer(answer);
      return this.findings.add({ ...place, found, expected: "200 with a file" });
    }
    const digest = release.sums.others.get(path) ?? digestOf(release, path);
    if (digest && answer.digest !== digest) {
      const found = `other bytes, ${etagOf(answer.digest)}`;
      const isCoded = coding !== "identity" && !isPacked(path);
      this.findings.add({ ...place, found: isCoded ? `${found}, for ${coding}` : found, expected: etagOf(digest) });
    }
    if (coding === "identity" || isPacked(path)) this.#checkHeaders(answer, "file", place);
  }

  /** Requests all pages, or a sample. */
  async readPages(): Promise<void> {
    const { served, options } = this;
    const { links, pages, asker } = served;
    const other = otherForm(links);
    if (links === "query" || (await this.#mapsQueries())) this.links.push(other);
    const all = this.links.flatMap((links) => CODINGS.map((coding) => ({ links, coding })));
    this.#ways = all.slice(1);
    const planned = Math.min(options.sample ?? pages, pages);
    const read = async (page: number) => {
      await this.#readPage(page);
      this.visited++;
      options.onRequests(asker.requests, asker.requests + (planned - this.visited) * (1 + this.#ways.length));
    };
    // Page 1 shows which codings the host supports.
    await read(1);
    const isUsed = (coding: Variant) => coding === "identity" || this.#isStored(coding) || this.codings.has(coding);
    this.#ways = this.#ways.filter(({ coding }) => isUsed(coding));
    await each(this.#plan(planned), options.concurrency, read);
  }

  /** Whether the host maps a query to a page. If links are by path, it need not. One of these pages may be broken. */
  async #mapsQueries(): Promise<boolean> {
    const { served } = this;
    for (const page of [2, served.pages]) {
      const url = pageUrl({ ...served, links: "query" }, Math.min(page, served.pages));
      const answer = await this.#ask({ check: "both-forms", url }, "identity");
      if (answer && pageIn(answer, served) === Math.min(page, served.pages)) return true;
    }
    return false;
  }

  /** The pages after the first: all, or a sample that is spread evenly up to the last. */
  *#plan(planned: number): Generator<number> {
    const gap = planned === 1 ? 0 : (this.served.pages - 1) / (planned - 1);
    for (let place = 1; place < planned; place++) yield 1 + Math.round(place * gap);
  }

  async #readPage(page: number): Promise<void> {
    const { served, findings } = this;
    const place = { check: "pages", page, url: pageUrl(served, page) };
    const answer = page === 1 ? served.first : await this.#ask(place, "identity");
    if (!answer) return;
    const read = readPage(answer);
    if ("received" in read) return findings.add({ ...place, found: read.received, expected: "200 with a page" });
    this.#checkHeaders(answer, "plain", place);
    this.#compare(page, place.url, answer.digest);
    for (const way of this.#ways) await this.#askBy(way, page, answer);
  }

  #compare(page: number, url: string, digest: string): void {
    const { sums, snapshot } = this.served.release;
    this.#compared++;
    const expected = sums.pages.get(page, "identity");
    if (digest === expected) return;
    this.#differing++;
    const found = `other bytes, ${etagOf(digest)}`;
    const right = `${etagOf(expected ?? "")}, page ${page} of release ${snapshot.id}`;
    this.findings.add({ check: "same-bytes", page, url, found, expected: right });
  }

  /** Explains the pages that differ, after all were compared; undefined without any. @param id of the host's snapshot.json */
  describeDifferences(id: string | undefined): string | undefined {
    if (this.#differing === 0) return undefined;
    if (id !== undefined && id !== this.served.release.snapshot.id)
      return `the host serves release ${id}: the expected one has not been deployed there`;
    return `differing pages: ${number(this.#differing)} of ${number(this.#compared)}, by a stale cache, or servers with different releases`;
  }

  /** Requests a page in another way. @param plain the response with the plain page */
  async #askBy(way: Way, page: number, plain: Answer): Promise<void> {
    const { links, coding } = way;
    const check = coding === "identity" ? "both-forms" : coding;
    const place = { check, page, url: pageUrl({ ...this.served, links }, page) };
    const answer = await this.#ask(place, coding);
    if (!answer) return;
    const difference = this.#differenceOf(answer, coding, page, plain.digest);
    if (difference) this.findings.add({ ...place, ...difference });
    if (answer.status !== 200) return;
    const isCoded = coding !== "identity" && answer.headers.has("Content-Encoding");
    this.#checkHeaders(answer, isCoded ? "coded" : "plain", place);
    if (isCoded) this.#checkCoded(answer, plain, coding, place);
  }

  /** The difference of a response from the page, if any. It may equal the plain response, or the page of the release. */
  #differenceOf(answer: Answer, coding: Variant, page: number, digest: string) {
    const listed = this.served.release.sums.pages;
    const expected = coding === "identity" ? "the plain page" : `the plain page in ${coding}`;
    const said = answer.headers.get("Content-Encoding") ?? "identity";
    if (answer.status === 200 && said !== coding && (said !== "identity" || this.#isStored(coding)))
      return { found: said === "identity" ? "a plain answer" : `an answer in ${said}`, expected };
    if (answer.flaw !== undefined) return { found: `an answer that ${answer.flaw}`, expected };
    if (answer.status !== 200) return { found: describeAnswer(answer), expected };
    const isOfRelease = answer.digest === listed.get(page, "identity");
    if (answer.digest !== digest && !isOfRelease) return { found: `other bytes, ${etagOf(answer.digest)}`, expected };
    const stored = isOfRelease && said === coding ? listed.get(page, coding) : undefined;
    if (stored === undefined || answer.sent === stored) return undefined;
    return { found: "the page in other bytes than SHA256SUMS lists", expected };
  }

  #isStored(coding: Variant): boolean {
    const stored: readonly Variant[] = this.served.release.snapshot.encodings;
    return stored.includes(coding);
  }

  #checkCoded(answer: Answer, plain: Answer, coding: Variant, place: Place): void {
    this.codings.add(coding);
    const add = (check: string, header: string, expected: string) =>
      this.findings.add({ ...place, check, found: answer.headers.get(header) ?? `no ${header}`, expected });
    const isOwn = answer.headers.get("ETag") !== plain.headers.get("ETag");
    if (!isOwn || !hasStrongTag(answer)) add(`${coding}-tag`, "ETag", "one of its own, strong");
    else if (!hasDigestTag(answer)) add("etag-digest", "ETag", etagOf(answer.sent));
    const vary = "Accept, Accept-Encoding";
    if (!hasHeader(answer, "Vary", vary)) add(`${coding}-vary`, "Vary", vary);
  }

  /** Sends a request. An incomplete response is a finding, and undefined. @throws NoAnswer after too many of them */
  async #ask(place: Place, coding: Variant, maxBytes?: number): Promise<Answer | undefined> {
    try {
      const take = place.check === "files" ? () => {} : undefined;
      return await this.served.asker.ask(place.url, { headers: { "Accept-Encoding": coding }, maxBytes, take });
    } catch (error) {
      if (!(error instanceof NoAnswer) || ++this.#failures >= MOST_FAILURES) throw error;
      const what = place.page === undefined ? "file" : "page";
      this.findings.add({ ...place, found: `no ${what}: it ${error.why}`, expected: `200 with a ${what}` });
      return undefined;
    }
  }

  #checkHeaders(answer: Answer, kind: AnswerKind, place: Omit<Place, "check">): void {
    const { first } = this.served;
    const id = answer.headers.get("Snapshot-Id");
    const own = first.headers.get("Snapshot-Id");
    if (id !== null && own !== null && id !== own)
      this.findings.add({ ...place, check: "one-snapshot", found: id, expected: `${own}, as on page 1` });
    for (const { name, header, of, expectedIfWrong } of HEADERS) {
      const expected = of.includes(kind) ? expectedIfWrong(answer, this.served) : undefined;
      if (expected === undefined) continue;
      this.findings.add({ ...place, check: name, found: answer.headers.get(header) ?? `no ${header}`, expected });
    }
  }
}
