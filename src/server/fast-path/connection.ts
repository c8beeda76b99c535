/** Serves plain requests for pages without Node's HTTP objects. At any other one, the connection goes to Node for good. */
import type { Socket } from "node:net";
import { headOf, type ServerAnswer } from "../answers.js";
import { type Connection, isAnswering, putBack } from "../connections/connections.js";
import type { ServerLimits } from "../limits.js";
import { HEADROOM } from "../memory.js";

interface Taken {
  /** Where the next request begins. */
  end: number;
  answer: ServerAnswer | Promise<ServerAnswer>;
  /** Is told when the answer has been sent; without one, that the client left before. */
  done?: ((answer?: ServerAnswer) => void) | undefined;
}

/** Undefined if what stands in `text` at `at` is not for the fast path. `text` has one character a byte. */
export type Take = (text: string, at: number, socket: Socket) => Taken | undefined;

/** Longer packets go to Node's server. It also bounds the texts that the reader of requests remembers. */
const MAX_BYTES = 4_096;
/** Up to this size, copying a body behind its headers costs less than handing the system two pieces. */
const TOGETHER = 65_536;

/**
 * @param leave gives a connection to Node's server.
 * @param count is told of each answer, and without one that a client left before its answer.
 */
export function createFastPath(
  { keepAliveMs }: ServerLimits,
  take: Take,
  isClosing: () => boolean,
  leave: (socket: Socket, connection: Connection) => void,
  count?: (answer?: ServerAnswer) => void,
) {
  const trailerOf = createTrailer(keepAliveMs);
  const send = createSend();
  const departures = new WeakMap<Socket, () => void>();

  const enter = (socket: Socket, connection: Connection): void => {
    const hear = (chunk: Buffer): void => {
      if (socket.writableLength > 0) waitUntilSent(chunk);
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
      if (socket.writableLength > 0) waitUntilSent(rest);
      else if (taken?.answer instanceof Promise) void waitUntilRead(taken.answer, taken, rest, taken.end - at);
      else depart(rest);
    };
    const waitUntilSent = (rest: Buffer): void => {
      putBack(socket, rest);
      socket.write("", () => socket.resume());
    };
    const waitUntilRead = async (coming: Promise<ServerAnswer>, taken: Taken, rest: Buffer, length: number) => {
      connection.isLoading = true;
      putBack(socket, rest.subarray(length));
      const found = await coming;
      connection.isLoading = false;
      const hasEnded = socket.readableEnded;
      if (socket.destroyed) {
        count?.();
        return taken.done?.();
      }
      if (isClosing() && !hasEnded) return depart(rest.subarray(0, length));
      answer(found, taken);
      if (hasEnded) socket.end();
      else socket.resume();
    };
    const answer = (found: ServerAnswer, { done }: Taken): void => {
      connection.servedAt = Date.now();
      count?.(found);
      send(socket, found, trailerOf(connection.servedAt), done && (() => done(found)));
    };
    const depart = (rest?: Buffer): void => {
      departures.delete(socket);
      socket.off("data", hear).off("end", end).off("error", cut);
      // Paused until Node's listeners are there to hear the bytes.
      socket.pause();
      if (rest) putBack(socket, rest);
      leave(socket, connection);
      process.nextTick(() => socket.resume());
    };
    const end = () => {
      if (!connection.isLoading) socket.end();
    };
    const cut = () => void socket.destroy();
    departures.set(socket, depart);
    socket.on("data", hear).on("end", end).on("error", cut);
  };
  /** Closes a connection that has been idle for too long. A silent new one goes to Node's server, which has limits for it. */
  const check = (socket: Socket, connection: Connection): void => {
    const depart = departures.get(socket);
    if (!depart) return;
    if (isAnswering(socket, connection)) connection.servedAt = Date.now();
    else if (connection.servedAt === undefined) depart();
    else if (Date.now() - connection.servedAt >= keepAliveMs) socket.destroy();
  };
  return { enter, check };
}

/** Makes what sends an answer. Small ones are written from memory that is used again as soon as the system has copied it. */
function createSend() {
  let memory = Buffer.allocUnsafeSlow(TOGETHER);
  return (socket: Socket, answer: ServerAnswer, trailer: string, sent: (() => void) | undefined): void => {
    const { body, giveBack } = answer;
    const head = headOf(answer) + trailer;
    if (!body) socket.write(head, "latin1", sent);
    else if (giveBack && head.length <= HEADROOM) {
      const whole = Buffer.from(body.buffer, body.byteOffset - head.length, head.length + body.length);
      whole.write(head, "latin1");
      socket.write(whole, (error) => endLoan(giveBack, sent, error));
    } else if (head.length + body.length <= TOGETHER) {
      const end = memory.write(head, "latin1");
      body.copy(memory, end);
      socket.write(memory.subarray(0, end + body.length), sent);
      // A slow client's answer is still read from it.
      if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(TOGETHER);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body, sent);
      socket.uncork();
    }
  };
}

/** A write that failed may leave its bytes to the system, so they are not used again. */
function endLoan(giveBack: () => void, sent: (() => void) | undefined, error: Error | null | undefined): void {
  if (!error) giveBack();
  sent?.();
}

/** Makes the headers that Node would add, once a second. */
function createTrailer(keepAliveMs: number) {
  const last = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  let second = -1;
  let trailer = "";
  return (time: number): string => {
    const current = Math.floor(time / 1000);
    if (current !== second) {
      second = current;
      trailer = `Date: ${new Date(time).toUTCString()}${last}`;
    }
    return trailer;
  };
}
