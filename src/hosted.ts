/** A published listing as verbs meet it: the base URL that a person gave, its contract, and errors that say what to do. */
import { ListingError, type ListingErrorCode } from "./client/errors.js";
import { openListing } from "./client/listing.js";
import type { OpenListing } from "./client/options.js";
import { parseBaseUrl } from "./contract/base-url.js";
import { type AnyRecord, type Contract, USERS_CONTRACT } from "./contract/contract.js";
import { readContract } from "./contract/file/read.js";
import { codeOf, HostError, UserError } from "./errors.js";

/** Normalised, with no request. @throws UserError (usage) for what is not a base URL */
export function baseUrlOf(given: string): string {
  try {
    return parseBaseUrl(given, null);
  } catch {
    // Of a page of users it says which base URL was meant.
    return parseBaseUrl(given);
  }
}

/** The contract of a listing; that of users for a host without proof and without a contract. @throws UserError for one that is not valid */
export async function readHostContract(listing: OpenListing<AnyRecord>): Promise<Contract> {
  const file = await listing.contract().catch((error: unknown) => {
    if (listing.proof === "none" && isNothing(error)) return undefined;
    throw error;
  });
  return file ? requireContract(`${JSON.stringify(file, null, 2)}\n`, listing.baseUrl) : USERS_CONTRACT;
}

/** @throws UserError when a host's contract.json is not a contract */
export async function requireContract(text: string, baseUrl: string): Promise<Contract> {
  const contract = await readContract(text);
  if (!("mistakes" in contract)) return contract;
  throw new UserError(
    `${baseUrl}/contract.json is not a contract: ${contract.mistakes[0]} Is ${baseUrl} the base URL?`,
  );
}

/** Whether the host answered that it has no such file, as many do with a web page or a redirect. */
function isNothing(error: unknown): boolean {
  if (!(error instanceof ListingError)) return false;
  const { code, received } = error;
  return code === "malformed" || code === "redirect" || (code === "status" && Number(received) < 500);
}

/**
 * A reader's error with what a person can do about it; any other error as it is.
 * @param advice by the error's code
 * @throws UserError (usage) when the base URL is the URL of the listing itself
 */
export async function explainListing(
  error: unknown,
  { baseUrl, proof }: Pick<OpenListing, "baseUrl" | "proof">,
  advice: Readonly<Partial<Record<ListingErrorCode, string>>>,
): Promise<unknown> {
  if (!(error instanceof ListingError)) return error;
  const { code, url, message } = error;
  if (proof === undefined && (code === "unproved" || isNothing(error))) await refuseListingUrl(baseUrl);
  const why = whyUnreachable(error);
  if (why !== undefined) return new HostError(`${url} cannot be reached: ${why}.`, { cause: error });
  if (code === "unproved")
    return new UserError(`${url} is not there, so nothing can be proved. Is ${baseUrl} the base URL?`, {
      cause: error,
    });
  if (code === "network" || code === "timeout")
    return new HostError(`${message} ${advice[code] ?? "Run this again later."}`, { cause: error });
  return new UserError(`${message} ${advice[code] ?? `Is ${baseUrl} the base URL?`}`, { cause: error });
}

/** Enough for every base URL that people have. */
const MOST_ABOVE = 10;

/**
 * Looks above a base URL that leads to no listing: it may be the URL of the listing itself, or of one of its pages.
 * @throws UserError (usage) when it is
 */
export async function refuseListingUrl(baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  let above = baseUrl;
  for (let step = 0; step < MOST_ABOVE && above !== origin; step++) {
    above = above.slice(0, above.lastIndexOf("/"));
    const file = await openListing(above, { unproved: true, pausesMs: [] })
      .contract()
      .catch(() => undefined);
    const path = file?.["x-listing"]?.path;
    if (typeof path === "string") parseBaseUrl(baseUrl, path);
  }
  parseBaseUrl(baseUrl);
}

/** Why no connection came about, by the code of the system or of TLS; undefined for any other error. */
export function whyUnreachable(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    const why = UNREACHABLE[codeOf(cause) ?? ""];
    if (why !== undefined) return why;
  }
  return undefined;
}

const UNTRUSTED = "its certificate is not trusted; NODE_EXTRA_CA_CERTS names a file to trust";

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; check the address, and that the host runs",
  ENOTFOUND: "its name is not known; check the address",
  EAI_AGAIN: "its name cannot be looked up now; check the network",
  EHOSTUNREACH: "there is no way to it; check the network",
  ENETUNREACH: "there is no way to it; check the network",
  ETIMEDOUT: "no connection was made in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection was made in time",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EPROTO: "it does not speak TLS; try http:// instead of https://",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS; try http:// instead of https://",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; try http:// instead of https://",
};
