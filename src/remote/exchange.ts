/** One request and its answer: the URL is sent as given, no redirect is followed, and the body is left encoded. */
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress, createGunzip, gunzip } from "node:zlib";
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
  /** As received, still in its Content-Encoding; empty where the request says where pieces of it go. */
  body: Buffer;
  /** The SHA-256 of a body that was handed on, out of its Content-Encoding, where who took it says. */
  digest?: string;
}

/** Takes the next piece of a body, out of its Content-Encoding. */
export type TakePiece = (piece: Buffer) => void;

export const MAX_BYTES = 64 * 2 ** 20;

interface ExchangeOptions {
  /** Keeps connections open between requests; false opens one for this request. */
  agent: Agent | false;
  timeoutMs: number;
  maxBytes: number;
  /** Where the body of an answer of 200 goes, piece by piece. Of one that ends badly, some pieces have been taken. */
  into: TakePiece | undefined;
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

interface Decoder {
  /** Of all at once. */
  all(bytes: Buffer, limits: { maxOutputLength: number }): Promise<Buffer>;
  /** Of piece after piece. */
  pieces(): Duplex;
}

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["br", { all: promisify(brotliDecompress), pieces: createBrotliDecompress }],
  ["gzip", { all: promisify(gunzip), pieces: createGunzip }],
]);

/** @throws TransferError when a body's Content-Encoding is unknown or wrong, or more than `maxBytes` are in it. */
export async function decodeBody(answer: RemoteResponse, maxBytes = MAX_BYTES): Promise<Buffer> {
  const { url, body } = answer;
  const coding = findCoding(answer);
  if (coding === undefined) return body;
  try {
    return await coding.all(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLarge(url, maxBytes);
    throw wrongCoding(url, coding.name, error);
  }
}

/** Undefined where an answer is as it is. @throws TransferError when its Content-Encoding is unknown. */
function findCoding(answer: Pick<RemoteResponse, "url" | "headers">): ({ name: string } & Decoder) | undefined {
  const name = headerOf(answer, "Content-Encoding") ?? "identity";
  if (name === "identity") return undefined;
  const decoder = DECODERS.get(name);
  if (decoder) return { name, ...decoder };
  const why = `answers with a Content-Encoding that was not requested, ${name}`;
  throw new TransferError("miscoded", answer.url, why);
}

function wrongCoding(url: string, name: string, cause: unknown): TransferError {
  return new TransferError("miscoded", url, `says Content-Encoding: ${name}, which its body is not`, cause);
}

class StaleConnection extends Error {}

function send({ url, method, headers }: RemoteRequest, options: ExchangeOptions): Promise<RemoteResponse> {
  const { agent, timeoutMs, maxBytes, into, signal } = options;
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
      const { statusCode: status = 0, rawHeaders } = response;
      const about = { url, status, headers: pairs(rawHeaders) };
      const body =
        into && status === 200 ? takeBody(response, about, maxBytes, into) : readBody(response, url, maxBytes);
      body.then((body) => {
        stopWatching();
        resolve({ ...about, body });
      }, fail);
    });
    sent.end();
  });
}

async function readBody(response: IncomingMessage, url: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await takeAll(response, url, maxBytes, (chunk) => chunks.push(chunk));
  if (!response.complete) throw cutShort(url);
  return Buffer.concat(chunks);
}

/** Nothing of the body stays in memory. */
async function takeBody(
  response: IncomingMessage,
  about: Pick<RemoteResponse, "url" | "headers">,
  maxBytes: number,
  take: TakePiece,
): Promise<Buffer> {
  const { url } = about;
  const coding = findCoding(about);
  const decoder = coding?.pieces();
  let whyNot: TransferError | undefined;
  decoder?.once("error", (error) => {
    // What ends a response ends the decoder, too.
    if (!response.errored) whyNot = wrongCoding(url, coding?.name ?? "", error);
  });
  const last = (pieces: AsyncIterable<Buffer>) => takeAll(pieces, url, maxBytes, take);
  try {
    await (decoder ? pipeline(response, decoder, last) : pipeline(response, last));
  } catch (error) {
    throw whyNot ?? error;
  }
  if (!response.complete) throw cutShort(url);
  return Buffer.alloc(0);
}

async function takeAll(pieces: AsyncIterable<Buffer>, url: string, maxBytes: number, take: (piece: Buffer) => void) {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(url, maxBytes);
    take(piece);
  }
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? "", raw[2 * at + 1] ?? ""]);
}
