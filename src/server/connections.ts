/**
 * Tracks connections: what each is owed, how long it has not moved, which of them make room for others, and how all end.
 * A connection is answered one request at a time. The next request is not looked at before every byte of the answer
 * before it is with the system, so that no client can have more waiting for it than one answer.
 */
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Descriptors } from "./descriptors.js";
import type { ServerLimits } from "./limits.js";

export interface Connection {
  /** The answer that node's server is giving. */
  res?: ServerResponse | undefined;
  /** The quick lane reads a page for it. */
  isLoading: boolean;
  /** Whatever else it sends is dropped. */
  isOver: boolean;
  openedAt: number;
  /** When it last had an answer; undefined when it never had one. */
  servedAt?: number;
  /** How many bytes had gone out, and when there had last been another number of them or nothing to wait for. */
  out: number;
  movedAt: number;
}

export interface Connections extends Iterable<[Socket, Connection]> {
  /** Undefined, and the socket closed, where there is no room for it and nobody is idle. */
  add(socket: Socket): Connection | undefined;
  get(socket: Socket): Connection | undefined;
  /** Node's server begins an answer. */
  begin(socket: Socket, res: ServerResponse): void;
  /** Closes those whose client has taken nothing for as long as it may. */
  closeStalled(): void;
}

/** How often the log says that there are too many connections. */
const TELL_MS = 60_000;

export function createConnections(
  { idleMs }: ServerLimits,
  { limit, connections: room }: Descriptors,
  log: (line: string) => void,
): Connections {
  const all = new Map<Socket, Connection>();
  let toldAt = 0;

  const tell = () => {
    if (Date.now() - toldAt < TELL_MS) return;
    toldAt = Date.now();
    log(
      `${all.size} connections are open, as many as the limit of ${limit} open files allows (ulimit -n). For each new one the longest idle is closed; where none is idle, the new one.`,
    );
  };
  /** Closes whoever has been idle for longest. False when nobody is. */
  const makeRoom = (newcomer: Socket): boolean => {
    const over = all.size - room;
    if (over <= 0) return true;
    tell();
    const idle = [...all]
      .filter(([socket, connection]) => socket !== newcomer && isIdle(socket, connection))
      .sort(([, one], [, other]) => lastActive(one) - lastActive(other));
    // Some more than need be where there are many, since sorting them costs more than an answer.
    for (const [socket] of idle.slice(0, over + (all.size >> 6))) {
      socket.destroy();
      all.delete(socket);
    }
    return idle.length >= over;
  };

  return {
    add(socket) {
      const now = Date.now();
      const connection = { isLoading: false, isOver: false, openedAt: now, out: 0, movedAt: now };
      all.set(socket, connection);
      socket.once("close", () => all.delete(socket));
      if (makeRoom(socket)) return connection;
      socket.destroy();
      all.delete(socket);
      return undefined;
    },
    get: (socket) => all.get(socket),
    begin(socket, res) {
      const connection = all.get(socket);
      if (!connection) return;
      connection.res = res;
      res.on("close", () => {
        connection.res = undefined;
        connection.isOver = !res.shouldKeepAlive;
        connection.servedAt = Date.now();
        if (socket.isPaused()) socket.resume();
      });
    },
    closeStalled() {
      const now = Date.now();
      for (const [socket, connection] of all) {
        const out = bytesOut(socket);
        if (out !== connection.out || !isBusy(socket, connection)) {
          connection.out = out;
          connection.movedAt = now;
        } else if (now - connection.movedAt >= idleMs) socket.destroy();
      }
    },
    [Symbol.iterator]: () => all.entries(),
  };
}

/** Whether the client still waits for what it has asked for. */
export function isBusy(socket: Socket, { res, isLoading }: Connection): boolean {
  return res !== undefined || isLoading || socket.writableLength > 0;
}

function isIdle(socket: Socket, connection: Connection): boolean {
  return !isBusy(socket, connection) && socket.readableLength === 0;
}

function lastActive({ servedAt, openedAt }: Connection): number {
  return servedAt ?? openedAt;
}

/** Keeps what was read too early in the socket, so that the client's end too is heard only after it. */
export function putBack(socket: Socket, bytes: Buffer): void {
  socket.pause();
  if (bytes.length > 0) socket.unshift(bytes);
}

/**
 * What the system has taken of all that was written. A long write counts as it goes out and not when it is over, for
 * which only node's own handle knows the rest; its own time limits ask it as well.
 */
function bytesOut(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket.bytesWritten - (socket._handle?.writeQueueSize ?? socket.writableLength);
}

const SWEEP_MS = 50;

/**
 * Not by the server's own `close`, nor its `closeIdleConnections`: both take a connection for idle as soon as its
 * answer has been handed over, and cut what a slow client has still to receive.
 */
export async function closeAll(
  server: Server,
  connections: Connections,
  { graceMs, closeMs }: ServerLimits,
): Promise<void> {
  const started = Date.now();
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const [, { res }] of connections) {
    if (res && !res.headersSent) res.shouldKeepAlive = false;
  }
  const sweep = () => {
    const waited = Date.now() - started;
    for (const [socket, connection] of connections) {
      const { servedAt } = connection;
      const patience = !isIdle(socket, connection) ? closeMs : servedAt !== undefined ? 0 : graceMs;
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
