/** contract.json of a host: what its records are, where its listing is and how that is ordered. */

import { parseBaseUrl } from "../contract/base-url.js";
import { type Contract, USERS_CONTRACT } from "../contract/contract.js";
import { MAX_CONTRACT } from "../contract/file/form.js";
import { readContract } from "../contract/file/read.js";
import { UserError } from "../errors.js";
import { CONTRACT } from "../release/layout.js";
import { type Client, isHostBusy } from "./client.js";
import { decodeBody, headerOf, type RemoteResponse } from "./exchange.js";

export interface HostContract {
  contract: Contract;
  /** Of the answer that held it. */
  snapshotId: string | undefined;
  /** False where the host has none: then it is that of users. */
  isGiven: boolean;
}

/** @throws UserError when the host has a contract that is none; TransferError when no whole answer comes. */
export async function readHostContract(client: Client, baseUrl: string): Promise<HostContract> {
  const url = `${baseUrl}/${CONTRACT}`;
  const answer = await client.request(url, { maxBytes: MAX_CONTRACT });
  const { status } = answer;
  if (isHostBusy(answer) || status >= 500) {
    const type = headerOf(answer, "Content-Type") ?? "no Content-Type";
    const advice = isHostBusy(answer) ? "The host is busy; try again later." : adviceFor(answer, baseUrl);
    throw new UserError(
      `${url} answers ${status} (${type}), where a contract (200) or none (404) is expected. ${advice}`,
    );
  }
  const text = status === 200 ? String(await decodeBody(answer, MAX_CONTRACT)) : "";
  // Many hosts answer with a page for people where they have no file.
  if (status !== 200 || /^\s*</.test(text)) return { contract: USERS_CONTRACT, snapshotId: undefined, isGiven: false };
  const contract = await requireContract(text, baseUrl);
  return { contract, snapshotId: headerOf(answer, "Snapshot-Id"), isGiven: true };
}

/** @throws UserError when the text of a host's contract.json is no contract. */
export async function requireContract(text: string, baseUrl: string): Promise<Contract> {
  const contract = await readContract(text);
  if (!("mistakes" in contract)) return contract;
  throw new UserError(`${baseUrl}/${CONTRACT} is no contract: ${contract.mistakes[0]} Is ${baseUrl} the base URL?`);
}

/**
 * The base URL that a person gave, who may have meant the listing's own URL. One that ends as that of users does is taken
 * where the host has a contract there: then its listing is elsewhere. @throws UserError (usage) for what is no base URL.
 */
export async function findBaseUrl(client: Client, given: string): Promise<string> {
  try {
    return parseBaseUrl(given);
  } catch (refusal) {
    try {
      const { isGiven, contract } = await readHostContract(client, parseBaseUrl(given, null));
      if (isGiven) return parseBaseUrl(given, contract.listing.path);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
    throw refusal;
  }
}

/** Enough for every base URL that people have. */
const MOST_ABOVE = 10;

/**
 * Looks above a base URL that leads to no listing: it may be the URL of the listing itself, or of one of its pages.
 * @throws UserError (usage) when it is.
 */
export async function refuseListingUrl(client: Client, baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  let above = baseUrl;
  for (let step = 0; step < MOST_ABOVE && above !== origin; step++) {
    above = above.slice(0, above.lastIndexOf("/"));
    const found = await readHostContract(client, above).catch((error: unknown) => {
      if (error instanceof UserError) return undefined;
      throw error;
    });
    if (found?.isGiven) parseBaseUrl(baseUrl, found.contract.listing.path);
  }
}

/** What is likely, and how to see it. */
export function adviceFor({ status }: RemoteResponse, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "Most likely the server's user cannot read the release: there, \"rollcall verify\" says what stops other users, and the server's error log what it was.";
}
