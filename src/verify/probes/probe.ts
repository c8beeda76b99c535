/** What a probe is: one question to a host, what the contract says of the answer, and who judges it. */
import { LISTING_PATH, pageUrl, parsePageUrl } from "../../contract/links.js";
import { shorten, visible } from "../../print/text.js";
import type { Release } from "../../release/open.js";
import type { Client } from "../../remote/client.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import type { FirstPage } from "../../remote/listing.js";
import { readAnswer } from "../../remote/listing.js";
import { TransferError } from "../../remote/transfer.js";

/** The host that gets the requests, and what is known of it. */
export interface ProbedSite {
  client: Client;
  /** Page 1, plain. */
  first: FirstPage;
  /** What the host should serve, where that is known. */
  release: Release | undefined;
  /** The Cache-Control that pages should have, where it is known. */
  cacheControl: string | undefined;
}

type Fields = Readonly<Record<string, string>>;

type Judgement = boolean | string;

/** A row of the tables of probes. */
export interface Probe {
  /** Stable: what `--allow` takes, and what the description of a host refers to. */
  name: string;
  /** The contract's words. */
  rule: string;
  method?: string;
  /** What is asked for, below the base URL: `/api/users/?page=01`. */
  path(site: ProbedSite): string;
  headers?(site: ProbedSite): Fields;
  /** Why there is nothing to ask, where there is nothing. */
  skipped?(site: ProbedSite): string | false;
  /**
   * Whether the answer is right, or why there is nothing to judge in it. Absent where only the bytes behind the headers
   * are counted, of which there must be none.
   */
  judge?(answer: RemoteResponse, site: ProbedSite): Judgement | Promise<Judgement>;
  /** What of the answer to show; its status, and where there is one, its detail or location, unless given. */
  show?(answer: RemoteResponse): string;
}

export interface Result {
  /** As in `GET /api/users/?page=01`. */
  request: string;
  received: string;
  isRight: boolean;
  /** Why nothing was requested, and then the rest is empty, or why nothing was judged. */
  skipped?: string;
  /** Why no whole answer came. */
  trouble?: TransferError;
}

/** Asks what a probe asks. An answer that does not come in full is one that is not right. */
export async function runProbe(probe: Probe, site: ProbedSite): Promise<Result> {
  const { method = "GET", path, headers, skipped, judge, show = showAnswer } = probe;
  const why = skipped?.(site);
  if (why) return { request: "", received: "", isRight: true, skipped: why };
  const fields = headers?.(site) ?? {};
  const extra = Object.entries(fields).map(([name, value]) => ` ${name}: ${value}`);
  const request = shorten(`${method} ${path(site)}${extra.join(",")}`, LONGEST_SHOWN);
  const url = `${site.first.facts.baseUrl}${path(site)}`;
  try {
    if (!judge) {
      const { status, bytes } = await site.client.countBody(url, method, fields);
      return {
        request,
        received: `${status}, ${bytes} bytes of body`,
        isRight: bytes === 0 || !isBare(method, status),
      };
    }
    const answer = await site.client.ask(url, { method, headers: fields });
    const judgement = await judge(answer, site);
    const result = { request, received: show(answer), isRight: judgement !== false };
    return typeof judgement === "string" ? { ...result, skipped: judgement } : result;
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    return { request, received: `no answer: it ${error.why}`, isRight: false, trouble: error };
  }
}

/** Whether an answer must have no body; where it should have been such an answer and is not, another row says so. */
function isBare(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

/** Below the base URL: a page as the listing's own links name it. */
export function pagePathOf({ first: { facts } }: ProbedSite, page: number): string {
  return pageUrl("", facts.links, page);
}

/** Below the base URL: the listing and what follows it, as `?page=01`. */
export function listing(rest = ""): () => string {
  return () => `${LISTING_PATH}${rest}`;
}

const LONGEST_SHOWN = 120;

/** `404 {"detail":"Invalid page."}`, `301 to /api/users/`, `200, page 2`, `200 (text/html) with a body that is HTML` */
function showAnswer(answer: RemoteResponse): string {
  const { status, body } = answer;
  const location = headerOf(answer, "Location");
  if (location !== undefined) return shorten(visible(`${status} to ${location}`), LONGEST_SHOWN);
  if (status === 200 && body.length > 0) return shorten(visible(showPage(answer)), LONGEST_SHOWN);
  const text = status >= 400 ? ` ${body.toString("utf8", 0, 4 * LONGEST_SHOWN)}` : "";
  return shorten(visible(`${status}${text}`.trim()), LONGEST_SHOWN);
}

function showPage(answer: RemoteResponse): string {
  const read = readAnswer(answer, answer.body);
  if ("received" in read) return read.received;
  const { next, previous } = read.envelope;
  const [after, before] = [next, previous].map((link) => parsePageUrl(link ?? "")?.page);
  return `200, page ${after === undefined ? (before ?? 0) + 1 : after - 1}`;
}

/** Shows headers by name, each with its value or `no`. */
export function showHeaders(...names: string[]): (answer: RemoteResponse) => string {
  return (answer) => {
    const lines = names.map((name) => {
      const value = headerOf(answer, name);
      return value === undefined ? `no ${name}` : `${name}: ${value}`;
    });
    return shorten(visible([answer.status, ...lines].join(", ")), LONGEST_SHOWN);
  };
}
