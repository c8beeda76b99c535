/** Requests: each bounded in bytes and time, and the one policy for busy hosts and further tries. */
import { ListingError, quoted, SnapshotChangedError, tooLarge } from "./errors.js";
import type { ListingOptions } from "./options.js";

/** Bytes that nothing else writes to, as WebCrypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A request for one file. */
export interface Ask {
  maxBytes: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Whether the runtime's own cache must ask the host. */
  isFresh?: boolean;
  /** Bypasses caches: the digest of the expected bytes, or another name for them. */
  past?: string | undefined;
  /** How many tries there were before. */
  tries?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Empty unless the status is 200. */
  bytes: Bytes;
}

/** How often a host may say that it is busy, and how long it may ask to wait. */
const MOST_BUSY = 6;
const LONGEST_WAIT_MS = 60_000;
/** Timers take no longer time: with more, they fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Codes of errors that another try cannot fix. */
const LASTING = ["busy", "changed", "redirect", "unproved", "usage"];

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(options: ListingOptions) {
  const patiently = createPatience(options.signal);
  const { pausesMs = [250, 1000, 3000] } = options;
  return {
    /** @throws ListingError unless an answer came in full. Its status may be any except a redirect, 429 and 503. */
    get: (url: string, ask: Ask): Promise<Answer> => patiently(url, ask.signal, () => transfer(options, url, ask)),
    /**
     * Tries again, after growing pauses, while an attempt throws a ListingError. One that it returns is thrown at once.
     * @param attempt is given the number of tries before it.
     * @param requireCurrent looks, after the first try and the last, whether the host has another snapshot now.
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
              // Any other error says less than that of the file itself.
              if (changed instanceof SnapshotChangedError) throw changed;
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

/** Returns a function that sends a request again while the host answers 429 or 503, and waits as long as it asks. */
export function createPatience(ends: AbortSignal | undefined) {
  /** All requests wait until then. */
  let until = 0;
  /** @throws ListingError (busy) */
  return async <A extends Pick<Answer, "status" | "headers">>(
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
  if (status !== 200) throw new ListingError("status", url, "has another status", "200", `${status}`);
}

/**
 * Runs a step that signals can end, or a timeout: then it gives what `onTimeout` gives. The step's own signal is aborted at
 * the end; the step need not listen to it.
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

/** One request, which is never redirected. */
async function transfer(options: ListingOptions, url: string, ask: Ask): Promise<Answer> {
  const { fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  const signals = [options.signal, ask.signal];
  const giveUp = () => {
    throw new ListingError("timeout", url, LATE, `200 within ${timeoutMs / 1000} seconds`, "more");
  };
  try {
    return await within(signals, timeoutMs, giveUp, async (signal) => {
      const { headers = {}, isFresh, maxBytes, past, tries = 1 } = ask;
      // Hosts ignore the parameter, and caches take it for another URL, the same for everyone who expects these bytes.
      const name = past && `${url.includes("?") ? "&" : "?"}v=${past.slice(0, 12)}${tries > 1 ? `-${tries}` : ""}`;
      const init = withCache(url, { headers, redirect: "manual", signal }, name ? "reload" : isFresh && "no-cache");
      const response = await fetch(url + (name ?? ""), init);
      const { status, redirected } = response;
      // Browsers show a redirect only as status 0.
      if (redirected || status < 100 || (status > 299 && status < 400 && status !== 304))
        throw new ListingError(
          ...(["redirect", url, "redirects", "200"] as const),
          `${status} to ${quoted(response.headers.get("location"))}`,
        );
      return { status, headers: response.headers, bytes: await readBody(url, response, status === 200 ? maxBytes : 0) };
    });
  } catch (error) {
    if (error instanceof ListingError || signals.some((signal) => signal?.aborted)) throw error;
    throw new ListingError("network", url, LATE, "200", quoted(`${(error as Error).cause ?? error}`), error);
  }
}

/** Some runtimes of workers have no cache, and refuse the option. */
function withCache(url: string, init: RequestInit, cache: "no-cache" | "reload" | false | undefined): RequestInit {
  try {
    const asking = cache ? { ...init, cache } : init;
    new Request(url, asking);
    return asking;
  } catch {
    return init;
  }
}

/** Counts while it reads: a Content-Length proves nothing. @param maxBytes 0 where the body is not needed. */
async function readBody(url: string, { body }: Response, maxBytes: number): Promise<Bytes> {
  let [bytes, length] = [new Uint8Array(maxBytes && 65_536), 0];
  const reader = maxBytes > 0 ? body?.getReader() : undefined;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    const end = length + value.length;
    if (end > maxBytes) throw tooLarge(url, `${maxBytes} bytes (see memoryBytes)`);
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
