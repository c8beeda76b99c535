/**
 * The quick lane: a connection is served from here, without node's HTTP objects, as long as its client asks plainly for
 * pages. At the first thing that is anything else it goes to node's server for good, with what it has sent.
 */
import type { Socket } from "node:net";
import { type Connection, isBusy, putBack } from "../connections.js";
import type { ServerLimits } from "../limits.js";

export interface FastAnswer {
  status: 200 | 304 | 500;
  /** Status line and headers up to those of the connection, each with its line's end. */
  head: string;
  body?: Buffer;
}

export interface Taken {
  /** Where the next request begins. */
  end: number;
  answer: FastAnswer | Promise<FastAnswer>;
  /** Is told when the answer is out, or when the client has left before: then without one. */
  done?: ((answer: FastAnswer | undefined) => void) | undefined;
}

export interface FastPathEffects {
  isClosing(): boolean;
  /** Undefined when what stands in `text` at `at` is not for the lane. */
  take(text: string, at: number, socket: Socket): Taken | undefined;
  /** Gives the connection to node's server. */
  leave(socket: Socket, connection: Connection): void;
}

/** Longer packets than this go to node; it also bounds what the texts kept by the reader can hold. */
const MAX_BYTES = 4_096;
/** Up to this size one copy with the headers costs less than a second buffer. */
const SMALL_BODY = 4_096;

export function createFastPath({ keepAliveMs }: ServerLimits, { isClosing, take, leave }: FastPathEffects) {
  const now = createClock(keepAliveMs);
  const leavers = new WeakMap<Socket, () => void>();

  const enter = (socket: Socket, connection: Connection): void => {
    const hear = (chunk: Buffer): void => {
      if (socket.writableLength > 0) waitUntilOut(chunk);
      else if (chunk.length > MAX_BYTES || isClosing()) depart(chunk);
      else read(chunk);
    };
    const read = (chunk: Buffer): void => {
      const text = chunk.toString("latin1");
      let at = 0;
      let taken: Taken | undefined;
      while (at < text.length && socket.writableLength === 0) {
        taken = take(text, at, socket);
        if (!taken || taken.answer instanceof Promise) break;
        answer(taken.answer, taken);
        at = taken.end;
      }
      if (at === text.length) return;
      const rest = chunk.subarray(at);
      if (socket.writableLength > 0) waitUntilOut(rest);
      else if (taken?.answer instanceof Promise) waitUntilRead(taken.answer, taken, rest, taken.end - at);
      else depart(rest);
    };
    const waitUntilOut = (rest: Buffer): void => {
      putBack(socket, rest);
      socket.write("", () => socket.resume());
    };
    const waitUntilRead = (coming: Promise<FastAnswer>, taken: Taken, rest: Buffer, length: number): void => {
      connection.isLoading = true;
      putBack(socket, rest.subarray(length));
      void coming.then((found) => {
        connection.isLoading = false;
        const hasEnded = socket.readableEnded;
        if (socket.destroyed) return taken.done?.(undefined);
        if (isClosing() && !hasEnded) return depart(rest.subarray(0, length));
        answer(found, taken);
        if (hasEnded) socket.end();
        else socket.resume();
      });
    };
    const answer = (found: FastAnswer, { done }: Taken): void => {
      connection.servedAt = now.time();
      send(socket, found, now.trailer(), done && (() => done(found)));
    };
    const depart = (rest?: Buffer): void => {
      leavers.delete(socket);
      socket.off("data", hear).off("end", end).off("error", cut);
      // Paused, so that node's listeners are there before the bytes are.
      socket.pause();
      if (rest) putBack(socket, rest);
      leave(socket, connection);
      process.nextTick(() => socket.resume());
    };
    const end = () => {
      if (!connection.isLoading) socket.end();
    };
    const cut = () => void socket.destroy();
    leavers.set(socket, depart);
    socket.on("data", hear).on("end", end).on("error", cut);
  };
  /** Node's limits are for connections that begin: the silent ones go there, the ones kept for nothing are closed. */
  const look = (socket: Socket, connection: Connection): void => {
    const depart = leavers.get(socket);
    if (!depart) return;
    if (isBusy(socket, connection)) connection.servedAt = Date.now();
    else if (connection.servedAt === undefined) depart();
    else if (Date.now() - connection.servedAt >= keepAliveMs) socket.destroy();
  };
  return { enter, look };
}

function send(socket: Socket, { head, body }: FastAnswer, trailer: string, out: (() => void) | undefined): void {
  const text = head + trailer;
  if (!body) socket.write(text, "latin1", out);
  else if (body.length <= SMALL_BODY) socket.write(text + body.toString("latin1"), "latin1", out);
  else {
    socket.cork();
    socket.write(text, "latin1");
    socket.write(body, out);
    socket.uncork();
  }
}

/** The headers that node would add, made once a second. */
function createClock(keepAliveMs: number) {
  const last = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  let time = 0;
  let second = -1;
  let trailer = "";
  return {
    time: () => {
      time = Date.now();
      return time;
    },
    /** As of the last `time`. */
    trailer: () => {
      const current = Math.floor(time / 1000);
      if (current !== second) {
        second = current;
        trailer = `Date: ${new Date(time).toUTCString()}${last}`;
      }
      return trailer;
    },
  };
}
