/** Reads a host once: its files and pages, in all forms of URL and codings. Adds a finding for everything that is wrong. */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisedSnapshot } from "../../client/unproved.js";
import { type Contract, USERS_CONTRACT } from "../../contract/contract.js";
import { MAX_CONTRACT } from "../../contract/file/form.js";
import { etagOf } from "../../contract/headers.js";
import { LINK_STYLES, type LinkStyle, pageUrl, parsePageUrl } from "../../contract/links.js";
import { codeOf, UserError } from "../../errors.js";
import { refuseListingUrl, requireContract } from "../../hosted.js";
import { publishedHostFiles } from "../../hosts/hosts.js";
import {
  CONTRACT,
  isPacked,
  isPublic,
  PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  type Variant,
} from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { hashPlain } from "../../release/plain-files.js";
import { parseSnapshot, type Snapshot } from "../../release/snapshot-file.js";
import { pagesToList, readSums } from "../../release/sums.js";
import { explainRoom } from "../../scratch/folder.js";
import { SETTINGS } from "../../settings/table.js";
import { each } from "../../workers/at-most.js";
import type { VerifyOptions } from "../options.js";
import { checkSigned, type SignatureResult, type SignatureTrust } from "../signature.js";
import { type Finding, Findings } from "../verdict.js";
import { compareWith, type PageComparison } from "./against-release.js";
import { type Answer, type Asker, MAX_BYTES, NoAnswer } from "./ask.js";
import { type AnswerKind, HEADERS, hasDigestTag, hasStrongTag } from "./headers.js";
import { CODINGS, type ExpectedRelease, hasHeader, pageIn, readPage, type Site } from "./site.js";

export interface ReadingOptions extends Pick<VerifyOptions, "sample" | "concurrency" | "cacheControl"> {
  baseUrl: string;
  /** The release that the host should serve. */
  against?: Release | undefined;
  /** Other releases that the host may still serve. */
  known?: readonly Release[] | undefined;
  /** The required signature, if any. */
  trust?: SignatureTrust | undefined;
  /** Called with the number of requests sent, and an estimate of all. */
  onRequests(requests: number, total: number): void;
}

/** Maximum incomplete responses, after which verification gives up. */
export const MOST_FAILURES = 20;
/** Maximum wrong responses of a kind, after which no more are requested: a wrong count may promise millions of pages. */
const MOST_WRONG = 100;
/** Maximum bytes of SHA256SUMS per page, and in all, since the number of pages comes from the host. */
const [SUM_BYTES_OF_PAGE, MOST_SUM_BYTES] = [1000, 2 ** 32];

/** The place of a finding about a request, and the check that fails without a response. */
type Place = Pick<Finding, "check" | "page"> & { url: string };
/** Another way to request pages: a form of URL and a coding. Not used any more once `isOpen` is false. */
type Way = { links: LinkStyle; coding: Variant; isOpen: boolean; wrong: number };

export type Reading = Awaited<ReturnType<typeof readHost>>;

/**
 * Reads a host.
 * @param folder an empty folder. It gets what the host serves, unless that is compared with a release.
 * @throws UserError if the host cannot be reached, has no page 1, or fails repeatedly
 */
export async function readHost(asker: Asker, options: ReadingOptions, folder: string) {
  const { baseUrl, against, trust, cacheControl } = options;
  const copy = new HostCopy(asker, folder);
  const before = await copy.fetch(`${baseUrl}/${SNAPSHOT}`, SNAPSHOT);
  const own = before.status === 200 ? parseSnapshot(String(copy.read(SNAPSHOT))) : undefined;
  const contract = against?.contract ?? (await readContract(copy, baseUrl));
  const { path } = contract.listing;
  const { first, links } = await readFirst(asker, baseUrl, path, (against?.snapshot ?? own)?.links);
  const linkBase = linkBaseOf(first, path);
  const snapshot = against?.snapshot ?? own ?? promisedBy(first, { baseUrl: linkBase ?? baseUrl, path, links });
  const mostSumBytes = Math.min(MAX_BYTES + snapshot.pages * SUM_BYTES_OF_PAGE, MOST_SUM_BYTES);
  const sumsUrl = `${baseUrl}/${SUMS}`;
  const sums = await copy.fetch(sumsUrl, SUMS, mostSumBytes);
  const release = against ?? (own && (await readOwn(copy, sums, own, path)));
  const site: Site = { asker, baseUrl, path, links, pages: snapshot.pages, release, cacheControl, first };
  const reading = new HostReading(site, options, copy);
  const { findings } = reading;
  if (linkBase !== undefined && linkBase !== baseUrl)
    findings.add({ check: "base-url", page: 1, url: first.url, found: `links to ${linkBase}`, expected: baseUrl });
  const signature = await readSignature(copy, { baseUrl, id: snapshot.id, trust }, findings);
  const isSigned = copy.has(SIGNATURE);
  if (sums.status !== 200) reading.noteFile(sums, "200 with a file");
  const files = await reading.readFiles(isSigned, mostSumBytes);
  await reading.readPages();
  const [now, again] = [await asker.ask(`${baseUrl}/${SNAPSHOT}`), await asker.ask(first.url)];
  const hasMoved =
    now.status !== before.status || (own && now.digest !== before.digest) || again.digest !== first.digest;
  return {
    ...{ site, contract, findings, signature, hasMoved },
    note: reading.comparison?.note(linkBase),
    /** The facts from page 1, if the host has no snapshot.json. */
    promised: own ? undefined : snapshot,
    whyAbsent: reading.whyAbsent,
    asked: {
      ...{ pages: reading.visited, of: snapshot.pages, files, links: reading.links },
      codings: ["identity", ...reading.codings] as const,
    },
  };
}

/** Stores responses of a host in a folder. */
class HostCopy {
  constructor(
    private readonly asker: Asker,
    private readonly folder: string,
  ) {}

  /** Requests a file, and stores a 200 response. @throws UserError without room, and as `ask` does */
  async fetch(url: string, path: string, maxBytes?: number, coding: Variant = "identity"): Promise<Answer> {
    let file: number | undefined;
    const open = () => {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      return openSync(join(this.folder, path), "w");
    };
    try {
      const take = (piece: Buffer) => {
        file ??= open();
        for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      };
      const answer = await this.asker.ask(url, { headers: { "Accept-Encoding": coding }, maxBytes, take });
      if (answer.status === 200) file ??= open();
      if (answer.flaw !== undefined) this.drop(path);
      return answer;
    } catch (error) {
      this.drop(path);
      throw explainRoom(error);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  write(path: string, bytes: Buffer): void {
    try {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), bytes);
    } catch (error) {
      throw explainRoom(error);
    }
  }

  has(path: string): boolean {
    return statSync(join(this.folder, path), { throwIfNoEntry: false })?.isFile() === true;
  }

  read(path: string): Buffer {
    return readFileSync(join(this.folder, path));
  }

  open(path: string): number {
    return openSync(join(this.folder, path), "r");
  }

  drop(path: string): void {
    rmSync(join(this.folder, path), { force: true });
  }
}

/** Reads the host's contract; the built-in one if it has none. @throws UserError for an invalid contract, or a failing host */
async function readContract(copy: HostCopy, baseUrl: string): Promise<Contract> {
  const answer = await copy.fetch(`${baseUrl}/${CONTRACT}`, CONTRACT, MAX_CONTRACT);
  const { url, status, headers } = answer;
  if (status >= 500)
    throw new UserError(
      `${url} answers ${status} (${headers.get("Content-Type") ?? "no Content-Type"}) instead of a contract (200) or none (404). ${adviceFor(answer, baseUrl)}`,
    );
  const text = copy.has(CONTRACT) ? String(copy.read(CONTRACT)) : "";
  // Many hosts answer with a web page if they do not have a file.
  if (text !== "" && !/^\s*</.test(text)) return requireContract(text, baseUrl);
  copy.write(CONTRACT, Buffer.from(USERS_CONTRACT.text));
  return USERS_CONTRACT;
}

/** Requests page 1 by the listing's form of URL, or by the other form. @throws UserError that describes the response if neither is a page */
async function readFirst(asker: Asker, baseUrl: string, path: string, links: LinkStyle = "query") {
  const refusals: UserError[] = [];
  for (const form of [links, ...LINK_STYLES.filter((other) => other !== links)]) {
    const first = await asker.ask(pageUrl({ baseUrl, path, links: form }, 1));
    const read = readPage(first);
    if ("envelope" in read) return { first, links: form };
    refusals.push(new UserError(`${first.url} ${read.why}. ${adviceFor(first, baseUrl)}`));
  }
  await refuseListingUrl(baseUrl);
  throw refusals[0];
}

/** Advice for a wrong response. */
function adviceFor({ status }: Answer, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "The server's user probably cannot read the release: run \"rollcall verify\" there to see why, and read the server's error log.";
}

/** The base URL in the links of page 1; undefined if there is only one page. */
function linkBaseOf(first: Answer, path: string): string | undefined {
  const read = readPage(first);
  return "envelope" in read ? parsePageUrl(read.envelope.next ?? "", path)?.baseUrl : undefined;
}

/** The facts about all pages from page 1. @throws UserError if it contradicts itself */
function promisedBy(first: Answer, place: Pick<Site, "baseUrl" | "path" | "links">): Snapshot {
  const read = readPage(first);
  if (!("envelope" in read)) throw new Error(`${first.url} is not a page.`);
  const { previous, next } = read.envelope;
  if (previous !== null || (next !== null && parsePageUrl(next, place.path)?.page !== 2))
    throw new UserError(
      `${first.url} has previous ${JSON.stringify(previous)} and next ${JSON.stringify(next)}, where page 1 has none and page 2. Is ${place.baseUrl} the base URL?`,
    );
  try {
    return promisedSnapshot(place, read.envelope, first.digest);
  } catch (error) {
    throw new UserError(`${(error as Error).message} Is ${place.baseUrl} the base URL?`, { cause: error });
  }
}

/** The release that the host's SHA256SUMS and snapshot.json describe; undefined if they do not match, which verifying the folder finds. */
async function readOwn(
  copy: HostCopy,
  { status }: Answer,
  snapshot: Snapshot,
  path: string,
): Promise<ExpectedRelease | undefined> {
  if (status !== 200 || !copy.has(SUMS)) return undefined;
  const file = copy.open(SUMS);
  try {
    const { size } = fstatSync(file);
    return { snapshot, sums: await readSums({ file, size }, pagesToList(new PagePaths(path), snapshot)) };
  } catch (error) {
    if (codeOf(error) !== undefined) throw error;
    return undefined;
  } finally {
    closeSync(file);
  }
}

interface SignedHost {
  baseUrl: string;
  id: string;
  trust: SignatureTrust | undefined;
}

async function readSignature(
  copy: HostCopy,
  { baseUrl, id, trust }: SignedHost,
  findings: Findings,
): Promise<SignatureResult> {
  const url = `${baseUrl}/${SIGNATURE}`;
  await copy.fetch(url, SIGNATURE);
  // Many hosts answer with a web page if they do not have a file.
  if (copy.has(SIGNATURE) && !copy.read(SIGNATURE).toString("latin1", 0, 9).startsWith("untrusted"))
    copy.drop(SIGNATURE);
  const signature = copy.has(SIGNATURE) ? String(copy.read(SIGNATURE)) : undefined;
  // The signature needs all bytes in memory.
  const sums = trust && copy.has(SUMS) ? copy.read(SUMS) : undefined;
  return checkSigned({ url }, { sums, signature, id, baseUrl }, trust, findings);
}

/** The digest of a file that SHA256SUMS cannot list, from a release on disk. */
function digestOf({ folder }: Release, path: string): string | undefined {
  return hashPlain(join(folder, path));
}

const isUnlisted = (path: string) => path === SUMS || path === SIGNATURE;

/** Requests the files and pages of a host, and collects findings. */
class HostReading {
  readonly findings = new Findings();
  readonly comparison: PageComparison | undefined;
  /** The forms of URL that the host supports, that of the listing's links first. */
  readonly links: LinkStyle[];
  /** The codings of the host's responses. */
  readonly codings = new Set<Variant>();
  /** Number of pages that were requested. */
  visited = 0;
  #ways: Way[] = [];
  #paths: PagePaths;
  #wrong = 0;
  #failures = 0;

  constructor(
    private readonly site: Site,
    private readonly options: ReadingOptions,
    private readonly copy: HostCopy,
  ) {
    const { against, known = [] } = options;
    this.comparison = against && compareWith(against, known, this.findings);
    this.links = [site.links];
    this.#paths = new PagePaths(site.path);
  }

  /** Why a file is not in the folder: the host did not send it, or does not serve it. Undefined for any other file. */
  readonly whyAbsent = (path: string): string | undefined => {
    if (!isPublic(path)) return "hosts do not serve it";
    const isAsked =
      [SNAPSHOT, SUMS].includes(path) || this.#paths.find(path) || this.site.release?.sums.others.has(path);
    return isAsked ? "it did not come from the host" : undefined;
  };

  /** Requests all listed files that hosts serve. @returns their number */
  async readFiles(isSigned: boolean, mostSumBytes: number): Promise<number> {
    const { site, options } = this;
    const { others = new Map<string, string>() } = site.release?.sums ?? {};
    const ofHosts = publishedHostFiles();
    const listed = [...others.keys()].filter((path) => isPublic(path) && !ofHosts.has(path));
    const paths = new Set([SUMS, ...(isSigned ? [SIGNATURE] : []), SNAPSHOT, ...listed]);
    await each(paths, options.concurrency ?? SETTINGS.concurrency.default, async (path) => {
      for (const coding of isPacked(path) ? (["gzip"] as const) : CODINGS)
        if (this.findings.of("files").count < MOST_WRONG) await this.#readFile(path, coding, mostSumBytes);
    });
    return paths.size;
  }

  async #readFile(path: string, coding: Variant, mostSumBytes: number): Promise<void> {
    const { release, baseUrl } = this.site;
    const { against, known = [] } = this.options;
    const url = `${baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const place = { check: "files", url };
    const isKept = !against && !this.copy.has(path);
    const maxBytes = path === SUMS ? mostSumBytes : undefined;
    const answer = await this.#ask(place, coding, maxBytes, isKept ? path : undefined);
    if (!answer) return;
    if (answer.status !== 200 || answer.flaw !== undefined) return this.noteFile(answer, "200 with a file");
    const digest = release?.sums.others.get(path) ?? (against && isUnlisted(path) && digestOf(against, path));
    if (digest && answer.digest !== digest) {
      const other = known.find(({ sums }) => sums.others.get(path) === answer.digest);
      const what = other ? `that of release ${other.snapshot.id}` : `other bytes, ${etagOf(answer.digest)}`;
      const found = coding === "identity" || isPacked(path) ? what : `${what}, for ${coding}`;
      this.findings.add({ ...place, found, expected: etagOf(digest) });
    }
    if (coding === "identity" || isPacked(path)) this.#checkHeaders(answer, "file", place);
  }

  /** Adds a finding for a file that was not sent. */
  noteFile({ url, status, headers, flaw }: Answer, expected: string): void {
    const found = flaw ? `an answer that ${flaw}` : `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
    this.findings.add({ check: "files", url, found, expected });
  }

  /** Requests all pages, or a sample. */
  async readPages(): Promise<void> {
    const { site, options } = this;
    const { links, pages, asker } = site;
    const other = LINK_STYLES.find((form) => form !== links) ?? links;
    // If links are by path, the host may not support queries.
    const last = await this.#ask({ check: "both-forms", url: pageUrl({ ...site, links: other }, pages) }, "identity");
    if (links === "query" || (last && pageIn(last, site) === pages)) this.links.push(other);
    const all = this.links.flatMap((links) => CODINGS.map((coding) => ({ links, coding, isOpen: true, wrong: 0 })));
    this.#ways = all.slice(1);
    const planned = Math.min(options.sample ?? pages, pages);
    const read = async (page: number) => {
      await this.#readPage(page);
      this.visited++;
      const open = this.#ways.filter(({ isOpen }) => isOpen).length;
      options.onRequests(asker.requests, asker.requests + (planned - this.visited) * (1 + open));
    };
    // Page 1 shows which codings the host supports.
    await read(1);
    await each(this.#plan(planned), options.concurrency ?? SETTINGS.concurrency.default, read);
  }

  /** The pages after the first: all, or a sample that is spread evenly up to the last. */
  *#plan(planned: number): Generator<number> {
    const gap = planned === 1 ? 0 : (this.site.pages - 1) / (planned - 1);
    for (let place = 1; place < planned && this.#wrong < MOST_WRONG; place++) yield 1 + Math.round(place * gap);
  }

  async #readPage(page: number): Promise<void> {
    const { site, findings, copy } = this;
    const place = { check: "pages", page, url: pageUrl(site, page) };
    const answer = page === 1 ? site.first : await this.#ask(place, "identity");
    if (!answer) return;
    const read = readPage(answer);
    if ("why" in read) {
      this.#wrong++;
      return findings.add({ ...place, found: read.received, expected: "200 with a page" });
    }
    this.#checkHeaders(answer, "plain", place);
    if (this.comparison) this.comparison.take(page, place.url, answer.digest);
    else copy.write(this.#paths.path(page), answer.body);
    for (const way of this.#ways) if (way.isOpen) await this.#askBy(way, page, answer);
  }

  /** Requests a page in another way. @param plain the response with the plain page */
  async #askBy(way: Way, page: number, plain: Answer): Promise<void> {
    const { links, coding } = way;
    const check = coding === "identity" ? "both-forms" : coding;
    const place = { check, page, url: pageUrl({ ...this.site, links }, page) };
    const answer = await this.#ask(place, coding);
    if (!answer) return;
    const difference = this.#differenceOf(answer, coding, page, plain.digest);
    if (difference) {
      this.findings.add({ ...place, ...difference });
      if (++way.wrong >= MOST_WRONG) way.isOpen = false;
    }
    if (answer.status !== 200) return;
    const isCoded = coding !== "identity" && answer.headers.has("Content-Encoding");
    this.#checkHeaders(answer, isCoded ? "coded" : "plain", place);
    if (isCoded) this.#checkCoded(answer, plain, coding, place);
    else if (page === 1 && coding !== "identity" && !this.#isStored(coding)) way.isOpen = false;
  }

  /** The difference of a response from the page, if any. It may equal the plain response, or the page of the release. */
  #differenceOf(answer: Answer, coding: Variant, page: number, digest: string) {
    const listed = this.site.release?.sums.pages;
    const expected = coding === "identity" ? "the plain page" : `the plain page in ${coding}`;
    const said = answer.headers.get("Content-Encoding") ?? "identity";
    if (answer.status === 200 && said !== coding && (said !== "identity" || this.#isStored(coding)))
      return { found: said === "identity" ? "a plain answer" : `an answer in ${said}`, expected };
    if (answer.flaw !== undefined) return { found: `an answer that ${answer.flaw}`, expected };
    if (answer.status !== 200) {
      const read = readPage(answer);
      return { found: "received" in read ? read.received : `${answer.status}`, expected };
    }
    const isOfRelease = answer.digest === listed?.get(page, "identity");
    if (answer.digest !== digest && !isOfRelease) {
      const found = this.comparison?.nameOf(page, answer.digest) ?? `other bytes, ${etagOf(answer.digest)}`;
      return { found, expected };
    }
    const stored = isOfRelease && said === coding ? listed?.get(page, coding) : undefined;
    if (stored === undefined || answer.sent === stored) return undefined;
    return { found: "the page in other bytes than SHA256SUMS lists", expected };
  }

  #isStored(coding: Variant): boolean {
    const stored: readonly Variant[] = this.site.release?.snapshot.encodings ?? [];
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
  async #ask(place: Place, coding: Variant, maxBytes?: number, kept?: string): Promise<Answer | undefined> {
    try {
      if (kept !== undefined) return await this.copy.fetch(place.url, kept, maxBytes, coding);
      const take = place.check === "files" ? () => {} : undefined;
      return await this.site.asker.ask(place.url, { headers: { "Accept-Encoding": coding }, maxBytes, take });
    } catch (error) {
      // The host chose the path, which may not be valid here.
      if (kept !== undefined && codeOf(error) !== undefined && !(error instanceof UserError)) {
        this.findings.add({
          ...place,
          found: `a path that cannot be kept (${codeOf(error)})`,
          expected: "a plain path",
        });
        return undefined;
      }
      if (!(error instanceof NoAnswer) || ++this.#failures >= MOST_FAILURES) throw error;
      const what = place.page === undefined ? "file" : "page";
      this.findings.add({ ...place, found: `no ${what}: it ${error.why}`, expected: `200 with a ${what}` });
      return undefined;
    }
  }

  #checkHeaders(answer: Answer, kind: AnswerKind, place: Omit<Place, "check">): void {
    const { first } = this.site;
    const [id, own] = [answer.headers.get("Snapshot-Id"), first.headers.get("Snapshot-Id")];
    if (id !== null && own !== null && id !== own)
      this.findings.add({ ...place, check: "one-snapshot", found: id, expected: `${own}, as on page 1` });
    for (const { name, header, of, expectedIfWrong } of HEADERS) {
      const expected = of.includes(kind) ? expectedIfWrong(answer, this.site) : undefined;
      if (expected === undefined) continue;
      this.findings.add({ ...place, check: name, found: answer.headers.get(header) ?? `no ${header}`, expected });
    }
  }
}
