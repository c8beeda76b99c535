/** Reads a host once: its files, and its pages, all or some, in every way in which readers get them. What is not right is a finding. */
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
import { filesOfHosts } from "../../hosts/hosts.js";
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
import { findDigest } from "../../release/plain-files.js";
import { parseSnapshot, type Snapshot } from "../../release/snapshot-file.js";
import { pagesToList, readSums } from "../../release/sums.js";
import { explainRoom } from "../../scratch/folder.js";
import { SETTINGS } from "../../settings/table.js";
import { each } from "../../workers/at-most.js";
import type { VerifyOptions } from "../options.js";
import { checkSigned, type Demand, type SignatureResult } from "../signature.js";
import { type Finding, Findings } from "../verdict.js";
import { compareWith, type PageComparison } from "./against-release.js";
import { type Answer, type Asker, MAX_BYTES, NoAnswer } from "./ask.js";
import { type AnswerKind, HEADERS, whyNoDigest } from "./headers.js";
import { CODINGS, type ExpectedRelease, hasHeader, pageIn, readPage, type Site } from "./site.js";

export interface ReadingOptions extends Pick<VerifyOptions, "sample" | "concurrency" | "cacheControl"> {
  baseUrl: string;
  /** The release that the host should serve. */
  against?: Release | undefined;
  /** Other releases, which a host may still serve. */
  known?: readonly Release[] | undefined;
  /** What the signature must be, where one is demanded. */
  demand?: Demand | undefined;
  /** Told how many requests were sent, and how many there may be. */
  onRequests(requests: number, total: number): void;
}

/** A host that fails this often to answer in full is given up. */
export const MOST_FAILURES = 20;
/** After so many wrong answers of a kind the rest is not asked for: a count may promise millions that are not there. */
const MOST_WRONG = 100;
/** Bytes of SHA256SUMS for a page and its compressed forms, and in all: how many pages there are is what a stranger says. */
const [SUM_BYTES_OF_PAGE, MOST_SUM_BYTES] = [1000, 2 ** 32];

/** Where a request leads, and the check that an answer fails which does not come. */
type Place = Pick<Finding, "check" | "page"> & { url: string };
/** How pages can be asked for besides the plain one by the form of the listing's links; pages after the first only while it is open. */
type Way = { links: LinkStyle; coding: Variant; isOpen: boolean; wrong: number };

export type Reading = Awaited<ReturnType<typeof readHost>>;

/**
 * @param folder an empty one, which then holds what the host serves, unless that is compared with a release.
 * @throws UserError when the host cannot be reached, has no page 1, or fails again and again
 */
export async function readHost(asker: Asker, options: ReadingOptions, folder: string) {
  const { baseUrl, against, demand, cacheControl } = options;
  const keeper = new Keeper(asker, folder);
  const before = await keeper.keep(`${baseUrl}/${SNAPSHOT}`, SNAPSHOT);
  const own = before.status === 200 ? parseSnapshot(String(keeper.read(SNAPSHOT))) : undefined;
  const contract = against?.contract ?? (await readContract(keeper, baseUrl));
  const { path } = contract.listing;
  const { first, links } = await readFirst(asker, baseUrl, path, (against?.snapshot ?? own)?.links);
  const linkBase = linkBaseOf(first, path);
  const snapshot = against?.snapshot ?? own ?? promisedBy(first, { baseUrl: linkBase ?? baseUrl, path, links });
  const mostSumBytes = Math.min(MAX_BYTES + snapshot.pages * SUM_BYTES_OF_PAGE, MOST_SUM_BYTES);
  const sumsUrl = `${baseUrl}/${SUMS}`;
  const sums = await keeper.keep(sumsUrl, SUMS, mostSumBytes);
  const release = against ?? (own && (await readOwn(keeper, sums, own, path)));
  const site: Site = { asker, baseUrl, path, links, pages: snapshot.pages, release, cacheControl, first };
  const reading = new HostReading(site, options, keeper);
  const { findings } = reading;
  if (linkBase !== undefined && linkBase !== baseUrl)
    findings.add({ check: "base-url", page: 1, url: first.url, found: `links to ${linkBase}`, expected: baseUrl });
  const signature = await readSignature(keeper, { baseUrl, id: snapshot.id, demand }, findings);
  const isSigned = keeper.has(SIGNATURE);
  if (sums.status !== 200) reading.noteFile(sums, "200 with a file");
  const files = await reading.readFiles(isSigned, mostSumBytes);
  await reading.readPages();
  const [now, again] = [await asker.ask(`${baseUrl}/${SNAPSHOT}`), await asker.ask(first.url)];
  const hasMoved =
    now.status !== before.status || (own && now.digest !== before.digest) || again.digest !== first.digest;
  return {
    ...{ site, contract, findings, signature, hasMoved },
    note: reading.comparison?.note(linkBase),
    /** What page 1 promises, where the host has no snapshot.json. */
    said: own ? undefined : snapshot,
    whyAbsent: reading.whyAbsent,
    asked: {
      ...{ pages: reading.visited, of: snapshot.pages, files, links: reading.links },
      codings: ["identity", ...reading.codings] as const,
    },
  };
}

/** Keeps what a host serves in a folder. */
class Keeper {
  constructor(
    private readonly asker: Asker,
    private readonly folder: string,
  ) {}

  /** Asks for a file. What comes with 200 is in the folder then. @throws UserError when there is no room, and as `ask` does */
  async keep(url: string, path: string, maxBytes?: number, coding: Variant = "identity"): Promise<Answer> {
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

/** The host's own contract; that of users where it has none. @throws UserError for one that is not valid, and where the host fails */
async function readContract(keeper: Keeper, baseUrl: string): Promise<Contract> {
  const answer = await keeper.keep(`${baseUrl}/${CONTRACT}`, CONTRACT, MAX_CONTRACT);
  const { url, status, headers } = answer;
  if (status >= 500)
    throw new UserError(
      `${url} answers ${status} (${headers.get("Content-Type") ?? "no Content-Type"}), where a contract (200) or none (404) is expected. ${adviceFor(answer, baseUrl)}`,
    );
  const text = keeper.has(CONTRACT) ? String(keeper.read(CONTRACT)) : "";
  // Many hosts answer with a web page where they have no file.
  if (text !== "" && !/^\s*</.test(text)) return requireContract(text, baseUrl);
  keeper.write(CONTRACT, Buffer.from(USERS_CONTRACT.text));
  return USERS_CONTRACT;
}

/** Page 1, plain: by the form of the listing's links, or by the other one. @throws UserError saying what came instead */
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

/** What is likely, and how to see it. */
function adviceFor({ status }: Answer, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "Most likely the server's user cannot read the release: there, \"rollcall verify\" says what stops other users, and the server's error log what it was.";
}

/** The base URL that the links of page 1 have; undefined where there is one page only. */
function linkBaseOf(first: Answer, path: string): string | undefined {
  const read = readPage(first);
  return "envelope" in read ? parsePageUrl(read.envelope.next ?? "", path)?.baseUrl : undefined;
}

/** What page 1 promises of all pages. @throws UserError when it contradicts itself */
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

/** What the host's SHA256SUMS and snapshot.json say together; undefined where they do not fit, which is found in the folder. */
async function readOwn(
  keeper: Keeper,
  { status }: Answer,
  snapshot: Snapshot,
  path: string,
): Promise<ExpectedRelease | undefined> {
  if (status !== 200 || !keeper.has(SUMS)) return undefined;
  const file = keeper.open(SUMS);
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
  demand: Demand | undefined;
}

async function readSignature(
  keeper: Keeper,
  { baseUrl, id, demand }: SignedHost,
  findings: Findings,
): Promise<SignatureResult> {
  const url = `${baseUrl}/${SIGNATURE}`;
  await keeper.keep(url, SIGNATURE);
  // Many hosts answer with a web page where they have no file.
  if (keeper.has(SIGNATURE) && !keeper.read(SIGNATURE).toString("latin1", 0, 9).startsWith("untrusted"))
    keeper.drop(SIGNATURE);
  const signature = keeper.has(SIGNATURE) ? String(keeper.read(SIGNATURE)) : undefined;
  // A signature is of all bytes at once.
  const sums = demand && keeper.has(SUMS) ? keeper.read(SUMS) : undefined;
  return checkSigned({ url }, { sums, signature, id, baseUrl }, demand, findings);
}

/** Of a file that SHA256SUMS cannot list, which a release on disk alone tells. */
function digestOf({ folder }: Release, path: string): string | undefined {
  return findDigest(join(folder, path), Buffer.allocUnsafe(2 ** 18));
}

const isUnlisted = (path: string) => path === SUMS || path === SIGNATURE;

class HostReading {
  readonly findings = new Findings();
  readonly comparison: PageComparison | undefined;
  /** The forms of URL that pages have, that of the listing's links first. */
  readonly links: LinkStyle[];
  /** The codings in which an answer came. */
  readonly codings = new Set<Variant>();
  /** How many pages were asked for. */
  visited = 0;
  #ways: Way[] = [];
  #paths: PagePaths;
  #wrong = 0;
  #failures = 0;

  constructor(
    private readonly site: Site,
    private readonly options: ReadingOptions,
    private readonly keeper: Keeper,
  ) {
    const { against, known = [] } = options;
    this.comparison = against && compareWith(against, known, this.findings);
    this.links = [site.links];
    this.#paths = new PagePaths(site.path);
  }

  /** Why a file is not in the folder: it was asked for, or is not for readers. Undefined for any other file. */
  readonly whyAbsent = (path: string): string | undefined => {
    if (!isPublic(path)) return "hosts do not serve it";
    const isAsked =
      [SNAPSHOT, SUMS].includes(path) || this.#paths.find(path) || this.site.release?.sums.others.has(path);
    return isAsked ? "it did not come from the host" : undefined;
  };

  /** Asks for all files that SHA256SUMS lists for readers. @returns how many there are */
  async readFiles(isSigned: boolean, mostSumBytes: number): Promise<number> {
    const { site, options } = this;
    const { others = new Map<string, string>() } = site.release?.sums ?? {};
    const ofHosts = filesOfHosts();
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
    const isKept = !against && !this.keeper.has(path);
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

  /** A file that did not come. */
  noteFile({ url, status, headers, flaw }: Answer, expected: string): void {
    const found = flaw ? `an answer that ${flaw}` : `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
    this.findings.add({ check: "files", url, found, expected });
  }

  /** Asks for all pages, or for a sample of them. */
  async readPages(): Promise<void> {
    const { site, options } = this;
    const { links, pages, asker } = site;
    const other = LINK_STYLES.find((form) => form !== links) ?? links;
    // Where links are by path, a host may map no query.
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
    // It shows which codings the host has.
    await read(1);
    await each(this.#plan(planned), options.concurrency ?? SETTINGS.concurrency.default, read);
  }

  /** The pages after the first: all of them, or some that are spread evenly up to the last. */
  *#plan(planned: number): Generator<number> {
    const gap = planned === 1 ? 0 : (this.site.pages - 1) / (planned - 1);
    for (let place = 1; place < planned && this.#wrong < MOST_WRONG; place++) yield 1 + Math.round(place * gap);
  }

  async #readPage(page: number): Promise<void> {
    const { site, findings, keeper } = this;
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
    else keeper.write(this.#paths.path(page), answer.body);
    for (const way of this.#ways) if (way.isOpen) await this.#askBy(way, page, answer.digest);
  }

  /** Asks for a page in another way. @param digest of the plain page */
  async #askBy(way: Way, page: number, digest: string): Promise<void> {
    const { links, coding } = way;
    const check = coding === "identity" ? "both-forms" : coding;
    const place = { check, page, url: pageUrl({ ...this.site, links }, page) };
    const answer = await this.#ask(place, coding);
    if (!answer) return;
    const difference = this.#differenceOf(answer, coding, page, digest);
    if (difference) {
      this.findings.add({ ...place, ...difference });
      if (++way.wrong >= MOST_WRONG) way.isOpen = false;
    }
    if (answer.status !== 200) return;
    const isCoded = coding !== "identity" && answer.headers.has("Content-Encoding");
    this.#checkHeaders(answer, isCoded ? "coded" : "plain", place);
    if (isCoded) this.#checkCoded(answer, coding, place);
    else if (page === 1 && coding !== "identity" && !this.#isStored(coding)) way.isOpen = false;
  }

  /** What an answer is instead of the page. Where the plain page is not the release's, either will do. */
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

  #checkCoded(answer: Answer, coding: Variant, place: Place): void {
    this.codings.add(coding);
    const add = (check: string, header: string, expected: string) =>
      this.findings.add({ ...place, check, found: answer.headers.get(header) ?? `no ${header}`, expected });
    const tag = whyNoDigest(answer);
    if (tag !== undefined) add(`${coding}-tag`, "ETag", tag);
    const vary = "Accept, Accept-Encoding";
    if (!hasHeader(answer, "Vary", vary)) add(`${coding}-vary`, "Vary", vary);
  }

  /** An answer that does not come in full is a finding, and undefined. @throws NoAnswer after too many of them */
  async #ask(place: Place, coding: Variant, maxBytes?: number, kept?: string): Promise<Answer | undefined> {
    try {
      if (kept !== undefined) return await this.keeper.keep(place.url, kept, maxBytes, coding);
      const take = place.check === "files" ? () => {} : undefined;
      return await this.site.asker.ask(place.url, { headers: { "Accept-Encoding": coding }, maxBytes, take });
    } catch (error) {
      // A stranger names the paths.
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
    for (const { name, header, of, whyNot } of HEADERS) {
      const expected = of.includes(kind) ? whyNot(answer, this.site) : undefined;
      if (expected === undefined) continue;
      this.findings.add({ ...place, check: name, found: answer.headers.get(header) ?? `no ${header}`, expected });
    }
  }
}
