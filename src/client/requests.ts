/** One request after the other: bounded in bytes and time, never redirected, and patient with a host that is busy. */
import { ListingError } from "./errors.js";

/** Bytes that nobody else writes to, as WebCrypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

export interface Ask {
  maxBytes: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** How the runtime's own cache is asked, where it has one. */
  cache?: "no-cache" | "reload" | undefined;
}

export interface Answer {
  status: number;
  etag: string | null;
  /** Empty unless the status is 200. */
  bytes: Bytes;
}

export interface RequestsOptions {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  pausesMs: readonly number[];
}

/** How often a host may say that it is busy, and how long it may ask to wait. */
const MOST_BUSY = 6;
const LONGEST_WAIT_MS = 60_000;

/** What another try may mend. */
const PASSING = ["mismatch", "malformed", "signature", "status", "timeout", "network", "too-large"];

export class Requests {
  /** Until when all wait, since the host asked for it. */
  #until = 0;

  constructor(private readonly options: RequestsOptions) {}

  /** @throws ListingError unless an answer came in full. Its status may be any but a redirect, 429 and 503. */
  async get(url: string, ask: Ask): Promise<Answer> {
    for (let busy = 0; ; busy++) {
      for (let left = 1; left > 0; ) {
        left = this.#until - Date.now();
        if (left > 0) await this.pause(left, ask.signal);
      }
      const { wait, ...answer } = await this.#once(url, ask);
      if (wait === undefined) return answer;
      const ms = Number.isNaN(wait) ? 1000 * 2 ** busy : wait;
      if (busy === MOST_BUSY || ms > LONGEST_WAIT_MS) {
        throw new ListingError("busy", url, "is too busy; try again later", {
          expected: `an answer after at most ${MOST_BUSY} waits of up to ${LONGEST_WAIT_MS / 1000} seconds`,
          received: `${answer.status}, after ${busy} waits, with one of ${Math.ceil(ms / 1000)} seconds to come`,
        });
      }
      this.#until = Math.max(this.#until, Date.now() + ms);
    }
  }

  /**
   * Tries again, after pauses that grow, while what came does not fit. @param attempt is told how many were before it.
   * @param check is called after each but the last, and may throw what ends it at once.
   */
  async insist<T>(
    attempt: (tries: number) => Promise<T>,
    signal?: AbortSignal,
    check?: (tries: number, isLast: boolean) => Promise<void>,
  ): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt(tries);
      } catch (error) {
        if (!(error instanceof ListingError) || !PASSING.includes(error.code)) throw error;
        const ms = this.options.pausesMs[tries];
        await check?.(tries, ms === undefined);
        if (ms === undefined) throw error;
        await this.pause(ms, signal);
      }
    }
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#stoppable(signal, (stopped) => {
      let timer: ReturnType<typeof setTimeout>;
      const waited = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      return Promise.race([waited, stopped]).finally(() => clearTimeout(timer));
    });
  }

  async #once(url: string, { maxBytes, signal, headers = {}, cache }: Ask): Promise<Answer & { wait?: number }> {
    const { fetch, timeoutMs } = this.options;
    return this.#stoppable(signal, async (stopped, stop) => {
      const timer = setTimeout(
        () => stop(new ListingError("timeout", url, `did not answer in full within ${timeoutMs / 1000} seconds`)),
        timeoutMs,
      );
      // A fetch that was given may not listen to its signal.
      const first = <T>(step: Promise<T>) => Promise.race([step, stopped]);
      try {
        const init = { headers, redirect: "manual" as const, signal: stop.signal };
        const response = await first(fetch(url, withCache(url, init, cache)));
        const { status } = response;
        refuseRedirect(url, response);
        const wait = status === 429 || status === 503 ? retryAfter(response) : undefined;
        const bytes = status === 200 ? await readBody(url, response, maxBytes, first) : new Uint8Array();
        if (status !== 200) response.body?.cancel().catch(() => {});
        return { status, etag: response.headers.get("etag"), bytes, ...(wait === undefined ? {} : { wait }) };
      } catch (error) {
        stop(error);
        if (error instanceof ListingError || error === signal?.reason || error === this.options.signal?.reason)
          throw error;
        throw new ListingError("network", url, `did not answer in full (${reasonOf(error)})`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** A step that the signals of listing and call, and the step itself, can end. `stopped` only ever fails. */
  async #stoppable<T>(
    signal: AbortSignal | undefined,
    step: (stopped: Promise<never>, stop: ((why: unknown) => void) & { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const control = new AbortController();
    const stopped = new Promise<never>((_, reject) => {
      control.signal.addEventListener("abort", () => reject(control.signal.reason));
    });
    stopped.catch(() => {});
    const ends = [this.options.signal, signal].filter((one) => one !== undefined);
    const stop = Object.assign((why: unknown) => control.abort(why), { signal: control.signal });
    const pass = () => stop(ends.find((one) => one.aborted)?.reason);
    for (const one of ends) {
      one.throwIfAborted();
      one.addEventListener("abort", pass);
    }
    try {
      return await step(stopped, stop);
    } finally {
      for (const one of ends) one.removeEventListener("abort", pass);
    }
  }
}

/** Not every runtime takes the option: some workers refuse it, and have no cache of their own. */
function withCache(url: string, init: RequestInit, cache: Ask["cache"]): RequestInit {
  if (!cache) return init;
  const asking = { ...init, cache };
  try {
    new Request(url, asking);
    return asking;
  } catch {
    return init;
  }
}

function refuseRedirect(url: string, { status, type, redirected, headers }: Response): void {
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (!isRedirect && !redirected && type !== "opaqueredirect") return;
  const to = headers.get("location");
  throw new ListingError("redirect", url, "redirects, which is not followed; give the base URL where the listing is", {
    expected: "an answer",
    received: `a redirect${to === null ? "" : ` to ${shown(to)}`}`,
  });
}

/** Milliseconds to wait; not a number where the host does not say how many. */
function retryAfter({ headers }: Response): number {
  const text = headers.get("retry-after") ?? "";
  return /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, Date.parse(text) - Date.now());
}

/** Counts while it reads: what a header says of the length proves nothing. */
async function readBody(
  url: string,
  { body }: Response,
  maxBytes: number,
  first: <T>(step: Promise<T>) => Promise<T>,
): Promise<Bytes> {
  const reader = body?.getReader();
  let [bytes, length] = [new Uint8Array(65_536), 0];
  for (;;) {
    const { done, value } = (await (reader && first(reader.read()))) ?? { done: true };
    if (done) return bytes.slice(0, length);
    const end = length + value.length;
    if (end > maxBytes) {
      reader?.cancel().catch(() => {});
      throw new ListingError("too-large", url, "is larger than is allowed", {
        expected: `at most ${maxBytes} bytes`,
        received: `${end} and more`,
      });
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(value, length);
    length = end;
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: unknown; message?: unknown };
  const inner = cause as { code?: unknown; message?: unknown } | undefined;
  return shown(String(inner?.code ?? inner?.message ?? message ?? error));
}

const LONGEST_SHOWN = 200;

/** Foreign text for a message: one line, not too long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}
