/** One request and its answer on a real socket: the target as given, no redirect followed, no coding undone. */
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { hasCode } from "../errors.js";
import { cutShort, explainTransfer, TransferError, tooLarge, tooSlow } from "./transfer.js";

/** What is asked. Path and query of the URL are sent letter by letter. */
export interface RemoteRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
}

export interface RemoteResponse {
  url: string;
  status: number;
  /** Each line of the headers as it came. */
  headers: readonly (readonly [name: string, value: string])[];
  /** As it came, still under its Content-Encoding. */
  body: Buffer;
}

/** Of one body; a page is far shorter. */
export const MAX_BYTES = 64 * 2 ** 20;

export interface ExchangeOptions {
  /** Keeps connections between exchanges; false uses one of its own. */
  agent: Agent | false;
  /** For the whole exchange. */
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal | undefined;
}

/**
 * Asks once; again only where a kept connection turned out to be closed before the request reached anybody.
 * @throws TransferError when no whole answer comes in time; else what `signal` was aborted with.
 */
export async function exchange(request: RemoteRequest, options: ExchangeOptions): Promise<RemoteResponse> {
  try {
    return await send(request, options);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return send(request, { ...options, agent: false });
  }
}

/** The value of a header, its lines joined; undefined when there is none. */
export function headerOf({ headers }: Pick<RemoteResponse, "headers">, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length > 0 ? values.join(", ") : undefined;
}

const DECODERS: ReadonlyMap<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ["br", promisify(brotliDecompress)],
  ["gzip", promisify(gunzip)],
]);

/**
 * The identity body of an answer.
 * @throws TransferError when its coding is unknown or the body is not of it, or has more than `maxBytes` in it.
 */
export async function decodeBody(answer: RemoteResponse, maxBytes = MAX_BYTES): Promise<Buffer> {
  const { url, body } = answer;
  const coding = headerOf(answer, "Content-Encoding") ?? "identity";
  if (coding === "identity") return body;
  const decode = DECODERS.get(coding);
  if (!decode) throw new TransferError("malformed", url, `answers in a coding that was not asked for, ${coding}`);
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLarge(url, maxBytes);
    throw new TransferError("malformed", url, `says Content-Encoding: ${coding}, which its body is not`, error);
  }
}

class StaleConnection extends Error {}

function send(
  request: RemoteRequest,
  { agent, timeoutMs, maxBytes, signal }: ExchangeOptions,
): Promise<RemoteResponse> {
  const { url, method, headers } = request;
  const { protocol, origin } = new URL(url);
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const open = protocol === "https:" ? requestHttps : requestHttp;
    const sent = open(url, { path: url.slice(origin.length), method, headers, agent });
    let answer: IncomingMessage | undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const fail = (error: unknown) => {
      end();
      reject(explainTransfer(url, error, answer !== undefined));
      sent.destroy();
    };
    const abort = () => fail(signal?.reason);
    const timer = setTimeout(() => fail(tooSlow(url, timeoutMs)), timeoutMs);
    signal?.addEventListener("abort", abort);
    sent.on("error", (error) => {
      // Bytes behind the end of an answer are no part of it.
      if (answer?.complete) return;
      const isStale = sent.reusedSocket && !answer && hasCode(error, "ECONNRESET", "EPIPE");
      fail(isStale ? new StaleConnection() : error);
    });
    sent.on("response", (response) => {
      answer = response;
      readBody(response, url, maxBytes).then((body) => {
        end();
        resolve({ url, status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body });
      }, fail);
    });
    sent.end();
  });
}

async function readBody(response: IncomingMessage, url: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(url, maxBytes);
    chunks.push(chunk);
  }
  if (!response.complete) throw cutShort(url);
  return Buffer.concat(chunks);
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? "", raw[2 * at + 1] ?? ""]);
}
