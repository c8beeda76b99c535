/** Node's HTTP server with our limits, responses to invalid requests, and a graceful shutdown. */
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
  /** Handles a request on the fast path. */
  take: Take;
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** The text of the response to an invalid request, without the body if it was a HEAD. */
  refuse(socket: Socket, status: ErrorStatus, isHead: boolean): string;
  log(line: string): void;
}

/** Makes a server that does not listen yet. Its `close` finishes responses that have begun, and closes all connections. */
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
  const refuseRequest = (socket: Socket, status: ErrorStatus) => {
    const connection = connections.get(socket);
    // Nothing after the last response is answered, such as a body that was not read.
    if (!connection || connection.isOver || connection.res) return;
    connection.isOver = true;
    endGently(socket, refuse(socket, status, connection.isHead === true), limits.lingerMs);
  };

  const startInNode = takeConnections(server);
  const handToNode: typeof readInTurn = (socket, connection) => {
    startInNode(socket);
    closeLastAnswerWith(socket, () => endGently(socket, "", limits.lingerMs));
    readInTurn(socket, connection);
  };
  const fastPath = createFastPath(limits, take, () => closing !== undefined, handToNode);
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
  // No `100 Continue` is sent: bodies are not read, and the connection closes after the response.
  server.on("checkContinue", serve);
  server.on("checkExpectation", serve);
  server.on("clientError", (error, socket) => {
    const status = statusOf(error);
    if (status && socket.writable) refuseRequest(socket as Socket, status);
    else socket.destroy();
  });
  server.on("connect", (_req, socket) => {
    socket.on("error", () => socket.destroy());
    refuseRequest(socket as Socket, 405);
  });

  const close = () => (closing ??= connections.closeAll(server).finally(() => clearInterval(checking)));
  return { server, close, open: connections.count };
}

/** Sends a last text, and reads on until the client has read it: closing with unread bytes would make the system drop the text. */
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

/** The status for a request that Node's parser has refused; undefined if the connection broke. */
function statusOf(error: Error): ErrorStatus | undefined {
  const code = codeOf(error) ?? "";
  if (code === "HPE_INVALID_METHOD") return isRequestLine(error) ? 405 : 400;
  return STATUS_BY_CODE[code] ?? (code.startsWith("HPE_") ? 400 : undefined);
}

const MAX_METHOD = 64;

/** Whether the bytes are a request line with an unknown method (`BREW /pot HTTP/1.1`), not another protocol such as TLS. */
function isRequestLine({ rawPacket, bytesParsed = 0 }: Error & { rawPacket?: Buffer; bytesParsed?: number }): boolean {
  if (!rawPacket) return false;
  const lineStart = rawPacket.lastIndexOf("\n", bytesParsed) + 1;
  const line = rawPacket.toString("latin1", lineStart, lineStart + MAX_METHOD);
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ /.test(line);
}
