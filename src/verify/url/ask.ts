/** An HTTP client for verification. It returns responses unmodified: status, header lines, body and coding. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { ListingError } from "../../client/errors.js";
import { whyUnreachable } from "../../client/explain.js";
import { createBusyRetry } from "../../client/requests.js";
import { codeOf, HostError, hasCode, UserError } from "../../core/errors.js";

export interface HostAnswer {
  url: string;
  status: number;
  headers: Headers;
  /** Name of a header in lower case -> number of its lines. */
  lines: ReadonlyMap<string, number>;
  /** The body, decoded from the Content-Encoding of a 200 response; empty if `take` got it. */
  body: Buffer;
  /** SHA-256 in hexadecimal of the decoded body, and of the body as it was sent. */
  digest: string;
  sent: string;
  /** Bytes of the body as it was sent. */
  length: number;
  /** Why the body cannot be decoded, as the end of a sentence: `says Content-Encoding: gzip, which its body is not`. */
  flaw?: string | undefined;
}

/** The error for a request without a complete response. The message names the URL; `why` is the rest of the sentence. */
export class NoAnswer extends HostError {
  constructor(
    url: string,
    readonly why: string,
    cause?: unknown,
  ) {
    super(`${url} ${why}.`, { cause });
  }
}

export interface AskOptions {
  concurrency: number;
  /** Maximum requests per second. */
  rate?: number | undefined;
  /** Milliseconds for a request and the first 64 MiB of its response, then for each further 64 MiB. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

interface Question {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum bytes of the body, both as sent and decoded; 64 MiB by default. */
  maxBytes?: number | undefined;
  /** Gets the decoded body of a 200 response in pieces, instead of `body`. */
  take?: ((piece: Buffer) => void) | undefined;
  /** Counts what follows the headers until the host closes the connection, which Node's client does not show. */
  isHead?: boolean | undefined;
}

export type Asker = ReturnType<typeof createAsker>;

export const MAX_BYTES = 64 * 2 ** 20;
/** Maximum bytes that are kept of a response to HEAD. */
const MAX_HEAD = 2 ** 18;
const HEADERS = { "User-Agent": "rollcall", "Accept-Encoding": "identity" };

/** Makes a client for one host. */
export function createAsker(options: AskOptions) {
  const { concurrency, rate, timeoutMs = 30_000, signal } = options;
  const connections = { keepAlive: true, maxSockets: concurrency };
  const agents = { "http:": new HttpAgent(connections), "https:": new HttpsAgent(connections) };
  const withRetries = createBusyRetry(signal);
  let requests = 0;
  let next = 0;
  const turn = async () => {
    requests++;
    const at = Math.max(performance.now(), next);
    next = at + (rate === undefined ? 0 : 1000 / rate);
    if (at > performance.now()) await sleep(at - performance.now(), undefined, { signal });
  };
  return {
    /** Number of requests sent, including retries. */
    get requests() {
      return requests;
    },
    /** Sends a request. @throws NoAnswer without a complete response; UserError if the host is too busy */
    async ask(url: string, question: Question = {}): Promise<HostAnswer> {
      const { maxBytes = MAX_BYTES } = question;
      const agent = url.startsWith("https:") ? agents["https:"] : agents["http:"];
      try {
        return await withRetries(url, signal, async () => {
          await turn();
          return exchange(url, question, { agent, timeoutMs, maxBytes, signal });
        });
      } catch (error) {
        if (!(error instanceof ListingError)) throw error;
        throw new UserError(`${error.message} Run this again later, or ask for less at once with --rate.`, {
          cause: error,
        });
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface Limits {
  /** Keeps connections open between requests; false opens one for this request. */
  agent: HttpAgent | false;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal | undefined;
}

/** Sends one request. Sends the URL unmodified, and follows no redirect. */
async function exchange(url: string, question: Question, limits: Limits): Promise<HostAnswer> {
  const { method = "GET", headers = {} } = question;
  const { timeoutMs, maxBytes, signal } = limits;
  const agent = question.isHead ? false : limits.agent;
  const { protocol, origin, hostname } = new URL(url);
  // URL has an IPv6 address in brackets.
  const name = hostname.replace(/^\[|\]$/g, "");
  signal?.throwIfAborted();
  const open = protocol === "https:" ? requestHttps : requestHttp;
  const sent = open(url, {
    path: url.slice(origin.length),
    method,
    headers: { ...HEADERS, ...headers },
    agent,
    // By default, Node would take the name from a header Host.
    servername: isIP(name) ? "" : name,
  });
  // Ignore errors after the end of the response.
  sent.on("error", () => {});
  let reason: unknown;
  const stop = (why: unknown) => {
    reason ??= why;
    sent.destroy();
  };
  const began = performance.now();
  let received = 0;
  let enough = 0;
  const timer = setInterval(() => {
    enough += MAX_BYTES;
    const seconds = Math.round((performance.now() - began) / 1000);
    if (received < enough) stop(new NoAnswer(url, `did not answer in full within ${seconds} seconds`));
  }, timeoutMs);
  const abort = () => stop(signal?.reason);
  signal?.addEventListener("abort", abort);
  let response: IncomingMessage | undefined;
  let raw = "";
  if (question.isHead)
    sent.once("socket", (socket) => {
      socket.on("data", (piece: Buffer) => {
        raw += raw.length > MAX_HEAD ? "" : piece.toString("latin1");
      });
    });
  try {
    response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve).once("error", reject).end();
    });
    // Unread, the response keeps the connection open.
    if (question.isHead && !response.socket.closed) await once(response.socket, "close");
    const answer = await readAnswer(url, response, question, maxBytes, (bytes) => {
      received = bytes;
    });
    return question.isHead ? { ...answer, length: raw.length - raw.indexOf("\r\n\r\n") - 4 } : answer;
  } catch (error) {
    if (reason !== undefined) throw reason;
    // The host closed an idle connection at the moment of the request.
    if (sent.reusedSocket && !response && hasCode(error, "ECONNRESET", "EPIPE"))
      return exchange(url, question, { ...limits, agent: false });
    throw explain(url, error, response !== undefined);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", abort);
    if (response && !response.complete) sent.destroy();
  }
}

const DECODERS = { br: createBrotliDecompress, gzip: createGunzip };

/** @param onBytes gets the number of bytes that were received */
async function readAnswer(
  url: string,
  response: IncomingMessage,
  { take }: Question,
  maxBytes: number,
  onBytes: (bytes: number) => void,
) {
  const { statusCode: status = 0, rawHeaders } = response;
  const headers = new Headers();
  const lines = new Map<string, number>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    headers.append(name, value);
    lines.set(name.toLowerCase(), (lines.get(name.toLowerCase()) ?? 0) + 1);
  }
  const coding = (status === 200 && headers.get("Content-Encoding")) || "identity";
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding as "br" | "gzip"]() : undefined;
  let flaw: string | undefined;
  if (!decoder && coding !== "identity") flaw = `has a Content-Encoding that was not asked for, ${coding}`;
  decoder?.once("error", () => {
    // An error of the response also ends the decoder.
    if (!response.errored) flaw = `says Content-Encoding: ${coding}, which its body is not`;
  });
  const sent = createHash("sha256");
  const inside = createHash("sha256");
  const body: Buffer[] = [];
  let length = 0;
  let bytes = 0;
  const within = (sum: number) => {
    if (sum > maxBytes) throw new NoAnswer(url, `answers more than the ${maxBytes} bytes that are allowed`);
    return sum;
  };
  const count = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      length = within(length + piece.length);
      onBytes(length);
      sent.update(piece);
      yield piece;
    }
  };
  const last = async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      bytes = within(bytes + piece.length);
      inside.update(piece);
      if (take && status === 200) take(piece);
      else body.push(piece);
    }
  };
  try {
    await (decoder ? pipeline(response, count, decoder, last) : pipeline(response, count, last));
    if (!response.complete) throw cutShort(url);
  } catch (error) {
    if (flaw === undefined || error instanceof NoAnswer) throw error;
  }
  const digests = { digest: inside.digest("hex"), sent: sent.digest("hex") };
  return { url, status, headers, lines, body: Buffer.concat(body), ...digests, length, flaw };
}

/** Turns a system error into NoAnswer; returns any other error as it is. */
function explain(url: string, error: unknown, hasAnswered: boolean): unknown {
  const code = codeOf(error);
  if (error instanceof UserError || code === undefined) return error;
  if (code.startsWith("HPE_")) return new NoAnswer(url, `answered what is not HTTP (${code})`, error);
  if (hasAnswered) return cutShort(url, error);
  const why = whyUnreachable(error) ?? `the connection failed with ${code}`;
  return new NoAnswer(url, `cannot be reached: ${why}`, error);
}

function cutShort(url: string, cause?: unknown): NoAnswer {
  return new NoAnswer(url, "broke off its answer before the end of the body", cause);
}
