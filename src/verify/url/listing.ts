/** `rollcall verify` for a host: compares every page and file with a release, and checks what the contract promises about HTTP. */
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { MOST_RESTARTS } from "../../client/walk.js";
import { parseBaseUrl } from "../../core/contract/base-url.js";
import { DEFAULT_CACHE_CONTROL, type Encoding, etagOf } from "../../core/contract/headers.js";
import { LINK_STYLES, type LinkStyle, pageUrl, parsePageUrl } from "../../core/contract/links.js";
import { HostError, UserError } from "../../core/errors.js";
import { count, number } from "../../core/print/numbers.js";
import {
  isPublic,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  unlistedFiles,
  type Variant,
  VIEWS_FOLDER,
  type ViewPaths,
  viewPath,
} from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { hashPlain } from "../../core/release/plain-files.js";
import { parseSnapshot } from "../../core/release/snapshot.js";
import type { PageDigests, Sums } from "../../core/release/sums.js";
import { makeScratch, removeScratch } from "../../core/scratch/folder.js";
import type { Complete } from "../../core/settings/settings.js";
import { each } from "../../core/workers/at-most.js";
import { FILES_IN_RELEASE } from "../../host/hosts.js";
import { verifyRelease } from "../disk/listing.js";
import { DISK_ROWS, skippedRows } from "../disk/rows.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { checkSigned, SIGNATURE_ROW, type SignatureResult, type SignatureTrust } from "../signature.js";
import { checkRow, Findings, type Row, type Verdict } from "../verdict.js";
import { type Asker, type AskOptions, createAsker, type HostAnswer } from "./ask.js";
import { adviceFor, DOWNLOAD_ROW, downloadFile, downloadManifest } from "./download.js";
import {
  createModel,
  describeAnswer,
  HEADER_ROWS,
  hasMark,
  isOfBytes,
  isRight,
  isStrong,
  mostBytes,
  pageIn,
  readPageAnswer,
  type ServedPart,
  servedOf,
} from "./model.js";
import { CODINGS, fileUrl, ONE_SNAPSHOT_ROW, otherBytes, PartReading, type Place } from "./part.js";
import { PROBE_ROWS, pathOfPage, probe } from "./probes.js";

export interface VerifyHostOptions
  extends Pick<Complete<VerifyOptions>, "sample" | "concurrency" | "cacheControl">,
    AskOptions,
    Pick<VerifyOptions, "workers">,
    Pick<VerifyEffects, "onProgress"> {
  baseUrl: string;
  /** The required signature, if any. */
  trust?: SignatureTrust | undefined;
  /** The release that the host should serve. Without one, the host's own is downloaded. */
  against?: Release | undefined;
}

const VARY = "Accept, Accept-Encoding";

/** The checks of pages and files. */
const ANSWER_ROWS: readonly Pick<Row, "name" | "rule">[] = [
  { name: "pages", rule: "every page is 200 with an envelope" },
  ONE_SNAPSHOT_ROW,
  { name: "base-url", rule: "links have the base URL of the request" },
  ...HEADER_ROWS,
  { name: "same-bytes", rule: "every page has the bytes of the release" },
  { name: "both-forms", rule: "every page is the same by query and by path" },
  ...codingRows("br"),
  ...codingRows("gzip"),
  {
    name: "files",
    rule: "SHA256SUMS, every served file that it lists, and every page of a view has the bytes of the release",
  },
  SIGNATURE_ROW,
];

function codingRows(coding: Encoding) {
  const rule = `every page for Accept-Encoding: ${coding} is the same, in ${coding} if the release has it`;
  return [
    { name: coding, rule },
    { name: `${coding}-tag`, rule: `every page in ${coding} has a strong ETag of its own` },
    { name: `${coding}-vary`, rule: `every page in ${coding} has Vary: ${VARY}, in one line` },
  ];
}

/** The checks of a host, as the docs list them. */
export const HOST_ROWS = [...ANSWER_ROWS, ...PROBE_ROWS];

/** All names that `--allow` accepts, in the order of the report. */
export const CHECK_NAMES: readonly string[] = [
  ...new Set([...ANSWER_ROWS, DOWNLOAD_ROW, ...DISK_ROWS, ...PROBE_ROWS].map(({ name }) => name)),
];

/** Reads a host, and again while it switches to another snapshot meanwhile. */
export async function readSettled<Seen extends { hasMoved: boolean }>(read: () => Promise<Seen>): Promise<Seen> {
  let seen = await read();
  for (let restarts = 0; seen.hasMoved && restarts < MOST_RESTARTS; restarts++) seen = await read();
  return seen;
}

/** The finding about a host that switches each time. */
export const MOVING = {
  found: `a different one each of the ${MOST_RESTARTS + 1} times that it was read`,
  expected: "the same snapshot in every answer",
} as const;

/** Verifies a host. @throws UserError if it cannot be reached, has no release or no page 1, or fails repeatedly; HostError if no link works */
export async function verifyHost(given: VerifyHostOptions): Promise<{ verdict: Verdict; release: Release }> {
  const options = { ...given, baseUrl: parseBaseUrl(given.baseUrl) };
  const { baseUrl, against, sample, workers, signal, onProgress } = options;
  const asker = createAsker(options);
  const scratch = await makeScratch("verify");
  try {
    const seen = await readSettled(async () => {
      const findings = new Findings();
      const before = await asker.ask(`${baseUrl}/${SNAPSHOT}`);
      const folder = against ? "" : mkdtempSync(join(scratch, "host-"));
      const release = against ?? (await downloadManifest(asker, baseUrl, before, folder, findings));
      return new HostReading(asker, release, options, findings).read(before);
    });
    const { reading, part, findings, hasMoved } = seen;
    const { release } = reading;
    if (hasMoved) findings.add({ check: ONE_SNAPSHOT_ROW.name, url: part.served.first.url, ...MOVING });
    const questions: Row[] = [];
    for await (const row of probe(part.served, findings, (error) => part.fail(error))) {
      questions.push(row);
      const { requests } = asker;
      onProgress?.({ requests, total: requests + PROBE_ROWS.length - questions.length });
    }
    const rows = [...reading.rows(), ...questions];
    if (!against) {
      const why = sample === undefined ? "the release could not be downloaded" : NEEDS_ALL;
      const skipped = sample !== undefined || findings.of(DOWNLOAD_ROW.name).count > 0 ? why : undefined;
      const disk = skipped
        ? skippedRows(skipped, findings)
        : (await verifyRelease({ folder: release.folder, isCopy: true, findings, workers, signal, onProgress })).rows;
      const own = disk.filter(({ name }) => !ANSWER_ROWS.some((row) => row.name === name));
      rows.splice(ANSWER_ROWS.length, 0, checkRow(findings, DOWNLOAD_ROW, "", { skipped }), ...own);
    }
    const { words } = release.contract.listing;
    return {
      verdict: { subject: baseUrl, words, asked: { ...reading.asked, requests: asker.requests }, rows },
      release,
    };
  } finally {
    asker.close();
    removeScratch(scratch);
  }
}

const NEEDS_ALL = "it needs all pages; run this without --sample";

/** Requests the signature, and SHA256SUMS if there is a key to verify it with. @param id of the release. @param maxBytes of SHA256SUMS */
export async function readSignature(
  asker: Asker,
  { id, baseUrl, maxBytes }: { id: string | undefined; baseUrl: string; maxBytes?: number },
  trust: SignatureTrust | undefined,
  findings: Findings,
): Promise<SignatureResult> {
  const url = `${baseUrl}/${SIGNATURE}`;
  const answer = await asker.ask(url);
  const signature = answer.status === 200 ? String(answer.body) : undefined;
  const sums = trust && signature ? await asker.ask(`${baseUrl}/${SUMS}`, { maxBytes }) : undefined;
  const signed = { sums: sums?.status === 200 ? sums.body : undefined, signature, id, baseUrl };
  return checkSigned({ url }, signed, trust, findings);
}

/** A page of the listing or of a view. */
interface AskedPage {
  /** Of its URL, below the base URL: `/stations/`, `/views/country/DE/`. */
  path: string;
  page: number;
  /** The digests that have its own, and its number among them. */
  pages: PageDigests;
  number: number;
}

/** Another way to request pages: a form of URL and a coding. */
type Way = { links: LinkStyle; coding: Variant };

function otherForm(links: LinkStyle): LinkStyle {
  return LINK_STYLES.find((form) => form !== links) ?? links;
}

/** Requests the files and pages of a host once, and adds a finding for everything that is wrong. */
class HostReading {
  readonly asked: { pages: number; of: number; files: number; links: LinkStyle[]; codings: Variant[] };
  #part!: PartReading;
  #signature!: SignatureResult;
  #ways: Way[] = [];
  #differing = 0;
  #note: string | undefined;

  constructor(
    private readonly asker: Asker,
    readonly release: Release,
    private readonly options: VerifyHostOptions,
    private readonly findings: Findings,
  ) {
    const { pages, links } = release.snapshot;
    this.asked = { pages: 0, of: pages, files: 0, links: [links], codings: ["identity"] };
  }

  /** @param before the host's snapshot.json before anything else was read */
  async read(before: HostAnswer) {
    const { asker, release, findings } = this;
    const { baseUrl, trust, cacheControl } = this.options;
    const { path } = release.contract.listing;
    const { links, pages, id } = release.snapshot;
    const first = await this.#readFirst();
    const said = first.headers.get("Cache-Control");
    const caching = cacheControl ?? (said !== null && !/no-store/i.test(said) ? said : DEFAULT_CACHE_CONTROL);
    const served = servedOf(release, baseUrl);
    const place = { baseUrl, path, links };
    const home = pathOfPage(place);
    const expected = createModel(served, caching);
    const part = new PartReading({ ...served, ...place, asker, pages, home, first, expected }, findings);
    this.#part = part;
    const read = readPageAnswer(first);
    const base = "envelope" in read ? parsePageUrl(read.envelope.next ?? "", path)?.baseUrl : undefined;
    if (base !== undefined && base !== baseUrl)
      findings.add({ check: "base-url", page: 1, url: first.url, found: `links to ${base}`, expected: baseUrl });
    this.#signature = await readSignature(asker, { id, baseUrl, maxBytes: mostBytes(release, SUMS) }, trust, findings);
    await this.#readFiles();
    await this.#readPages();
    await this.#readViews();
    const now = await asker.ask(before.url);
    const again = await asker.ask(first.url);
    const hasMoved = now.status !== before.status || now.digest !== before.digest || again.digest !== first.digest;
    const own = before.status === 200 ? parseSnapshot(String(before.body))?.id : undefined;
    if (this.#differing > 0)
      this.#note =
        own !== undefined && own !== id
          ? `the host serves release ${own}: the expected one has not been deployed there`
          : `differing pages: ${number(this.#differing)} of ${number(this.asked.pages)}, by a stale cache, or servers with different releases`;
    return { reading: this, part, findings, hasMoved };
  }

  /** The rows of pages and files. */
  rows(): Row[] {
    const { pages, of, files, links, codings } = this.asked;
    const { cell, skipped } = this.#signature;
    const requested = pages === of ? count(of, "page") : `${pages} of ${count(of, "page")}`;
    const requests: Record<string, string> = { files: count(files, "file"), [SIGNATURE_ROW.name]: cell };
    return ANSWER_ROWS.map((row): Row => {
      const { name } = row;
      const [coding = ""] = /^(?:br|gzip)/.exec(name) ?? [];
      const isUnused = /^(br|gzip)(-|$)/.test(name) && !codings.includes(coding as Variant);
      const reasons: Record<string, string | undefined> = {
        [SIGNATURE_ROW.name]: skipped,
        "both-forms": links.length < 2 ? "the host maps no query to a page" : undefined,
      };
      const why = isUnused ? `no answer is in ${coding}` : reasons[name];
      const note = name === "same-bytes" ? this.#note : undefined;
      return checkRow(this.findings, row, requests[name] ?? requested, { skipped: why, note });
    });
  }

  /** Requests page 1 by the release's form of URL. @throws UserError that describes the response if it is not a page; HostError if only the other form works */
  async #readFirst(): Promise<HostAnswer> {
    const { asker, release, options } = this;
    const { baseUrl } = options;
    const { links } = release.snapshot;
    const { path } = release.contract.listing;
    const first = await asker.ask(pageUrl({ baseUrl, path, links }, 1));
    const read = readPageAnswer(first);
    if (!("received" in read)) return first;
    const form = otherForm(links);
    const other = await asker.ask(pageUrl({ baseUrl, path, links: form }, 1));
    const said = `${first.url} answers ${read.received} instead of a page.`;
    if (pageIn(other, { path }) !== 1) throw new UserError(`${said} ${adviceFor(first, baseUrl)}`);
    throw new HostError(
      `${said} ${other.url} is page 1, but next and previous have the other form, so no link works on this host: build with --links ${form}.`,
    );
  }

  /** Whether all files of the host's own release are downloaded. */
  get #isKept(): boolean {
    return !this.options.against && this.options.sample === undefined;
  }

  /** Requests all files of the release that hosts serve. */
  async #readFiles(): Promise<void> {
    const { release, findings, options, asker } = this;
    const { folder, sums, isSigned } = release;
    const others = [...sums.others.keys()].filter((path) => isPublic(path) && !FILES_IN_RELEASE.has(path));
    const isThere = (path: string) => existsSync(join(folder, path));
    const part = this.#part;
    const onFailure = (error: unknown) => part.fail(error);
    const paths = [...unlistedFiles({ isSigned }), ...others].filter((path) => this.#isKept || isThere(path));
    this.asked.files = paths.length;
    await each(paths, options.concurrency, async (path) => {
      const listed = sums.others.get(path);
      if (!isThere(path) && listed)
        await downloadFile(asker, fileUrl(part.served, path), release, path, listed, findings, onFailure);
      // SHA256SUMS cannot list itself.
      await part.readFile("files", path, listed ?? hashPlain(join(folder, path)));
    });
  }

  /** Requests all pages, or a sample. */
  async #readPages(): Promise<void> {
    const { options, asker, asked } = this;
    const { links, pages } = this.#part.served;
    const { sample = pages, concurrency, onProgress } = options;
    const other = otherForm(links);
    if (links === "query" || (await this.#mapsQueries())) asked.links.push(other);
    this.#ways = asked.links.flatMap((links) => CODINGS.map((coding) => ({ links, coding }))).slice(1);
    const planned = Math.min(sample, pages);
    const plan = spread(pages, planned);
    plan.next();
    const read = async (page: number) => {
      await this.#readPage(page);
      const rest = (planned - ++asked.pages) * (1 + this.#ways.length) + PROBE_ROWS.length;
      onProgress?.({ requests: asker.requests, total: asker.requests + rest });
    };
    // Page 1 shows which codings the host supports.
    await read(1);
    this.#ways = this.#ways.filter(({ coding }) => this.#isStored(coding) || asked.codings.includes(coding));
    await each(plan, concurrency, read);
  }

  /** Requests the pages of each view of the release, or a sample of each, in the forms of URL that the host has. */
  async #readViews(): Promise<void> {
    const { sample, concurrency } = this.options;
    for (const { sums } of this.release.views) {
      const { pages } = sums.pages;
      const plan = spread(pages, Math.min(sample ?? pages, pages));
      await each(plan, concurrency, (page) => this.#readViewPage(sums, page));
    }
  }

  /** @param number of the page among all pages of the view */
  async #readViewPage({ paths, pages }: Sums<ViewPaths>, number: number): Promise<void> {
    const { findings, release } = this;
    const part = this.#part;
    const { segment, page } = paths.locate(number);
    const path = viewPath(paths.view, segment);
    const digest = pages.get(number, "identity") ?? "";
    const file = `${VIEWS_FOLDER}/${paths.path(number)}`;
    const url = pageUrl({ ...part.served, path }, page);
    const place = { check: "files", url };
    const plain = await part.ask(place, "identity", "page");
    const onFailure = (error: unknown) => part.fail(error);
    if (this.#isKept) await downloadFile(this.asker, url, release, file, digest, findings, onFailure, plain);
    if (!plain) return;
    const expected = `${etagOf(digest)}, page ${page} of ${path}`;
    if (plain.status !== 200) return findings.add({ ...place, found: describeAnswer(plain), expected });
    if (plain.digest !== digest) findings.add({ ...place, found: otherBytes(plain), expected });
    else part.checkHeaders(plain, pathIn(place, part.served), "plain", "identity", place);
    await this.#readOtherWays({ path, page, pages, number }, plain, { check: "files" });
  }

  /** Whether the host maps a query to a page. If links are by path, it need not. One of these pages may be broken. */
  async #mapsQueries(): Promise<boolean> {
    const served = this.#part.served;
    for (const page of [Math.min(2, served.pages), served.pages]) {
      const url = pageUrl({ ...served, links: "query" }, page);
      const answer = await this.#part.ask({ check: "both-forms", url }, "identity", "page");
      if (answer && pageIn(answer, served) === page) return true;
    }
    return false;
  }

  async #readPage(page: number): Promise<void> {
    const { findings, release } = this;
    const part = this.#part;
    const { served } = part;
    const { id } = release.snapshot;
    const place = { check: "pages", page, url: pageUrl(served, page) };
    const plain = page === 1 ? served.first : await part.ask(place, "identity", "page");
    const listed = release.sums.pages.get(page, "identity") ?? "";
    const onFailure = (error: unknown) => part.fail(error);
    if (this.#isKept)
      await downloadFile(this.asker, place.url, release, release.paths.path(page), listed, findings, onFailure, plain);
    if (!plain) return;
    const read = readPageAnswer(plain);
    if ("received" in read) return findings.add({ ...place, found: read.received, expected: "200 with a page" });
    if (hasMark(plain.body))
      findings.add({ ...place, found: "a byte order mark before the page", expected: "200 with a page" });
    part.checkHeaders(plain, pathIn(place, served), "plain", "identity", place);
    if (plain.digest !== listed) {
      this.#differing++;
      const expected = `${etagOf(listed)}, page ${page} of release ${id}`;
      findings.add({ ...place, check: "same-bytes", found: otherBytes(plain), expected });
    }
    const { pages } = release.sums;
    await this.#readOtherWays({ path: served.path, page, pages, number: page }, plain, { check: "both-forms", page });
  }

  /**
   * Requests a page in the other forms of URL and codings.
   * @param at of a finding about a plain page
   */
  async #readOtherWays(asked: AskedPage, plain: HostAnswer, at: Omit<Place, "url">): Promise<void> {
    const { findings } = this;
    const part = this.#part;
    const { served } = part;
    /** The coding of which each ETag was seen first. */
    const tags = new Map([[plain.headers.get("ETag"), "identity" as Variant]]);
    for (const { links, coding } of this.#ways) {
      const check = coding === "identity" ? at.check : coding;
      const place = { ...at, check, url: pageUrl({ ...served, path: asked.path, links }, asked.page) };
      const answer = await part.ask(place, coding, "page");
      if (!answer) continue;
      const found = this.#differenceOf(answer, coding, asked, plain.digest);
      const expected = coding === "identity" ? "the plain page" : `the plain page in ${coding}`;
      if (found !== undefined) findings.add({ ...place, found, expected });
      if (answer.status !== 200) continue;
      const isCoded = coding !== "identity" && answer.headers.has("Content-Encoding");
      part.checkHeaders(answer, pathIn(place, served), isCoded ? "coded" : "plain", coding, place);
      if (!isCoded) continue;
      if (!this.asked.codings.includes(coding)) this.asked.codings.push(coding);
      const tag = answer.headers.get("ETag");
      const add = (name: string, found: string | null, expected: string) =>
        findings.add({ ...place, check: `${coding}-${name.toLowerCase()}`, found: found ?? `no ${name}`, expected });
      if (tag === null || (tags.get(tag) ?? coding) !== coding || !isStrong(tag))
        add("Tag", tag, "one of its own, strong");
      else if (!isOfBytes(tag, undefined, answer))
        findings.add({ ...place, check: "etag-digest", found: tag, expected: etagOf(answer.sent) });
      if (!tags.has(tag)) tags.set(tag, coding);
      if (!isRight(answer, "Vary", VARY)) add("Vary", answer.headers.get("Vary"), VARY);
    }
  }

  /** What a response is instead of the page, if it differs. It may equal the plain response, or the page of the release. */
  #differenceOf(answer: HostAnswer, coding: Variant, { pages, number }: AskedPage, digest: string): string | undefined {
    const { status, flaw, headers } = answer;
    const said = headers.get("Content-Encoding") ?? "identity";
    if (status === 200 && said !== coding && (said !== "identity" || this.#isStored(coding)))
      return said === "identity" ? "a plain answer" : `an answer in ${said}`;
    if (flaw !== undefined) return `an answer that ${flaw}`;
    if (status !== 200) return describeAnswer(answer);
    const isOfRelease = answer.digest === pages.get(number, "identity");
    if (answer.digest !== digest && !isOfRelease) return otherBytes(answer);
    const isStored = !isOfRelease || said !== coding || answer.sent === (pages.get(number, coding) ?? answer.sent);
    return isStored ? undefined : "the page in other bytes than SHA256SUMS lists";
  }

  #isStored(coding: Variant): boolean {
    return this.release.sums.pages.variants.includes(coding);
  }
}

/** Numbers of pages, spread evenly from the first to the last. */
function* spread(pages: number, planned: number): Generator<number, undefined> {
  const gap = (pages - 1) / Math.max(1, planned - 1);
  for (let place = 0; place < planned; place++) yield 1 + Math.round(place * gap);
}

const pathIn = ({ url }: Place, { baseUrl }: ServedPart) => url.slice(baseUrl.length);
