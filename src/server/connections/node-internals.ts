/**
 * Everything that this server assumes about Node's HTTP server beyond its documentation; no other file may assume any.
 * Tried with Node 20.20, 22.23, 24.21 and 26.10.
 */
import { createServer, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** A server on which a client may close its side after its request (as `nc` does) and still get the answer. */
export function createHalfOpenServer(options: ServerOptions): Server {
  return Object.assign(createServer(options), { httpAllowHalfOpen: true });
}

/** Takes new connections away from a server. The result hands a connection, new or used, to the server after all. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => listener?.call(server, socket);
}

/**
 * Takes received bytes away from the parser of a connection that a server has just been given. The result hands bytes to
 * the parser after all. `onEnd` hears that the client has closed its side before the parser does.
 */
export function takeBytes(socket: Socket, onBytes: (chunk: Buffer) => void, onEnd: () => void) {
  const [parse] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  // Adding a listener first makes Node deliver the bytes to JavaScript at all.
  socket.on("data", onBytes).prependListener("end", onEnd);
  if (parse) socket.off("data", parse);
  return (bytes: Buffer) => parse?.call(socket, bytes);
}

/** Replaces how a server closes a connection after its last answer. */
export function closeLastAnswerWith(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Makes an answer the last one on its connection, and says so in its headers if they are still to be sent. */
export function closeAfter(res: ServerResponse): void {
  res.shouldKeepAlive = false;
}

export function isLastAnswer(res: ServerResponse): boolean {
  return !res.shouldKeepAlive;
}

/**
 * Lets what is written to a stream wait, rather than the whole process, while nobody reads it. Node does so with pipes, unless
 * another program has changed that, and not with terminals, which Ctrl-S stops.
 */
export function writeWithoutWaiting(
  stream: NodeJS.WritableStream & { _handle?: { setBlocking?(isBlocking: boolean): void } | null },
): void {
  stream._handle?.setBlocking?.(false);
}

/** How many bytes the system has taken so far, also of a long write that is still going on. */
export function bytesSent(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket.bytesWritten - (socket._handle?.writeQueueSize ?? socket.writableLength);
}

/**
 * Stops listening, and resolves when the last connection has closed. An HTTP server's own `close` also cuts connections
 * whose answer has been written but not received; it is called last, and only ends the server's timers.
 */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  server.close();
}
