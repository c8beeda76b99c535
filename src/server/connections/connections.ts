/**
 * Tracks connections and closes them: stalled ones, idle ones when there are too many, and all of them at the end.
 * Requests of a connection are handled one at a time. The next request is not parsed until the system has taken every byte
 * of the response before it, so no client has more than one response waiting in memory.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "../limits.js";
import type { Descriptors } from "./descriptors.js";
import { bytesSent, closeAfter, closeServer, isLastAnswer } from "./node-internals.js";

export interface Connection {
  /** The response that Node's server is sending. */
  res?: ServerResponse | undefined;
  /** Whether the last request is a HEAD, whose response has no body. */
  isHead?: boolean;
  /** Whether the last response was sent. Anything else that the client sends is dropped. */
  isOver: boolean;
  openedAt: number;
  /** When the last response ended, if any. */
  servedAt?: number;
  /** Bytes that were sent before the current response. */
  sentBefore: number;
  /** Bytes sent at the last check, and when that number last changed or nothing was waiting to be sent. */
  sent: number;
  movedAt: number;
}

/** Minimum milliseconds between two log lines about too many connections. */
const LOG_MS = 60_000;
const SWEEP_MS = 50;

/** Maximum bytes in the system's send buffer: Linux takes more only when the client has read a third of it. */
const MOST_HELD = 4 * 1024 * 1024;
const NOTHING_SENT = { sentBefore: 0, sent: 0 };

/** Creates the table of open connections, which limits their number, idle time and slow clients. */
export function createConnections(
  { idleMs, slowBytes, graceMs, closeMs }: ServerLimits,
  { limit, connections: room }: Descriptors,
  log: (line: string) => void,
) {
  const all = new Map<Socket, Connection>();
  let loggedAt = 0;

  /** Closes the connections that have been idle for longest. @returns false if too few are idle. */
  const makeRoom = (newcomer: Socket): boolean => {
    const over = all.size - room;
    if (over <= 0) return true;
    if (Date.now() - loggedAt >= LOG_MS) {
      loggedAt = Date.now();
      log(
        `${all.size} connections are open, as many as the limit of ${limit} open files allows (ulimit -n). Each new one closes the longest idle one; if none is idle, the new one is closed.`,
      );
    }
    const lastActive = ({ servedAt, openedAt }: Connection) => servedAt ?? openedAt;
    const idle = [...all]
      .filter(([socket, connection]) => socket !== newcomer && isIdle(socket, connection))
      .sort(([, one], [, other]) => lastActive(one) - lastActive(other));
    // Close a few more than needed, since sorting many connections costs more than a response.
    for (const [socket] of idle.slice(0, over + (all.size >> 6))) {
      socket.destroy();
      all.delete(socket);
    }
    return idle.length >= over;
  };

  return {
    /** Tracks a new connection. Closes it and returns undefined if the limit is reached and no other connection is idle. */
    add(socket: Socket): Connection | undefined {
      const now = Date.now();
      const connection: Connection = { isOver: false, openedAt: now, ...NOTHING_SENT, movedAt: now };
      all.set(socket, connection);
      socket.once("close", () => all.delete(socket));
      if (makeRoom(socket)) return connection;
      socket.destroy();
      all.delete(socket);
      return undefined;
    },
    get: (socket: Socket) => all.get(socket),
    count: () => all.size,
    /** Call this when Node's server begins a response. */
    begin(socket: Socket, res: ServerResponse) {
      const connection = all.get(socket);
      if (!connection) return;
      connection.res = res;
      res.on("close", () => {
        connection.res = undefined;
        connection.isOver = isLastAnswer(res);
        connection.servedAt = Date.now();
        if (socket.isPaused()) socket.resume();
      });
    },
    /**
     * Closes connections of which the system has taken nothing for `idleMs`, plus the time that a client of `slowBytes` per
     * second needs for half of the send buffer.
     */
    closeStalled() {
      const now = Date.now();
      for (const [socket, connection] of all) {
        const sent = bytesSent(socket);
        const isBusy = isAnswering(socket, connection);
        if (!isBusy) connection.sentBefore = sent;
        if (sent !== connection.sent || !isBusy) {
          connection.sent = sent;
          connection.movedAt = now;
        } else {
          const held = Math.min(sent - connection.sentBefore, MOST_HELD);
          if (now - connection.movedAt >= idleMs + (held / 2 / slowBytes) * 1000) socket.destroy();
        }
      }
    },
    /** Stops listening, finishes responses that have begun, and cuts the remaining connections after `closeMs`. */
    async closeAll(server: Server) {
      const started = Date.now();
      const closed = closeServer(server);
      for (const { res } of all.values()) if (res && !res.headersSent) closeAfter(res);
      const sweep = () => {
        const waited = Date.now() - started;
        for (const [socket, connection] of all) {
          const limitMs = connection.servedAt === undefined ? graceMs : 0;
          if (waited >= (isIdle(socket, connection) ? limitMs : closeMs)) socket.destroy();
        }
      };
      sweep();
      const sweeping = setInterval(sweep, SWEEP_MS);
      await closed;
      clearInterval(sweeping);
    },
    [Symbol.iterator]: () => all.entries(),
  };
}

/** Whether a response is in progress. */
export function isAnswering(socket: Socket, { res }: Connection): boolean {
  return res !== undefined || socket.writableLength > 0;
}

function isIdle(socket: Socket, connection: Connection): boolean {
  return !isAnswering(socket, connection) && socket.readableLength === 0;
}

/** Puts bytes that came too early back into the socket, so that its `end` event comes after them. */
export function putBack(socket: Socket, bytes: Buffer): void {
  socket.pause();
  if (bytes.length > 0) socket.unshift(bytes);
}
