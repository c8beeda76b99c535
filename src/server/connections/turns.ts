/** Gives Node's parser one request at a time. By itself, it would handle all requests of a packet at once. */
import type { Socket } from "node:net";
import { type Connection, isAnswering, putBack } from "./connections.js";
import { isLastAnswer, takeBytes } from "./node-internals.js";

/** The beginning of a request that may be an incomplete method. The parser would refuse it too early. */
const BEGUN_METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,63}$/;
const MAX_BEGUN = 64;
const HEAD = "HEAD ";
const HEADERS_END = "\r\n\r\n";
const NOTHING: Buffer = Buffer.alloc(0);

/** Makes a connection of Node's server read one request at a time. Call it right after the server got the socket. */
export function readInTurn(socket: Socket, connection: Connection): void {
  let held = NOTHING;
  let isBetween = true;

  // Bytes after the last request, such as its body, are ignored.
  const isEnding = () => connection.isOver || (connection.res !== undefined && isLastAnswer(connection.res));

  const onData = (chunk: Buffer): void => {
    if (isEnding()) return;
    if (isAnswering(socket, connection)) {
      putBack(socket, chunk);
      return;
    }
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    held = isBetween && BEGUN_METHOD.test(bytes.toString("latin1", 0, MAX_BEGUN)) ? bytes : NOTHING;
    if (held.length === 0) feed(bytes);
  };
  const feed = (bytes: Buffer): void => {
    const end = endOfRequest(bytes);
    const isAll = end === bytes.length;
    if (!isAll) putBack(socket, bytes.subarray(end));
    if (isBetween) connection.isHead = bytes.toString("latin1", 0, HEAD.length) === HEAD;
    parse(isAll ? bytes : bytes.subarray(0, end));
    if (connection.res) isBetween = true;
    else if (!isLineEnd(bytes[0])) isBetween = false;
    // A connection that ends reads on, too: if it closed with unread bytes, the system would drop the response.
    if (isEnding() || !isAnswering(socket, connection)) socket.resume();
  };
  const parse = takeBytes(socket, onData, () => {
    if (held.length > 0) parse(held);
  });
}

/** The offset where a request's headers end, or the end of the bytes. Empty lines before a request count as a request. */
function endOfRequest(bytes: Buffer): number {
  let start = 0;
  while (isLineEnd(bytes[start])) start++;
  if (start > 0) return start;
  const at = bytes.indexOf(HEADERS_END);
  return at === -1 ? bytes.length : at + HEADERS_END.length;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0d || byte === 0x0a;
}
