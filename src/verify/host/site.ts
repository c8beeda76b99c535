/** A host as its answers are judged: where its listing is, what it should serve, and how its answers are read. */
import { type PageBody, readBody } from "../../contract/envelope.js";
import { type ListingPlace, parsePageUrl } from "../../contract/links.js";
import type { Variant } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import type { Answer, Asker } from "./ask.js";

/** The codings in which pages and files are asked for. */
export const CODINGS: readonly Variant[] = ["identity", "br", "gzip"];

/** What a host should serve: a release on disk, or what the host itself says. */
export type ExpectedRelease = Pick<Release, "snapshot" | "sums">;

export interface Site extends ListingPlace {
  asker: Asker;
  pages: number;
  /** Undefined where neither a release on disk nor the host tells. */
  release: ExpectedRelease | undefined;
  /** The Cache-Control that pages should have, where it is known. */
  cacheControl: string | undefined;
  /** Page 1, plain. */
  first: Answer;
}

/** Whether a header has one line, with one of some values. */
export function hasHeader({ headers, lines }: Answer, name: string, ...values: readonly string[]): boolean {
  const found = comparable(name, headers.get(name) ?? "");
  return lines.get(name.toLowerCase()) === 1 && values.some((value) => comparable(name, value) === found);
}

/** Methods have a case, and what else is compared has none. Vary and Allow are lists without an order. */
function comparable(name: string, value: string): string {
  const text = name === "Allow" ? value : value.toLowerCase();
  if (name !== "Allow" && name !== "Vary") return text;
  return text
    .split(/[ \t]*,[ \t]*/)
    .sort()
    .join(", ");
}

/** `Accept`, or with `Accept-Encoding` where pages are compressed: as on page 1, if that has one of the two. */
export function varyOf({ release, first }: Site): string[] {
  const both = ["Accept", "Accept, Accept-Encoding"];
  if (release) return [both[release.snapshot.encodings.length > 0 ? 1 : 0] ?? ""];
  const found = both.filter((vary) => hasHeader(first, "Vary", vary));
  return found.length > 0 ? found : both;
}

/** The page of an answer, or what came instead: as the rest of a sentence, and by name. */
export function readPage(answer: Answer): PageBody | { why: string; received: string } {
  const { status, headers, body, flaw } = answer;
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location !== null) {
    const to = `(${status}) to ${JSON.stringify(location.slice(0, 200))}`;
    return { why: `redirects ${to}, where only a page is expected`, received: `a redirect ${to}` };
  }
  const received = `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
  if (status !== 200) return { why: `answers ${received}, where a page (200) is expected`, received };
  const read = flaw === undefined ? readBody(body) : { why: flaw };
  if ("envelope" in read) return read;
  const all = `${received} with a body that ${read.why}`;
  return { why: `answers ${all}`, received: all };
}

/** The number of the page in an answer, by its links; undefined where there is no page in it. */
export function pageIn(answer: Answer, { path }: Pick<Site, "path">): number | undefined {
  const read = readPage(answer);
  if (!("envelope" in read)) return undefined;
  const { next, previous } = read.envelope;
  const [after, before] = [next, previous].map((link) => link && parsePageUrl(link, path)?.page);
  return before ? before + 1 : after ? after - 1 : 1;
}
