/** Requests with limits of bytes and time, and the retry policy. */
import { ListingError, quoted, tooLarge } from "./errors.js";
import type { ListingOptions } from "./options.js";

/** Bytes that are not shared, as WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The maximum size of a response. */
export interface Limit {
  maxBytes: number;
  /** What allows more: `raise memoryBytes`. */
  remedy?: string;
}

/** A request for one file. */
export interface Ask extends Limit {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Whether the runtime's cache must revalidate. */
  isFresh?: boolean;
  /** Bypasses caches: the digest of the expected bytes, or another unique text, which becomes part of the URL. */
  cacheKey?: string | undefined;
  /** Number of earlier tries. */
  tries?: number;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Empty unless the status is 200. */
  bytes: Bytes;
}

/** Limits of 429 and 503 answers: their number, and the wait they ask for. */
const MOST_BUSY = 6;
const LONGEST_WAIT_MS = 60_000;
/** Maximum delay of timers; with more, they fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Codes of errors that are not retried. */
const LASTING = ["busy", "changed", "redirect", "unproved", "usage"];

export type Requests = ReturnType<typeof createRequests>;

/** Makes the functions that send and retry requests. */
export function createRequests(options: ListingOptions) {
  const patiently = createBusyRetry(options.signal);
  const { pausesMs = [250, 1000, 3000] } = options;
  const request = <A extends Pick<Reply, "status" | "headers">>(
    url: string,
    signal: AbortSignal | undefined,
    step: (signal: AbortSignal) => Promise<A>,
  ) => patiently(url, signal, () => timed(options, url, signal, step));
  return {
    /** Sends a request. @throws ListingError unless the answer is complete. Redirects, 429 and 503 are errors; other statuses are not. */
    get: (url: string, ask: Ask): Promise<Reply> =>
      request(url, ask.signal, async (signal) => {
        const response = await send(options, url, { ...ask, signal });
        const { status, headers } = response;
        return { status, headers, bytes: status === 200 ? await readBody(url, response, ask) : new Uint8Array() };
      }),
    /** Sends a request whose body is read later. @param body aborts the response. @throws as `get` */
    open: (url: string, ask: Omit<Ask, "maxBytes">, body: AbortSignal): Promise<Response> =>
      request(url, ask.signal, () => send(options, url, { ...ask, signal: body })),
    /**
     * Retries after growing pauses while an attempt throws a ListingError. A ListingError that it returns is thrown at once.
     * @param attempt called with the number of earlier tries.
     * @param requireCurrent checks, after the first and the last try, whether the host has another snapshot.
     */
    async retry<T>(
      signal: AbortSignal | undefined,
      attempt: (tries: number) => Promise<T | ListingError>,
      requireCurrent?: (isLast: boolean) => Promise<void>,
    ): Promise<T> {
      for (let tries = 0; ; tries++) {
        let found: T | ListingError;
        try {
          found = await attempt(tries);
        } catch (error) {
          if (!(error instanceof ListingError) || LASTING.includes(error.code)) throw error;
          const ms = pausesMs[tries];
          if (!tries || ms === undefined)
            await requireCurrent?.(ms === undefined).catch((changed: unknown) => {
              // Other errors are less useful than that of the file.
              if (changed instanceof ListingError && changed.code === "changed") throw changed;
            });
          if (ms === undefined) throw error;
          await within([options.signal, signal], ms, () => {});
          continue;
        }
        if (found instanceof ListingError) throw found;
        return found;
      }
    },
  };
}

/** Makes the function that repeats a request while the host answers 429 or 503, after the pauses that it asks for. */
export function createBusyRetry(ends: AbortSignal | undefined) {
  /** All requests wait until then. */
  let until = 0;
  /** @throws ListingError (busy) */
  return async <A extends Pick<Reply, "status" | "headers">>(
    url: string,
    signal: AbortSignal | undefined,
    send: () => Promise<A>,
  ): Promise<A> => {
    for (let busy = 0; ; busy++) {
      while (until > Date.now()) await within([ends, signal], until - Date.now(), () => {});
      const answer = await send();
      const { status, headers } = answer;
      if (status !== 429 && status !== 503) return answer;
      const asked = headers.get("retry-after") ?? "";
      const said = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
      const ms = Number.isNaN(said) ? 1000 * 2 ** busy : said;
      if (busy === MOST_BUSY || ms > LONGEST_WAIT_MS) {
        const why = `asks to wait ${Math.ceil(ms / 1000)} seconds, after ${busy} waits`;
        throw new ListingError("busy", url, why, "200", `${status}`);
      }
      until = Math.max(until, Date.now() + ms);
    }
  };
}

/** @throws ListingError (status) */
export function requireOk(url: string, status: number): void {
  if (status !== 200) throw new ListingError("status", url, "has a wrong status", "200", `${status}`);
}

/**
 * Runs a step until signals abort it, or until a timeout; then `onTimeout` gives the result. The step's own signal is aborted at
 * the end.
 */
export function within<T>(
  signals: readonly (AbortSignal | undefined)[],
  ms: number,
  onTimeout: () => T | Promise<T>,
  step?: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  let release = () => {};
  return new Promise<T>((resolve, reject) => {
    const stop = () => {
      for (const signal of signals) if (signal?.aborted) reject(signal.reason);
    };
    const timer = setTimeout(() => Promise.resolve().then(onTimeout).then(resolve, reject), Math.min(ms, LONGEST_MS));
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

const LATE = "did not answer in full";

/** Runs a step of a request within the timeout. @throws ListingError (timeout or network); the reason of a signal */
export async function timed<T>(
  options: ListingOptions,
  url: string,
  signal: AbortSignal | undefined,
  step: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs = 30_000 } = options;
  const signals = [options.signal, signal];
  const giveUp = () => {
    throw new ListingError("timeout", url, LATE, `200 within ${timeoutMs / 1000} seconds`, "more");
  };
  try {
    return await within(signals, timeoutMs, giveUp, step);
  } catch (error) {
    if (error instanceof ListingError || signals.some((one) => one?.aborted)) throw error;
    throw new ListingError("network", url, LATE, "200", quoted(`${(error as Error).cause ?? error}`), error);
  }
}

/** Sends one request. Redirects are not followed. */
async function send(
  { fetch = globalThis.fetch }: ListingOptions,
  url: string,
  { headers = {}, isFresh, cacheKey, tries = 1, signal }: Omit<Ask, "maxBytes">,
): Promise<Response> {
  // Hosts ignore this parameter, and caches treat it as another URL, the same for all readers of these bytes.
  const name = cacheKey && `${url.includes("?") ? "&" : "?"}v=${cacheKey.slice(0, 12)}${tries > 1 ? `-${tries}` : ""}`;
  const init = withCache(
    url,
    { headers, redirect: "manual", signal: signal ?? null },
    name ? "reload" : isFresh && "no-cache",
  );
  const response = await fetch(url + (name ?? ""), init);
  const { status, redirected } = response;
  // In browsers, a redirect has status 0.
  if (redirected || status < 100 || (status > 299 && status < 400 && status !== 304)) {
    const to = quoted(response.headers.get("location"));
    throw new ListingError("redirect", url, "redirects", "200", `${status} to ${to}`);
  }
  return response;
}

/** Adds the `cache` option, unless the runtime refuses it, as some worker runtimes do. */
function withCache(url: string, init: RequestInit, cache: "no-cache" | "reload" | false | undefined): RequestInit {
  try {
    const asking = cache ? { ...init, cache } : init;
    new Request(url, asking);
    return asking;
  } catch {
    return init;
  }
}

/** Reads a body, without relying on Content-Length. */
async function readBody(url: string, { body }: Response, { maxBytes, remedy }: Limit): Promise<Bytes> {
  let bytes = new Uint8Array(65_536);
  let length = 0;
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    const end = length + value.length;
    if (end > maxBytes) throw tooLarge(url, `${maxBytes} bytes`, remedy);
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
