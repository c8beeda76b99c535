/** The first page of a deployed listing, which tells how to ask for the others. */
import { LINK_STYLES, pageUrl } from "../contract/links.js";
import { UserError } from "../errors.js";
import { type Client, isBusy, MAX_BYTES } from "./client.js";
import { decodeBody } from "./decode.js";
import type { RemoteResponse } from "./exchange.js";
import { factsOf, type ListingFacts, readPage } from "./listing.js";

export interface FirstPage {
  facts: ListingFacts;
  answer: RemoteResponse;
  /** Decoded. */
  bytes: Buffer;
}

/**
 * Asks for page 1, by query, and where that is not answered with a page, by path, as hosts without queries may want it.
 * @param headers what to ask with, as `Accept-Encoding`.
 * @throws UserError naming the URL and what came, when neither is answered with a page that makes sense.
 */
export async function readFirst(
  client: Client,
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  maxBytes = MAX_BYTES,
): Promise<FirstPage> {
  const refusals: UserError[] = [];
  for (const links of LINK_STYLES) {
    const answer = await client.ask(pageUrl(baseUrl, links, 1), { headers });
    const bytes = await decodeBody(answer, maxBytes);
    const read = readPage(answer, bytes);
    if ("envelope" in read) return { facts: factsOf(baseUrl, links, answer, read.envelope), answer, bytes };
    if (isBusy(answer)) throw new UserError(`${answer.url} ${read.why}. The host is busy; try again later.`);
    refusals.push(new UserError(`${answer.url} ${read.why}. Is ${baseUrl} the base URL?`));
  }
  throw refusals[0];
}
