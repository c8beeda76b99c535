/** Requests that are patient: with a host that is busy, and where what came does not fit. */
import { ListingError } from "./errors.js";
import { type Ask, type TransferOptions, type Transferred, transfer, within } from "./transfer.js";

export interface RequestsOptions extends TransferOptions {
  /** Before each further try. */
  pausesMs: readonly number[];
}

export interface Requests {
  /** Sends a request again, as often as a busy host (429 or 503) asks to, and no earlier. @throws ListingError (busy) after too many. */
  patiently<A extends Pick<Transferred, "status" | "headers">>(
    url: string,
    signal: AbortSignal | undefined,
    send: () => Promise<A>,
  ): Promise<A>;
  /** @throws ListingError unless an answer came in full. Its status may be any but a redirect's, 429 and 503. */
  get(url: string, ask: Ask): Promise<Transferred>;
  /**
   * Tries again, after pauses that grow, while what came does not fit.
   * @param attempt is told how many were before it.
   * @param check is called after each that fails, and may throw what ends it at once.
   */
  insist<T>(
    signal: AbortSignal | undefined,
    attempt: (tries: number) => Promise<T>,
    check?: (tries: number, isLast: boolean) => Promise<void>,
  ): Promise<T>;
}

/** How often a host may say that it is busy, and how long it may ask to wait. */
const MOST_BUSY = 6;
const LONGEST_WAIT_MS = 60_000;

/** What another try cannot mend. */
const LASTING = ["busy", "changed", "redirect", "unproved", "usage"];

export function createRequests(options: RequestsOptions): Requests {
  /** Until when all wait, since the host asked for it. */
  let until = 0;
  const pause = (ms: number, signal: AbortSignal | undefined) => within([options.signal, signal], ms, () => {});

  const patiently: Requests["patiently"] = async (url, signal, send) => {
    for (let busy = 0; ; busy++) {
      while (until > Date.now()) await pause(until - Date.now(), signal);
      const answer = await send();
      const { status, headers } = answer;
      if (status !== 429 && status !== 503) return answer;
      const ms = retryAfter(headers) ?? 1000 * 2 ** busy;
      if (busy === MOST_BUSY || ms > LONGEST_WAIT_MS) {
        const why = `asks to wait ${Math.ceil(ms / 1000)} seconds, after ${busy} waits`;
        throw new ListingError("busy", url, why, "200", `${status}`);
      }
      until = Math.max(until, Date.now() + ms);
    }
  };
  return {
    patiently,
    get: (url, ask) => patiently(url, ask.signal, () => transfer(options, url, ask)),
    async insist(signal, attempt, check) {
      for (let tries = 0; ; tries++) {
        try {
          return await attempt(tries);
        } catch (error) {
          if (!(error instanceof ListingError) || LASTING.includes(error.code)) throw error;
          const ms = options.pausesMs[tries];
          await check?.(tries, ms === undefined);
          if (ms === undefined) throw error;
          await pause(ms, signal);
        }
      }
    },
  };
}

/** Milliseconds to wait; undefined where the host does not say how many. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : ms;
}
