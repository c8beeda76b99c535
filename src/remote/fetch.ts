/** `fetch` by requests of `Client`: answers are whole, bounded and decoded, and errors name the address and what to do. */
import { SUMS } from "../release/layout.js";
import type { Client } from "./client.js";
import { decodeBody, type RemoteResponse } from "./exchange.js";
import { TransferError } from "./transfer.js";

/** Undone before the answer is handed on, as every `fetch` does. */
const CODINGS = { "accept-encoding": "br, gzip" };

/** Bytes of SHA256SUMS: a reader holds it to what the pages need, and takes no larger one. */
const MOST_SUM_BYTES = 2 ** 28;

/** Bytes of a page, eight of which are asked for at once: each may have its share of 64 MiB, and any other file half of it. */
const MOST_PAGE_BYTES = 2 ** 23;
const MOST_FILE_BYTES = 2 ** 25;

/** Those that have no body, by the rules of `fetch`. */
const EMPTY = [204, 205, 304];

/**
 * No redirect is followed: it is the answer. Whoever reads by this `fetch` has to wait for a host that is busy.
 * @throws TransferError when no whole answer comes; what the request's signal was aborted with.
 */
export function fetchBy(client: Client): typeof globalThis.fetch {
  return async (input, { headers, signal } = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const fields = { ...CODINGS, ...Object.fromEntries(new Headers(headers)) };
    const maxBytes = url.replace(/\?v=.*/, "").endsWith(`/${SUMS}`)
      ? MOST_SUM_BYTES
      : Math.min(client.maxBytes, /[?&]page=\d|\/pages\/\d/.test(url) ? MOST_PAGE_BYTES : MOST_FILE_BYTES);
    const answer = await client.once(url, { headers: fields, signal: signal ?? undefined, maxBytes });
    return responseOf(answer, await decodeBody(answer, maxBytes));
  };
}

function responseOf({ url, status, headers }: RemoteResponse, bytes: Buffer): Response {
  try {
    const body = EMPTY.includes(status) ? null : streamOf(bytes);
    return new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) });
  } catch (error) {
    throw new TransferError("malformed", url, `answered ${status} with headers that are none of HTTP`, error);
  }
}

/** A body that is given as bytes would be copied. */
function streamOf(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(control) {
      if (bytes.length > 0) control.enqueue(bytes);
      control.close();
    },
  });
}
