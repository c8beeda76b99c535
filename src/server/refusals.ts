/** What to answer where node's parser gave up: the client's fault, and which. */

import type { ErrorStatus } from "../contract/headers.js";
import { codeOf } from "../errors.js";

const STATUS_BY_CODE: Readonly<Record<string, ErrorStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Undefined when there is nobody left to answer: the connection broke. */
export function statusOf(error: Error): ErrorStatus | undefined {
  const code = codeOf(error) ?? "";
  if (code === "HPE_INVALID_METHOD") return isRequestLine(error) ? 405 : 400;
  if (code.startsWith("HPE_")) return STATUS_BY_CODE[code] ?? 400;
  return STATUS_BY_CODE[code];
}

/** Tells an invented method (`BREW /pot HTTP/1.1`) from bytes that are no HTTP at all, such as a TLS handshake. */
function isRequestLine(error: Error & { rawPacket?: Buffer; bytesParsed?: number }): boolean {
  const { rawPacket, bytesParsed = 0 } = error;
  if (!rawPacket) return false;
  const lineStart = rawPacket.lastIndexOf("\n", bytesParsed) + 1;
  const line = rawPacket.toString("latin1", lineStart, lineStart + MAX_METHOD);
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ /.test(line);
}

const MAX_METHOD = 64;
