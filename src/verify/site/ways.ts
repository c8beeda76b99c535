/** Requests each page as others get it, too: in each coding, and by path where its links are by query. */
import { type LinkStyle, pageUrl } from "../../contract/links.js";
import { sha256 } from "../../release/files.js";
import type { Variant } from "../../release/layout.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { CODINGS, hasHeader } from "../probes/probe.js";
import { type Attempt, digestOf, MOST_WRONG, type Place } from "./attempt.js";
import type { PageComparison } from "./compare.js";
import { whyNoDigest } from "./headers.js";

/** How a page can be requested: pages after the first only while it is open. */
type Way = { links: LinkStyle; coding: Variant; isOpen: boolean; wrong: number };

export class Ways {
  /** All but the first, in which the listing is walked. */
  readonly #ways: Way[];
  /** The codings in which an answer came. */
  readonly codings = new Set<Variant>();

  /** @param links the forms of URL, the one of the listing's own links first. */
  constructor(
    readonly attempt: Attempt,
    readonly comparison: PageComparison,
    links: readonly LinkStyle[],
  ) {
    const all = links.flatMap((form) => CODINGS.map((coding) => ({ links: form, coding, isOpen: true, wrong: 0 })));
    this.#ways = all.slice(1);
  }

  /** In how many ways pages are requested. */
  get open(): number {
    return this.#ways.filter(({ isOpen }) => isOpen).length;
  }

  /** Page 1 must be the first: it shows which codings the host has. @param bytes of the plain page. */
  async ask(page: number, bytes: Buffer): Promise<void> {
    const digest = sha256(bytes);
    for (const way of this.#ways) if (way.isOpen) await this.#ask(way, page, digest);
  }

  async #ask(way: Way, page: number, digest: string): Promise<void> {
    const { attempt } = this;
    const { links, coding } = way;
    const check = coding === "identity" ? "both-forms" : coding;
    const place = { check, page, url: pageUrl({ ...attempt.site.first.facts, links }, page) };
    const answer = await attempt.ask(place, coding);
    if (!answer) return;
    const difference = await this.#findDifference(answer, coding, page, digest);
    if (difference) {
      attempt.findings.add({ ...place, ...difference });
      if (++way.wrong >= MOST_WRONG) way.isOpen = false;
    }
    if (answer.status !== 200) return;
    const isCoded = coding !== "identity" && headerOf(answer, "Content-Encoding") !== undefined;
    attempt.checkHeaders(answer, isCoded ? "coded" : "plain", place);
    if (isCoded) this.#checkCoded(answer, coding, place);
    else if (page === 1 && coding !== "identity" && !this.#isStored(coding)) way.isOpen = false;
  }

  /** What an answer is instead of the page. Where the plain page is not the release's, either will do. */
  async #findDifference(answer: RemoteResponse, coding: Variant, page: number, digest: string) {
    const listed = this.attempt.site.release?.sums.pages;
    const expected = coding === "identity" ? "the plain page" : `the plain page in ${coding}`;
    const said = headerOf(answer, "Content-Encoding") ?? "identity";
    if (answer.status === 200 && said !== coding && (said !== "identity" || this.#isStored(coding)))
      return { found: said === "identity" ? "a plain answer" : `an answer in ${said}`, expected };
    const found = await digestOf(answer);
    if ("why" in found) return { found: found.why, expected };
    const isOfRelease = found.digest === listed?.get(page, "identity");
    if (found.digest !== digest && !isOfRelease) return { found: this.comparison.nameOf(page, found.digest), expected };
    const stored = isOfRelease && said === coding ? listed?.get(page, coding) : undefined;
    return stored === undefined || sha256(answer.body) === stored
      ? undefined
      : { found: `the page in other bytes than SHA256SUMS lists`, expected };
  }

  #isStored(coding: Variant): boolean {
    const stored: readonly Variant[] = this.attempt.site.release?.snapshot.encodings ?? [];
    return stored.includes(coding);
  }

  #checkCoded(answer: RemoteResponse, coding: Variant, place: Place): void {
    this.codings.add(coding);
    const add = (check: string, header: string, expected: string) =>
      this.attempt.findings.add({ ...place, check, found: headerOf(answer, header) ?? `no ${header}`, expected });
    const tag = whyNoDigest(answer);
    if (tag !== undefined) add(`${coding}-tag`, "ETag", tag);
    const vary = "Accept, Accept-Encoding";
    if (!hasHeader(answer, "Vary", vary)) add(`${coding}-vary`, "Vary", vary);
  }
}
