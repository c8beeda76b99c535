/** A probe: one request to a host, the rule for its answer, and how to tell whether the answer keeps it. */
import { pageUrl, parsePageUrl } from "../../contract/links.js";
import { shorten, visible } from "../../print/text.js";
import type { Variant } from "../../release/layout.js";
import type { Client } from "../../remote/client.js";
import { headerOf, type RemoteRequest, type RemoteResponse } from "../../remote/exchange.js";
import { TransferError } from "../../remote/transfer.js";
import type { ExpectedRelease } from "../site/compare.js";
import { contradictionOf, type FirstPage, readAnswer } from "../site/listing.js";

/** In which pages and files are requested. */
export const CODINGS: readonly Variant[] = ["identity", "br", "gzip"];

/** The host that gets the requests, and what is known of it. */
export interface ProbedSite {
  client: Client;
  /** Page 1, plain. */
  first: FirstPage;
  /** What the host should serve, where that is known. */
  release: ExpectedRelease | undefined;
  /** The Cache-Control that pages should have, where it is known. */
  cacheControl: string | undefined;
}

export interface Probe {
  /** Stable: what `--allow` takes, and what the description of a host refers to. */
  name: string;
  /** In the contract's words. */
  rule: string;
  method?: string;
  /** Below the base URL: `/v1/stations/?page=01`; page 1 unless given. */
  path?: ((site: ProbedSite) => string) | undefined;
  headers?(site: ProbedSite): RemoteRequest["headers"];
  /** Why there is nothing to request. */
  skipped?(site: ProbedSite): string | false;
  /** Whether an answer is right, or why there is nothing to judge in it. */
  judge(answer: RemoteResponse, site: ProbedSite): boolean | string | Promise<boolean | string>;
  /** Headers of the answer to show; unless given, its location, its page or its detail. */
  shown?: readonly string[];
}

export interface ProbeResult {
  request: string;
  received: string;
  isRight: boolean;
  /** Why nothing was requested, and then the rest is empty, or why nothing was judged. */
  skipped?: string;
  answer?: RemoteResponse;
  /** Why the answer did not come in full. */
  error?: TransferError;
}

/** Sends a probe's request. An answer that does not come in full is not right. */
export async function runProbe(probe: Probe, site: ProbedSite): Promise<ProbeResult> {
  const { method = "GET", judge, shown } = probe;
  const why = probe.skipped?.(site);
  if (why) return { request: "", received: "", isRight: true, skipped: why };
  const { client, first } = site;
  const headers = probe.headers?.(site) ?? {};
  const path = probe.path?.(site) ?? pageUrl({ ...first.facts, baseUrl: "" }, 1);
  const url = `${first.facts.baseUrl}${path}`;
  const extra = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`);
  const request = shorten(visible(`${method} ${path}${extra.join(",")}`), LONGEST_SHOWN);
  try {
    const answer = await client.request(url, { method, headers });
    const judgement = await judge(answer, site);
    const received = shorten(visible(shown ? showHeaders(answer, shown) : showAnswer(answer, site)), LONGEST_SHOWN);
    const result = { request, received, isRight: judgement !== false, answer };
    return typeof judgement === "string" ? { ...result, skipped: judgement } : result;
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    return { request, received: `no answer: it ${error.why}`, isRight: false, error };
  }
}

/** Below the base URL: the listing and what follows it, as `?page=01`. */
export function listing(rest = ""): NonNullable<Probe["path"]> {
  return ({ first }) => `${first.facts.path}${rest}`;
}

/** The listing without its final slash. */
export function bare({ first }: ProbedSite): string {
  return first.facts.path.slice(0, -1);
}

/** Whether an answer is page `page` of the listing, in plain JSON. */
export function isPage(answer: RemoteResponse, { first: { facts } }: ProbedSite, page: number): boolean {
  const read = readAnswer(answer, answer.body);
  return "envelope" in read && contradictionOf(facts, page, read.envelope) === undefined;
}

export const ALLOWED = "GET, HEAD, OPTIONS";

/** The tag of page 1; empty where it has none. */
export function tagOf({ first }: ProbedSite): string {
  return headerOf(first.answer, "ETag") ?? "";
}

/** Whether a header has one line, with one of some values. */
export function hasHeader({ headers }: RemoteResponse, name: string, ...values: readonly string[]): boolean {
  const lines = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
  const found = comparable(name, lines[0]?.[1] ?? "");
  return lines.length === 1 && values.some((value) => comparable(name, value) === found);
}

/** Methods have a case, and what else is compared has none. Vary and Allow are lists without an order. */
function comparable(name: string, value: string): string {
  const text = name === "Allow" ? value : value.toLowerCase();
  return name === "Allow" || name === "Vary"
    ? text
        .split(/[ \t]*,[ \t]*/)
        .sort()
        .join(", ")
    : text;
}

/** `Accept`, or with `Accept-Encoding` where pages are compressed: as on page 1, if that has one of the two. */
export function varyOf({ release, first }: ProbedSite): string[] {
  const both = ["Accept", "Accept, Accept-Encoding"];
  if (release) return [both[release.snapshot.encodings.length > 0 ? 1 : 0] ?? ""];
  const found = both.filter((vary) => hasHeader(first.answer, "Vary", vary));
  return found.length > 0 ? found : both;
}

const LONGEST_SHOWN = 120;

/** `404 {"detail":"Invalid page."}`, `301 to /v1/stations/`, `200, page 2`, `200 (text/html) with a body that is HTML` */
function showAnswer(answer: RemoteResponse, { first }: ProbedSite): string {
  const { status, body } = answer;
  const location = headerOf(answer, "Location");
  if (location !== undefined) return `${status} to ${location}`;
  const text = status >= 400 ? ` ${body.toString("utf8", 0, 4 * LONGEST_SHOWN)}` : "";
  if (status !== 200 || body.length === 0) return `${status}${text}`.trim();
  const read = readAnswer(answer, body);
  if ("received" in read) return read.received;
  const { next, previous } = read.envelope;
  const [after, before] = [next, previous].map((link) => parsePageUrl(link ?? "", first.facts.path)?.page);
  return `200, page ${after === undefined ? (before ?? 0) + 1 : after - 1}`;
}

/** `200, ETag: "1f6a", no Vary` */
function showHeaders(answer: RemoteResponse, names: readonly string[]): string {
  const shown = names.map((name) => [name, headerOf(answer, name)] as const);
  const lines = shown.map(([name, value]) => (value === undefined ? `no ${name}` : `${name}: ${value}`));
  return [answer.status, ...lines].join(", ");
}
