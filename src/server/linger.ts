/** Closes connections in stages (RFC 9112, 9.6). When a socket is closed with unread bytes, the system drops what it has not yet sent. */
import type { Socket } from "node:net";
import type { ServerLimits } from "./limits.js";

/**
 * Sends what was written, ends this side, and reads on until the client closes its side. The bytes that are read are dropped.
 * Does nothing if this side has ended already.
 */
export function closeInStages(socket: Socket, { lingerMs, lingerBytes }: ServerLimits): void {
  if (!socket.writable) return;
  const most = socket.bytesRead + lingerBytes;
  ignoreInput(socket, () => {
    if (socket.bytesRead > most) socket.destroy();
  });
  socket.once("finish", () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });
  socket.end();
  socket.resume();
}

/** Takes a connection from its parser: nothing that the client sends from now on is a request. */
export function ignoreInput(socket: Socket, onData = () => {}): void {
  socket.removeAllListeners("data");
  // Node's parser reads past the socket until the socket has a listener of its own.
  socket.on("data", onData);
}
