/** The socket side: limits, answers to what is no request, and an orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { ErrorStatus } from "./answers.js";
import type { Limits } from "./limits.js";
import { statusOf } from "./refusals.js";

export interface ServerEffects {
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** A request that node understood and that is refused before its method counts. */
  fail(req: IncomingMessage, res: ServerResponse, status: ErrorStatus): void;
  /** The text of an answer to what was no request. */
  refuse(socket: Socket, status: ErrorStatus): string;
}

/** A server that is not listening yet, and its end: `close` finishes what is in flight and leaves nothing open. */
export function createHttpServer(limits: Limits, { handle, fail, refuse }: ServerEffects) {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  });
  server.timeout = limits.idleMs;
  // A client that closes its side after its request (as `nc` does) still wants the answer. Node's typings lack this.
  Object.assign(server, { httpAllowHalfOpen: true });
  /** Every open connection, with its latest answer. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  const turnedAway = new WeakSet<Socket>();
  let closing: Promise<void> | undefined;

  const take = (req: IncomingMessage, res: ServerResponse) => {
    connections.set(req.socket, res);
    if (closing) res.shouldKeepAlive = false;
  };
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    take(req, res);
    handle(req, res);
  };
  const turnAway = (socket: Socket, status: ErrorStatus) => {
    // The parser repeats its error for whatever comes after it.
    if (turnedAway.has(socket)) return;
    turnedAway.add(socket);
    const end = () => {
      if (socket.writable) endGently(socket, refuse(socket, status), limits.lingerMs);
    };
    const last = connections.get(socket);
    // The connection closes with its last answer; what followed the request, such as its body, gets none.
    if (last?.shouldKeepAlive === false) return;
    // Requests before the bad one, on the same connection, are still owed their answers.
    if (isOwed(last)) last.once("close", end);
    else end();
  };

  server.on("connection", (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", serve);
  // Answered as if the client had sent its body: nobody reads it, and the connection closes.
  server.on("checkContinue", serve);
  server.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) => {
    take(req, res);
    res.shouldKeepAlive = false;
    fail(req, res, 417);
  });
  server.on("clientError", (error, socket) => {
    const status = statusOf(error);
    if (status && socket.writable) turnAway(socket as Socket, status);
    else socket.destroy();
  });
  server.on("connect", (_req, socket) => {
    socket.on("error", () => socket.destroy());
    turnAway(socket as Socket, 405);
  });

  return { server, close: () => (closing ??= closeAll(server, connections, limits)) };
}

function isOwed(res: ServerResponse | undefined): res is ServerResponse {
  return res !== undefined && !res.writableFinished && !res.destroyed;
}

/** Sends a last text, and lets the client read it: closing with unread bytes would make the system drop it. */
function endGently(socket: Socket, text: string, lingerMs: number): void {
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(cut));
  socket.end(text);
  socket.resume();
}

const SWEEP_MS = 50;

/**
 * Not by the server's own `close`, nor its `closeIdleConnections`: both take a connection for idle as soon as its
 * answer has been handed over, and cut what a slow client has still to receive.
 */
async function closeAll(
  server: Server,
  connections: ReadonlyMap<Socket, ServerResponse | undefined>,
  { graceMs, closeMs }: Limits,
): Promise<void> {
  const started = Date.now();
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const res of connections.values()) {
    if (res && !res.headersSent) res.shouldKeepAlive = false;
  }
  const sweep = () => {
    const waited = Date.now() - started;
    for (const [socket, res] of connections) {
      const patience = isOwed(res) ? closeMs : res ? 0 : graceMs;
      if (waited >= patience) socket.destroy();
    }
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS);
  await closed;
  clearInterval(sweeping);
  // Ends the look-out for slow requests, which only the server's own does.
  server.close();
}
