/** Closes connections in stages (RFC 9112, 9.6). When a socket is closed with unread bytes, the system drops what it has not yet sent. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SERVER_LIMITS, type ServerLimits } from "./limits.js";

/** Whether the client wants its connection closed after the response. Node sees HTTP/2.0 as it sees HTTP/1.0. */
export function isLastRequest({ httpVersionMinor, headers }: IncomingMessage): boolean {
  const options = (headers.connection ?? "").toLowerCase().split(/[\s,]+/);
  return httpVersionMinor === 0 ? !options.includes("keep-alive") : options.includes("close");
}

/** Whether a response ends its connection. */
export function isLastResponse(res: ServerResponse): boolean {
  return res.getHeader("connection") === "close";
}

/** Limits of the connections of this server. Those of other servers have the usual ones. */
export const limitsOf = new WeakMap<Socket, ServerLimits>();

/**
 * Ends a response after which the connection closes, whose headers and body were written. Node's server would close the socket at
 * `end`, so this ends the socket instead.
 * @param taken called when the system has taken all of it.
 */
export function endLast({ req }: ServerResponse, taken: () => void): void {
  const { socket } = req;
  // Unread bodies would keep Node's parser from reading on.
  req.resume();
  socket.write("", (error) => {
    if (error) return;
    taken();
    closeInStages(socket, limitsOf.get(socket) ?? SERVER_LIMITS);
  });
}

/**
 * Sends what was written, ends this side, and reads on until the client closes its side. What is read gets no answer.
 * Does nothing if this side has ended already.
 */
export function closeInStages(socket: Socket, { lingerMs, lingerBytes }: ServerLimits): void {
  if (!socket.writable) return;
  const most = socket.bytesRead + lingerBytes;
  socket.on("data", () => {
    if (socket.bytesRead > most) socket.destroy();
  });
  socket.once("finish", () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });
  socket.end();
  socket.resume();
}

/** Reads no more until `closeInStages`. */
export function stopReading(socket: Socket): void {
  // Node's parser reads past the socket, also past a paused one, until the socket has a listener of its own.
  socket.on("data", () => {});
  socket.pause();
  // Node resumes a socket that it has paused itself.
  socket.on("drain", () => {
    if (socket.writable) socket.pause();
  });
}
