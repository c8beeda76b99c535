/** The socket side: limits, answers to what is no request, and an orderly end. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorStatus } from "../contract/headers.js";
import { closeAll, createConnections } from "./connections.js";
import type { Descriptors } from "./descriptors.js";
import { createFastPath, type Taken } from "./fast-path/connection.js";
import type { ServerLimits } from "./limits.js";
import { statusOf } from "./refusals.js";
import { readInTurn } from "./turns.js";

export interface HttpEffects {
  /** Answers what stands in `text` at `at` without node's HTTP objects; undefined where it is not so simple. */
  take(text: string, at: number, socket: Socket): Taken | undefined;
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** A request that node understood and that is refused before its method counts. */
  fail(req: IncomingMessage, res: ServerResponse, status: ErrorStatus): void;
  /** The text of an answer to what was no request. */
  refuse(socket: Socket, status: ErrorStatus): string;
  /** Is told when there are too many connections. */
  log(line: string): void;
}

/** A server that is not listening yet, and its end: `close` finishes what is in flight and leaves nothing open. */
export function createHttpServer(
  limits: ServerLimits,
  descriptors: Descriptors,
  { take, handle, fail, refuse, log }: HttpEffects,
) {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  });
  // A client that closes its side after its request (as `nc` does) still wants the answer. Node's typings lack this.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = createConnections(limits, descriptors, log);
  let closing: Promise<void> | undefined;

  const begin = (req: IncomingMessage, res: ServerResponse) => {
    connections.begin(req.socket, res);
    if (closing) res.shouldKeepAlive = false;
  };
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    begin(req, res);
    handle(req, res);
  };
  const turnAway = (socket: Socket, status: ErrorStatus) => {
    const connection = connections.get(socket);
    // The connection closes with its last answer; what followed the request, such as its body, gets none.
    if (!connection || connection.isOver || connection.res) return;
    connection.isOver = true;
    endGently(socket, refuse(socket, status), limits.lingerMs);
  };

  // Node's own listener takes a connection when the quick lane gives it up.
  const [listener] = server.listeners("connection");
  const lane = createFastPath(limits, {
    isClosing: () => closing !== undefined,
    take,
    leave(socket, connection) {
      listener?.call(server, socket);
      // By which node closes after its last answer.
      socket.destroySoon = () => endGently(socket, "", limits.lingerMs);
      readInTurn(socket, connection);
    },
  });
  const looking = setInterval(() => {
    connections.closeStalled();
    for (const [socket, connection] of connections) lane.look(socket, connection);
  }, limits.checkMs);
  looking.unref();

  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    const connection = connections.add(socket);
    if (connection) lane.enter(socket, connection);
  });
  server.on("request", serve);
  // Answered as if the client had sent its body: nobody reads it, and the connection closes.
  server.on("checkContinue", serve);
  server.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) => {
    begin(req, res);
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

  const end = async () => {
    await closeAll(server, connections, limits);
    clearInterval(looking);
  };
  return { server, close: () => (closing ??= end()) };
}

/** Sends a last text, and lets the client read it: closing with unread bytes would make the system drop it. */
function endGently(socket: Socket, text: string, lingerMs: number): void {
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(cut));
  socket.end(text);
  socket.resume();
}
