/** What can go wrong between a request and the last byte of its answer, in messages that name the address. */
import { codeOf, UserError } from "../errors.js";

/**
 * - `unreachable`: no answer began
 * - `silent`: the answer did not come in full in time
 * - `cut short`: the connection ended before the body did
 * - `too large`: the body has more bytes than a page may have
 * - `malformed`: what came is not HTTP
 * - `miscoded`: the body does not decode as its headers say
 */
export type TransferFailure = "unreachable" | "silent" | "cut short" | "too large" | "malformed" | "miscoded";

/** No usable answer. The message is a sentence that names the address; `why` is the rest of it, without the address. */
export class TransferError extends UserError {
  constructor(
    readonly kind: TransferFailure,
    readonly url: string,
    readonly why: string,
    cause?: unknown,
  ) {
    super(`${url} ${why}.`, { cause });
  }
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there; check the address and that the host runs"],
  ["ENOTFOUND", "its name is not known; check the address"],
  ["EAI_AGAIN", "its name cannot be looked up now; check the network"],
  ["ECONNRESET", "the connection was broken off before an answer"],
  ["EPIPE", "the connection was broken off before an answer"],
  ["EHOSTUNREACH", "there is no way to it; check the network"],
  ["ENETUNREACH", "there is no way to it; check the network"],
  ["ETIMEDOUT", "no connection was made in time"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is signed by itself; NODE_EXTRA_CA_CERTS names a file to trust"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is not trusted; NODE_EXTRA_CA_CERTS names a file to trust"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate is not trusted; NODE_EXTRA_CA_CERTS names a file to trust"],
  ["EPROTO", "it does not speak TLS; try http:// instead of https://"],
]);

/** Turns an error of Node's into a TransferError. Errors without a code are returned unchanged. */
export function explainTransfer(url: string, error: unknown, hasAnswered: boolean): unknown {
  const code = codeOf(error);
  if (error instanceof UserError || code === undefined) return error;
  if (code.startsWith("HPE_")) return new TransferError("malformed", url, `answered what is not HTTP (${code})`, error);
  if (hasAnswered) return cutShort(url, error);
  const why = UNREACHABLE.get(code) ?? `the connection failed with ${code}`;
  return new TransferError("unreachable", url, `cannot be reached: ${why}`, error);
}

export function cutShort(url: string, cause?: unknown): TransferError {
  return new TransferError("cut short", url, "broke off its answer before the end of the body", cause);
}

/** Calls `fail` when the time is up, or with the signal's reason when it is aborted. @returns what ends that. */
export function watchTime(
  url: string,
  ms: number,
  signal: AbortSignal | undefined,
  fail: (error: unknown) => void,
): () => void {
  const why = `did not answer in full within ${ms / 1000} seconds`;
  const timer = setTimeout(() => fail(new TransferError("silent", url, why)), ms);
  const abort = () => fail(signal?.reason);
  signal?.addEventListener("abort", abort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}

export function tooLarge(url: string, bytes: number): TransferError {
  return new TransferError("too large", url, `answers more than the ${bytes} bytes that are allowed`);
}
