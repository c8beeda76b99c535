/** One request: bounded in bytes and time, and never redirected. */
import { ListingError, quoted } from "./errors.js";

/** Bytes that nobody else writes to, as WebCrypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** How a request is made. */
export interface Ask {
  maxBytes: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Whether the runtime's own cache must ask the host. */
  isFresh?: boolean;
  /** Where caches on the way may show an old one: the digest of the bytes that are expected, or another name for them. */
  past?: string | undefined;
  /** How many tries there were before. */
  tries?: number;
}

export interface TransferOptions {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal | undefined;
  timeoutMs: number;
}

/** What came. */
export interface Transferred {
  status: number;
  headers: Headers;
  /** Empty unless the status is 200. */
  bytes: Bytes;
}

const LATE = "did not answer in full";

/** @throws ListingError unless an answer came in full. Its status may be any but a redirect's. */
export async function transfer(options: TransferOptions, url: string, ask: Ask): Promise<Transferred> {
  const { fetch, timeoutMs } = options;
  const signals = [options.signal, ask.signal];
  const giveUp = () => {
    throw new ListingError("timeout", url, LATE, `200 within ${timeoutMs / 1000} seconds`, "more");
  };
  try {
    return await within(signals, timeoutMs, giveUp, async (signal) => {
      const { headers = {}, maxBytes } = ask;
      const from = pastCaches(url, ask);
      const cache = from === url ? ask.isFresh && "no-cache" : "reload";
      const response = await fetch(from, withCache(url, { headers, redirect: "manual", signal }, cache));
      const { status } = response;
      refuseRedirect(url, response);
      return { status, headers: response.headers, bytes: await readBody(url, response, status === 200 ? maxBytes : 0) };
    });
  } catch (error) {
    if (error instanceof ListingError || signals.some((signal) => signal?.aborted)) throw error;
    const why = quoted(`${(error as Error).cause ?? error}`);
    throw new ListingError("network", url, LATE, "200", why, error);
  }
}

/**
 * A step that signals can end, and time: then it is what `isUp` gives. What the step began is ended with it, by the signal
 * that it is given; it need not listen to that.
 */
export function within<T>(
  signals: readonly (AbortSignal | undefined)[],
  ms: number,
  isUp: () => T | Promise<T>,
  step?: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  let release = () => {};
  return new Promise<T>((resolve, reject) => {
    const stop = () => {
      for (const signal of signals) if (signal?.aborted) reject(signal.reason);
    };
    const timer = setTimeout(() => Promise.resolve().then(isUp).then(resolve, reject), Math.min(ms, LONGEST_MS));
    for (const signal of signals) signal?.addEventListener("abort", stop);
    release = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", stop);
      control.abort();
    };
    stop();
    step?.(control.signal).then(resolve, reject);
  }).finally(release);
}

/** Hosts ignore the parameter, and caches take the URL as another one, which is the same for all who expect these bytes. */
function pastCaches(url: string, { past, tries = 1 }: Ask): string {
  if (past === undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}v=${past.slice(0, 12)}${tries > 1 ? `-${tries}` : ""}`;
}

/** Timers take no longer time, and end at once for one. */
const LONGEST_MS = 2 ** 31 - 1;

/** Not every runtime takes the option: some workers refuse it, and have no cache of their own. */
function withCache(url: string, init: RequestInit, cache: "no-cache" | "reload" | false | undefined): RequestInit {
  try {
    const asking = cache ? { ...init, cache } : init;
    new Request(url, asking);
    return asking;
  } catch {
    return init;
  }
}

function refuseRedirect(url: string, { status, redirected, headers }: Response): void {
  // A browser shows nothing of a redirect but that there is one, by status 0.
  if (!redirected && status > 99 && (status < 300 || status === 304 || status > 399)) return;
  const received = `${status} to ${quoted(headers.get("location"))}`;
  throw new ListingError("redirect", url, "redirects", "200", received);
}

/** Counts while it reads: what a header says of the length proves nothing. @param maxBytes 0 where nobody needs the body. */
async function readBody(url: string, { body }: Response, maxBytes: number): Promise<Bytes> {
  let [bytes, length] = [new Uint8Array(maxBytes && 65_536), 0];
  const reader = maxBytes > 0 ? body?.getReader() : undefined;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    const end = length + value.length;
    if (end > maxBytes)
      throw new ListingError("too-large", url, "is too large", `at most ${maxBytes} bytes (see memoryBytes)`, "more");
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(value, length);
    length = end;
  }
  return bytes.slice(0, length);
}
