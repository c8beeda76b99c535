/** What verbs need of a published listing: its base URL, its contract, and errors that say what to do. */
import type { AnyRecord, Contract } from "../core/contract/contract.js";
import { parseContract } from "../core/contract/file/load.js";
import { USERS_CONTRACT } from "../core/contract/users.js";
import { codeOf, HostError, UserError } from "../core/errors.js";
import { ListingError, type ListingErrorCode } from "./errors.js";
import type { OpenListing } from "./options.js";
import { isNotFound } from "./unproved.js";

/** Reads a listing's contract. A host with neither SHA256SUMS nor contract.json has the contract of users. @throws UserError if it is not valid */
export async function readPublishedContract(listing: OpenListing<AnyRecord>): Promise<Contract> {
  const file = await listing.contract().catch((error: unknown) => {
    if (listing.proof === "none" && isNotFound(error)) return undefined;
    throw error;
  });
  if (!file) return USERS_CONTRACT;
  const contract = await parseContract(`${JSON.stringify(file, null, 2)}\n`);
  if (!("mistakes" in contract)) return contract;
  const { baseUrl } = listing;
  throw new UserError(
    `${baseUrl}/contract.json is not a contract: ${contract.mistakes[0]} Is ${baseUrl} the base URL?`,
  );
}

/**
 * Turns a client error into a UserError that says what to do; returns any other error unchanged.
 * @param advice what to do, by the error's code
 */
export function explainListing(
  error: unknown,
  { baseUrl }: Pick<OpenListing, "baseUrl">,
  advice: Readonly<Partial<Record<ListingErrorCode, string>>>,
): unknown {
  if (!(error instanceof ListingError)) return error;
  const { code, url, expected, message } = error;
  const why = whyUnreachable(error);
  if (why !== undefined) return new HostError(`${url} cannot be reached: ${why}.`, { cause: error });
  if (code === "unproved")
    return new UserError(`${url} does not exist, so nothing can be verified. Is ${baseUrl} the base URL?`, {
      cause: error,
    });
  if (code === "network" || code === "timeout")
    return new HostError(`${message} ${advice[code] ?? "Run this again later."}`, { cause: error });
  // The client's own message names an option that verbs do not have.
  if (code === "too-large")
    return new UserError(`${url} is too large to read here: expected ${expected}. ${SMALLER_PAGES}`, { cause: error });
  return new UserError(`${message} ${advice[code] ?? `Is ${baseUrl} the base URL?`}`, { cause: error });
}

const SMALLER_PAGES = "If it is a page, its publisher can build with a smaller --page-size.";

/** Says why a connection failed, by the error code of the system or of TLS; undefined for any other error. */
export function whyUnreachable(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    const why = UNREACHABLE[codeOf(cause) ?? ""];
    if (why !== undefined) return why;
  }
  return undefined;
}

const UNTRUSTED = "its certificate is not trusted; set NODE_EXTRA_CA_CERTS to the file of a CA to trust";

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused; check the address, and that the host runs",
  ENOTFOUND: "DNS does not know its name; check the address",
  EAI_AGAIN: "DNS does not answer; check the network",
  EHOSTUNREACH: "there is no route to it; check the network",
  ENETUNREACH: "there is no route to it; check the network",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EPROTO: "it does not speak TLS; try http:// instead of https://",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS; try http:// instead of https://",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; try http:// instead of https://",
};
