/**
 * Tracks connections and closes them: stalled ones, idle ones when there are too many, and all of them at the end.
 * A connection is answered one request at a time. The next request is not looked at until the system has taken every
 * byte of the answer before it, so no client can have more than one answer waiting in memory.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "../limits.js";
import type { Descriptors } from "./descriptors.js";
import { bytesSent, closeAfter, closeServer, isLastAnswer } from "./node-internals.js";

export interface Connection {
  /** The answer that Node's server is giving. */
  res?: ServerResponse | undefined;
  /** What it asked last is a HEAD, whose answer has no body. */
  isHead?: boolean;
  /** Whatever else the client sends is dropped. */
  isOver: boolean;
  openedAt: number;
  /** When it last had an answer, if ever. */
  servedAt?: number;
  /** How many bytes had been sent before the answer that is being given. */
  sentBefore: number;
  /** How many bytes had been sent at the last look, and when that number last changed or nothing was to be sent. */
  sent: number;
  movedAt: number;
}

/** How often the log says that there are too many connections. */
const TELL_MS = 60_000;
const SWEEP_MS = 50;

/** What the system holds of an answer at most: Linux takes more only when its client has taken a third of that. */
const MOST_HELD = 4 * 1024 * 1024;
const NOTHING_SENT = { sentBefore: 0, sent: 0 };

export function createConnections(
  { idleMs, slowBytes, graceMs, closeMs }: ServerLimits,
  { limit, connections: room }: Descriptors,
  log: (line: string) => void,
) {
  const all = new Map<Socket, Connection>();
  let toldAt = 0;

  /** Closes the connections that have been idle for longest. False if too few are idle. */
  const makeRoom = (newcomer: Socket): boolean => {
    const over = all.size - room;
    if (over <= 0) return true;
    if (Date.now() - toldAt >= TELL_MS) {
      toldAt = Date.now();
      log(
        `${all.size} connections are open, as many as the limit of ${limit} open files allows (ulimit -n). For each new one the longest idle is closed; where none is idle, the new one.`,
      );
    }
    const lastActive = ({ servedAt, openedAt }: Connection) => servedAt ?? openedAt;
    const idle = [...all]
      .filter(([socket, connection]) => socket !== newcomer && isIdle(socket, connection))
      .sort(([, one], [, other]) => lastActive(one) - lastActive(other));
    // Closes a few more than needed, since sorting many connections costs more than an answer.
    for (const [socket] of idle.slice(0, over + (all.size >> 6))) {
      socket.destroy();
      all.delete(socket);
    }
    return idle.length >= over;
  };

  return {
    /** Undefined, and the socket closed, if there is no room for it and no other connection is idle. */
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
    /** Node's server begins an answer. */
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
     * Closes connections of which the system has taken nothing for `idleMs`, and for as long as a client of `slowBytes` a second
     * needs for half of what the system holds.
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
    /** Stops listening, lets answers that have begun end, and cuts what is left after `closeMs`. */
    async closeAll(server: Server) {
      const started = Date.now();
      const closed = closeServer(server);
      for (const { res } of all.values()) if (res && !res.headersSent) closeAfter(res);
      const sweep = () => {
        const waited = Date.now() - started;
        for (const [socket, connection] of all) {
          const patience = connection.servedAt === undefined ? graceMs : 0;
          if (waited >= (isIdle(socket, connection) ? patience : closeMs)) socket.destroy();
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

/** Whether the client still waits for what it has asked for. */
export function isAnswering(socket: Socket, { res }: Connection): boolean {
  return res !== undefined || socket.writableLength > 0;
}

function isIdle(socket: Socket, connection: Connection): boolean {
  return !isAnswering(socket, connection) && socket.readableLength === 0;
}

/** Keeps bytes that came too early in the socket, so that the client's end is heard only after them. */
export function putBack(socket: Socket, bytes: Buffer): void {
  socket.pause();
  if (bytes.length > 0) socket.unshift(bytes);
}
