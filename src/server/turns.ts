/** Gives node's parser one request at a time: by itself it parses, and answers, all that a packet holds. */
import type { Socket } from "node:net";
import { type Connection, isBusy, putBack } from "./connections.js";

/** A request's first bytes that may be the beginning of a longer method: what was cut cannot be judged. */
const BEGUN_METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,63}$/;
const MAX_BEGUN = 64;
const HEADERS_END = "\r\n\r\n";
const NOTHING: Buffer = Buffer.alloc(0);

/** Puts itself before the listener by which node's server, which has just been given the socket, hears of bytes. */
export function readInTurn(socket: Socket, connection: Connection): void {
  const [parse] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  if (!parse) return;
  let held = NOTHING;
  let isBetween = true;

  // The connection ends with its last answer; what followed that request, such as its body, gets none.
  const isEnding = () => connection.isOver || connection.res?.shouldKeepAlive === false;

  const hear = (chunk: Buffer): void => {
    if (isEnding()) return;
    if (isBusy(socket, connection)) {
      putBack(socket, chunk);
      return;
    }
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    held = isBetween && isBegunMethod(bytes) ? bytes : NOTHING;
    if (held.length === 0) feed(bytes);
  };
  const feed = (bytes: Buffer): void => {
    const end = endOfRequest(bytes);
    const isAll = end === bytes.length;
    if (!isAll) putBack(socket, bytes.subarray(end));
    parse.call(socket, isAll ? bytes : bytes.subarray(0, end));
    if (connection.res) isBetween = true;
    else if (!isLineEnd(bytes[0])) isBetween = false;
    // Also to drop what comes: closing with unread bytes would make the system drop the answer.
    if (isEnding() || !isBusy(socket, connection)) socket.resume();
  };
  // Before node's own listener, which judges by what its parser has seen.
  socket.prependListener("end", () => {
    if (held.length > 0) parse.call(socket, held);
  });
  socket.on("data", hear).off("data", parse);
}

function isBegunMethod(bytes: Buffer): boolean {
  return bytes.length < MAX_BEGUN && BEGUN_METHOD.test(bytes.toString("latin1"));
}

/** Where a request's headers end, or all of it. Line ends that begin it are given by themselves: they may end one too. */
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
