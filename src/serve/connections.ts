/**
 * The listener and its connections. The fast path gets each new connection, and hands all but plain requests to Node's HTTP
 * server. That answers the requests of a connection one at a time. Node limits clients that are silent, slow or too many.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createListener, type Socket } from "node:net";
import type { ErrorStatus } from "../core/contract/headers.js";
import { codeOf } from "../core/errors.js";
import { createFastPath, type FastConnection, type Take } from "./fast-path/connection.js";
import type { ServerLimits, shareDescriptors } from "./limits.js";
import { closeInStages, isLastRequest, limitsOf, stopReading } from "./linger.js";

interface Connection extends FastConnection {
  /** The response that Node's server is sending. */
  res?: ServerResponse | undefined;
  /** Begin the next responses. */
  waiting: ((connection: Connection) => void)[];
  /** Whether nothing that comes from now on is answered. */
  isEnding?: boolean;
  /** Requests that came after that. */
  ignored: number;
}

interface ConnectionEffects {
  /** Takes a request on the fast path. */
  take: Take;
  /** Takes back the memory of a body that the fast path has sent. */
  giveBack(body: Uint8Array): void;
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** The text of the response to an invalid request. */
  refuse(socket: Socket, status: ErrorStatus): string;
  log(line: string): void;
}

/** Minimum milliseconds between two log lines about too many connections. */
const LOG_MS = 60_000;
const SWEEP_MS = 50;

/** Makes a server that does not listen yet. Its `close` finishes responses that have begun, and closes all connections. */
export function createConnections(
  limits: ServerLimits,
  { openFiles, connections: most }: ReturnType<typeof shareDescriptors>,
  { take, giveBack, handle, refuse, log }: ConnectionEffects,
) {
  const all = new Map<Socket, Connection>();
  /** Connections of another server that calls `serve`. */
  const foreign = new WeakMap<Socket, Connection>();
  let closing: Promise<void> | undefined;
  const node = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  });
  node.timeout = limits.stalledMs;
  // From this event on, Node checks time limits. This server itself never listens.
  node.emit("listening");

  const end = (socket: Socket) => closeInStages(socket, limits);
  const find = (socket: Socket): Connection => {
    const connection = all.get(socket) ?? foreign.get(socket) ?? { isNew: true, waiting: [], ignored: 0 };
    if (!all.has(socket)) foreign.set(socket, connection);
    return connection;
  };
  /** Begins a response once those before it have been sent. A request that cannot wait ends its connection. */
  const inTurn = (socket: Socket, begin: (connection: Connection) => void): void => {
    const connection = find(socket);
    if (!socket.writable || connection.isEnding) {
      // Node's server keeps the objects of each request, also of those that get no answer.
      if (++connection.ignored > limits.waiting) socket.pause();
      return;
    }
    if (!connection.res) begin(connection);
    else if (connection.waiting.length < limits.waiting) connection.waiting.push(begin);
    else {
      connection.waiting.length = 0;
      endInTurn(socket, () => end(socket));
    }
  };
  /** Ends a connection once the responses before have been sent. Until then, no bytes are read. */
  const endInTurn = (socket: Socket, lastly: () => void): void => {
    inTurn(socket, lastly);
    const connection = find(socket);
    if (!socket.writable || connection.isEnding) return;
    connection.isEnding = true;
    stopReading(socket);
  };
  /** Answers a request of Node's server, this one or another. */
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req;
    inTurn(socket, (connection) => {
      connection.res = res;
      res.once("close", () => {
        connection.res = undefined;
        connection.isNew = false;
        // After the last response, the socket is not writable.
        if (socket.writable) connection.waiting.shift()?.(connection);
      });
      if (closing || isLastRequest(req)) res.setHeader("Connection", "close");
      handle(req, res);
    });
  };
  /** Sends a last text. */
  const refuseRequest = (socket: Socket, status: ErrorStatus): void =>
    endInTurn(socket, () => {
      socket.write(refuse(socket, status));
      end(socket);
    });

  node.on("request", serve);
  // No `100 Continue` is sent: bodies are not read, and the connection closes after the response.
  node.on("checkContinue", serve);
  node.on("checkExpectation", serve);
  node.on("clientError", (error, socket) => {
    const status = statusOf(error, (socket as Socket).bytesRead);
    if (!status) return void socket.destroy();
    refuseRequest(socket as Socket, status);
  });
  node.on("connect", (_req, socket) => {
    socket.on("error", () => socket.destroy());
    refuseRequest(socket as Socket, 405);
  });
  // With a listener, Node closes no connection at a time limit itself.
  node.on("timeout", (socket) => {
    if (all.get(socket)?.res || socket.writableLength > 0) socket.destroy();
    else end(socket);
  });

  const isClosing = () => closing !== undefined;
  const enter = createFastPath(limits, take, giveBack, isClosing, (socket) => void node.emit("connection", socket));
  const server = createListener({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection: Connection = { isNew: true, waiting: [], ignored: 0 };
    limitsOf.set(socket, limits);
    all.set(socket, connection);
    socket.once("close", () => all.delete(socket));
    enter(socket, connection);
  });
  server.maxConnections = most;
  let loggedAt = 0;
  server.on("drop", () => {
    if (Date.now() - loggedAt < LOG_MS) return;
    loggedAt = Date.now();
    const why = most < limits.connections ? ` with the limit of ${openFiles} open files (ulimit -n)` : "";
    log(`${most} connections are open, the most that are possible${why}. New ones are closed.`);
  });

  /** Stops listening, finishes responses that have begun, and cuts the remaining connections after `closeMs`. */
  const closeAll = async (): Promise<void> => {
    const started = Date.now();
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    const sweep = () => {
      const waited = Date.now() - started;
      for (const [socket, { res, isNew }] of all) {
        const isIdle = !res && socket.writableLength === 0 && socket.readableLength === 0;
        const graceMs = isNew ? limits.graceMs : 0;
        if (waited >= limits.closeMs) socket.destroy();
        else if (isIdle && waited >= graceMs) end(socket);
      }
    };
    sweep();
    const sweeping = setInterval(sweep, SWEEP_MS);
    await closed;
    clearInterval(sweeping);
    // The server has closed, but its last sockets will only now. Responses that were cut are logged then.
    const sockets = [...all.keys()];
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))));
    node.close();
  };
  return { server, serve, open: () => all.size, close: () => (closing ??= closeAll()) };
}

const STATUS_BY_CODE: Readonly<Record<string, ErrorStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/**
 * The status for a request that Node's parser has refused; undefined if the connection broke.
 * @param bytesRead of the connection.
 */
function statusOf(error: Error, bytesRead: number): ErrorStatus | undefined {
  const code = codeOf(error) ?? "";
  if (code === "HPE_INVALID_METHOD") return isRequestLine(error, bytesRead) ? 405 : 400;
  return STATUS_BY_CODE[code] ?? (code.startsWith("HPE_") ? 400 : undefined);
}

const MAX_METHOD = 64;

/** Whether the bytes are a request line with an unknown method (`BREW /pot HTTP/1.1`), not another protocol such as TLS. */
function isRequestLine(
  { rawPacket, bytesParsed = 0 }: Error & { rawPacket?: Buffer; bytesParsed?: number },
  bytesRead: number,
): boolean {
  if (!rawPacket) return false;
  const lineStart = rawPacket.lastIndexOf("\n", bytesParsed) + 1;
  const line = rawPacket.toString("latin1", lineStart, lineStart + MAX_METHOD);
  const [method] = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*(?= |$)/.exec(line) ?? [];
  // The packet may begin or end inside of the method.
  const isBegun = lineStart === 0 && bytesRead > rawPacket.length;
  return method !== undefined && (method !== "" || isBegun);
}
