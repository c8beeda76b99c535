/** One request and its answer: the URL is sent as given, no redirect is followed, and the body is left encoded. */
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { hasCode } from "../errors.js";
import { cutShort, explainTransfer, TransferError, tooLarge, watchTime } from "./transfer.js";

/** Path and query of the URL are sent exactly as they are. */
export interface RemoteRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
}

export interface RemoteResponse {
  url: string;
  status: number;
  /** Each header line as received. */
  headers: readonly (readonly [name: string, value: string])[];
  /** As received, still in its Content-Encoding. */
  body: Buffer;
}

export const MAX_BYTES = 64 * 2 ** 20;

interface ExchangeOptions {
  /** Keeps connections open between requests; false opens one for this request. */
  agent: Agent | false;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal | undefined;
}

/** Sends again where a kept connection was closed. @throws TransferError when no whole answer comes in time. */
export async function exchange(request: RemoteRequest, options: ExchangeOptions): Promise<RemoteResponse> {
  try {
    return await send(request, options);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return send(request, { ...options, agent: false });
  }
}

/** The value of a header, with several lines joined by commas; undefined when there is none. */
export function headerOf({ headers }: Pick<RemoteResponse, "headers">, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length > 0 ? values.join(", ") : undefined;
}

const DECODERS: ReadonlyMap<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ["br", promisify(brotliDecompress)],
  ["gzip", promisify(gunzip)],
]);

/** @throws TransferError when a body's Content-Encoding is unknown or wrong, or more than `maxBytes` are in it. */
export async function decodeBody(answer: RemoteResponse, maxBytes = MAX_BYTES): Promise<Buffer> {
  const { url, body } = answer;
  const coding = headerOf(answer, "Content-Encoding") ?? "identity";
  if (coding === "identity") return body;
  const decode = DECODERS.get(coding);
  if (!decode)
    throw new TransferError("malformed", url, `answers with a Content-Encoding that was not requested, ${coding}`);
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLarge(url, maxBytes);
    throw new TransferError("malformed", url, `says Content-Encoding: ${coding}, which its body is not`, error);
  }
}

class StaleConnection extends Error {}

function send({ url, method, headers }: RemoteRequest, options: ExchangeOptions): Promise<RemoteResponse> {
  const { agent, timeoutMs, maxBytes, signal } = options;
  const { protocol, origin } = new URL(url);
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const open = protocol === "https:" ? requestHttps : requestHttp;
    const sent = open(url, { path: url.slice(origin.length), method, headers, agent });
    let answer: IncomingMessage | undefined;
    const fail = (error: unknown) => {
      stopWatching();
      reject(explainTransfer(url, error, answer !== undefined));
      sent.destroy();
    };
    const stopWatching = watchTime(url, timeoutMs, signal, fail);
    sent.on("error", (error) => {
      // Bytes behind the end of an answer are no part of it.
      if (answer?.complete) return;
      const isStale = sent.reusedSocket && !answer && hasCode(error, "ECONNRESET", "EPIPE");
      fail(isStale ? new StaleConnection() : error);
    });
    sent.on("response", (response) => {
      answer = response;
      readBody(response, url, maxBytes).then((body) => {
        stopWatching();
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
