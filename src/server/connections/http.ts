/** Node's HTTP server with the limits of this one, answers to what is no request, and a graceful end. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorStatus } from "../../contract/headers.js";
import { codeOf } from "../../errors.js";
import { createFastPath, type Take } from "../fast-path/connection.js";
import type { ServerLimits } from "../limits.js";
import { createConnections } from "./connections.js";
import type { Descriptors } from "./descriptors.js";
import { closeAfter, closeLastAnswerWith, createHalfOpenServer, takeConnections } from "./node-internals.js";
import { readInTurn } from "./turns.js";

interface HttpEffects {
  /** Answers without Node's HTTP objects. */
  take: Take;
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** The text of an answer to what was not a request, without its body where it seemed to be a HEAD. */
  refuse(socket: Socket, status: ErrorStatus, isHead: boolean): string;
  log(line: string): void;
}

/** A server that does not listen yet. `close` finishes the answers that have begun and leaves no connection open. */
export function createHttpServer(
  limits: ServerLimits,
  descriptors: Descriptors,
  { take, handle, refuse, log }: HttpEffects,
) {
  const server = createHalfOpenServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  });
  const connections = createConnections(limits, descriptors, log);
  let closing: Promise<void> | undefined;

  const serve = (req: IncomingMessage, res: ServerResponse) => {
    connections.begin(req.socket, res);
    if (closing) closeAfter(res);
    handle(req, res);
  };
  const turnAway = (socket: Socket, status: ErrorStatus) => {
    const connection = connections.get(socket);
    // After the last answer nothing else is answered, such as a body that was not read.
    if (!connection || connection.isOver || connection.res) return;
    connection.isOver = true;
    endGently(socket, refuse(socket, status, connection.isHead === true), limits.lingerMs);
  };

  const giveToNode = takeConnections(server);
  const leave: typeof readInTurn = (socket, connection) => {
    giveToNode(socket);
    closeLastAnswerWith(socket, () => endGently(socket, "", limits.lingerMs));
    readInTurn(socket, connection);
  };
  const fastPath = createFastPath(limits, take, () => closing !== undefined, leave);
  const checking = setInterval(() => {
    connections.closeStalled();
    for (const [socket, connection] of connections) fastPath.check(socket, connection);
  }, limits.checkMs);
  checking.unref();

  server.on("connection", (socket: Socket) => {
    const connection = connections.add(socket);
    if (connection) fastPath.enter(socket, connection);
  });
  server.on("request", serve);
  // No client is asked to go on with its body: nobody reads it, and the connection closes after the answer.
  server.on("checkContinue", serve);
  server.on("checkExpectation", serve);
  server.on("clientError", (error, socket) => {
    const status = statusOf(error);
    if (status && socket.writable) turnAway(socket as Socket, status);
    else socket.destroy();
  });
  server.on("connect", (_req, socket) => {
    socket.on("error", () => socket.destroy());
    turnAway(socket as Socket, 405);
  });

  const close = () => (closing ??= connections.closeAll(server).finally(() => clearInterval(checking)));
  return { server, close, open: connections.count };
}

/** Sends a last text and lets the client read it: closing with unread bytes would make the system drop it. */
function endGently(socket: Socket, text: string, lingerMs: number): void {
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(cut));
  socket.end(text);
  socket.resume();
}

const STATUS_BY_CODE: Readonly<Record<string, ErrorStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** How to answer what Node's parser has refused; undefined if the connection broke and nobody is left to answer. */
function statusOf(error: Error): ErrorStatus | undefined {
  const code = codeOf(error) ?? "";
  if (code === "HPE_INVALID_METHOD") return isRequestLine(error) ? 405 : 400;
  return STATUS_BY_CODE[code] ?? (code.startsWith("HPE_") ? 400 : undefined);
}

const MAX_METHOD = 64;

/** Tells an invented method (`BREW /pot HTTP/1.1`) from bytes that are no HTTP at all, such as a TLS handshake. */
function isRequestLine({ rawPacket, bytesParsed = 0 }: Error & { rawPacket?: Buffer; bytesParsed?: number }): boolean {
  if (!rawPacket) return false;
  const lineStart = rawPacket.lastIndexOf("\n", bytesParsed) + 1;
  const line = rawPacket.toString("latin1", lineStart, lineStart + MAX_METHOD);
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ /.test(line);
}
