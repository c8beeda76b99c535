/** Undoing a Content-Encoding, never into more bytes than a page may have. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { hasCode } from "../errors.js";
import { MAX_BYTES } from "./client.js";
import { headerOf, type RemoteResponse } from "./exchange.js";
import { TransferError, tooLarge } from "./transfer.js";

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
