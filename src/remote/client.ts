/** Requests to one host: few connections, no faster than allowed, and again later where the host is busy. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.js";
import { SETTINGS } from "../settings/table.js";
import { exchange, headerOf, MAX_BYTES, type RemoteRequest, type RemoteResponse, type TakePiece } from "./exchange.js";

export interface ClientOptions {
  concurrency?: number | undefined;
  rate?: number | undefined;
  /** For one request and its answer; 30 seconds unless given. */
  timeoutMs?: number | undefined;
  /** Of one body; 64 MiB unless given. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** What a person can do instead of waiting, where a host asks for too long a wait: `ask for less with --rate`. */
  instead?: string | undefined;
}

interface RequestOptions extends Partial<Omit<RemoteRequest, "url">> {
  /** Of this body, instead of the client's. A larger one may take as much longer. */
  maxBytes?: number | undefined;
  /** Where the body of an answer of 200 goes instead, out of its Content-Encoding. */
  into?: TakePiece | undefined;
  /** Ends this request. */
  signal?: AbortSignal | undefined;
}

export type Client = ReturnType<typeof createClient>;

export const CONCURRENCY = SETTINGS.concurrency.default;
const MOST_ATTEMPTS = 5;
const LONGEST_WAIT_MS = 120_000;
/** After so many requests that a host was too busy for at every attempt, nothing is tried again. */
const MOST_IN_VAIN = 3;

export function createClient(options: ClientOptions = {}) {
  const { concurrency = CONCURRENCY, rate, timeoutMs = 30_000, maxBytes: most = MAX_BYTES, signal, instead } = options;
  const connections = { keepAlive: true, maxSockets: concurrency };
  const agents = { "http:": new HttpAgent(connections), "https:": new HttpsAgent(connections) };
  const pace = createPace(rate, signal);
  let [inVain, requests] = [0, 0];
  const turn = () => {
    requests++;
    return pace.turn();
  };
  /** One answer, even of a host that is busy: for whoever waits by other rules. Throws TransferError as `request` does. */
  const once = async (url: string, options: RequestOptions = {}) => {
    const { method = "GET", headers = {}, maxBytes = most, into, signal: own } = options;
    const agent = url.startsWith("https:") ? agents["https:"] : agents["http:"];
    const request = { url, method, headers: { ...REQUEST_HEADERS, ...headers } };
    const ends = [signal, own].filter((one) => one !== undefined);
    const limits = { timeoutMs: timeoutMs * Math.max(1, maxBytes / most), maxBytes };
    await turn();
    return exchange(request, { ...limits, agent, into, signal: ends.length > 1 ? AbortSignal.any(ends) : ends[0] });
  };
  return {
    maxBytes: most,
    /** How many were sent so far, with those that were sent again. */
    get requests() {
      return requests;
    },
    once,
    /** @throws TransferError when no whole answer comes; UserError when a busy host asks for too long a wait. */
    async request(url: string, options: RequestOptions = {}) {
      for (let attempt = 1; ; attempt++) {
        const answer = await once(url, options);
        if (!isHostBusy(answer) || inVain >= MOST_IN_VAIN) return answer;
        if (attempt === MOST_ATTEMPTS) {
          inVain++;
          return answer;
        }
        pace.hold(waitFor(answer, attempt, instead));
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const REQUEST_HEADERS = { "User-Agent": "rollcall", "Accept-Encoding": "identity" };

export function isHostBusy({ status }: RemoteResponse): boolean {
  return status === 429 || status === 503;
}

/** Milliseconds: what Retry-After says, in seconds or as a date; otherwise half a second, twice as long each time. */
function waitFor(answer: RemoteResponse, attempt: number, instead: string | undefined): number {
  const said = headerOf(answer, "Retry-After") ?? "";
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  const wait = Number.isNaN(ms) ? 250 * 2 ** attempt : Math.max(0, ms);
  if (wait <= LONGEST_WAIT_MS) return wait;
  throw new UserError(
    `${answer.url} answers ${answer.status} and asks to come back in ${Math.ceil(wait / 1000)} seconds; run this again then${instead === undefined ? "" : `, or ${instead}`}.`,
  );
}

/** Spaces requests in time: at most `rate` a second, and none before the time that the host has asked to wait for. */
function createPace(rate: number | undefined, signal: AbortSignal | undefined) {
  const gap = rate === undefined ? 0 : 1000 / rate;
  let next = 0;
  let held = 0;
  return {
    async turn() {
      const at = Math.max(performance.now(), next);
      next = at + gap;
      // The host may ask for more time while this one waits.
      for (;;) {
        const wait = Math.max(at, held) - performance.now();
        if (wait <= 0) return;
        await sleep(wait, undefined, { signal });
      }
    },
    hold(ms: number) {
      held = Math.max(held, performance.now() + ms);
    },
  };
}
