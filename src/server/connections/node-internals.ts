/**
 * Everything that this server uses of Node's HTTP server beyond its documentation. No other file may do so.
 * Works with Node 20.20, 22.23, 24.21 and 26.10.
 */
import { createServer, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Makes a server whose clients may close their side after the request (as `nc` does) and still get the response. */
export function createHalfOpenServer(options: ServerOptions): Server {
  return Object.assign(createServer(options), { httpAllowHalfOpen: true });
}

/** Takes new connections away from a server. @returns a function that hands a connection, new or used, to the server. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => listener?.call(server, socket);
}

/**
 * Takes received bytes away from the parser of a connection that a server has just been given. `onEnd` is called before the
 * parser when the client closes its side. @returns a function that hands bytes to the parser.
 */
export function takeBytes(socket: Socket, onBytes: (chunk: Buffer) => void, onEnd: () => void) {
  const [parse] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  // Without a listener that is added first, Node would not deliver the bytes to JavaScript.
  socket.on("data", onBytes).prependListener("end", onEnd);
  if (parse) socket.off("data", parse);
  return (bytes: Buffer) => parse?.call(socket, bytes);
}

/** Replaces the function with which a server closes a connection after its last response. */
export function closeLastAnswerWith(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Makes a response the last one on its connection, with `Connection: close` if its headers are not sent yet. */
export function closeAfter(res: ServerResponse): void {
  res.shouldKeepAlive = false;
}

/** Whether Node closes the connection after this response. */
export function isLastAnswer(res: ServerResponse): boolean {
  return !res.shouldKeepAlive;
}

/**
 * Makes writes to a stream asynchronous, so that a slow reader does not block the process. Node does so for pipes, unless
 * another program has changed that, but not for terminals, which Ctrl-S stops.
 */
export function writeWithoutWaiting(
  stream: NodeJS.WritableStream & { _handle?: { setBlocking?(isBlocking: boolean): void } | null },
): void {
  stream._handle?.setBlocking?.(false);
}

/** Bytes that the system has taken so far, including a part of a write in progress. */
export function bytesSent(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket.bytesWritten - (socket._handle?.writeQueueSize ?? socket.writableLength);
}

/**
 * Stops listening, and resolves when the last connection has closed. An HTTP server's own `close` would cut connections
 * whose response was written but not received, so it is called last, to end the server's timers.
 */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  server.close();
}
