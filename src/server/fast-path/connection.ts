/** Serves plain requests for pages without Node's HTTP objects. At any other one, the connection goes to Node for good. */
import type { Socket } from "node:net";
import { headOf, type ServerAnswer } from "../answers.js";
import { type Connection, isAnswering, putBack } from "../connections/connections.js";
import type { ServerLimits } from "../limits.js";
import { Scratch } from "../scratch.js";

interface Taken {
  /** Where the next request begins. */
  end: number;
  answer: ServerAnswer;
  /** Is told when the answer has been sent, or the client has left. */
  done?: ((answer: ServerAnswer) => void) | undefined;
}

/** Undefined if what stands in `text` at `at` is not for the fast path. `text` has one character a byte. */
export type Take = (text: string, at: number, socket: Socket) => Taken | undefined;

/** Up to this size, copying a body behind its headers costs less than handing the system two pieces. */
const TOGETHER = 65_536;

/**
 * @param leave gives a connection to Node's server.
 */
export function createFastPath(
  { keepAliveMs, fastBytes }: ServerLimits,
  take: Take,
  isClosing: () => boolean,
  leave: (socket: Socket, connection: Connection) => void,
) {
  const trailerOf = createTrailer(keepAliveMs);
  const send = createSend();
  const departures = new WeakMap<Socket, () => void>();

  const enter = (socket: Socket, connection: Connection): void => {
    const hear = (chunk: Buffer): void => {
      if (socket.writableLength > 0) waitUntilSent(chunk);
      else if (chunk.length > fastBytes || isClosing()) depart(chunk);
      else read(chunk);
    };
    const read = (chunk: Buffer): void => {
      const text = chunk.toString("latin1");
      let at = 0;
      while (at < text.length && socket.writableLength === 0) {
        const taken = take(text, at, socket);
        if (!taken) {
          depart(chunk.subarray(at));
          return;
        }
        answer(taken);
        at = taken.end;
      }
      if (at < text.length) waitUntilSent(chunk.subarray(at));
    };
    const waitUntilSent = (rest: Buffer): void => {
      putBack(socket, rest);
      socket.write("", () => socket.resume());
    };
    const answer = ({ answer, done }: Taken): void => {
      connection.servedAt = Date.now();
      send(socket, answer, trailerOf(connection.servedAt), done && (() => done(answer)));
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
    const end = () => void socket.end();
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
  const own = new Scratch();
  return (socket: Socket, answer: ServerAnswer, trailer: string, sent: (() => void) | undefined): void => {
    let { body, scratch } = answer;
    const head = headOf(answer) + trailer;
    if (!body) {
      socket.write(head, "latin1", sent);
      return;
    }
    if (!scratch && body.length <= TOGETHER) {
      const copy = own.take(body.length);
      body.copy(copy);
      [body, scratch] = [copy, own];
    }
    const whole = scratch?.withHead(head, body);
    if (whole) socket.write(whole, sent);
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body, sent);
      socket.uncork();
    }
    // The answer of a slow client is still read from it.
    if (socket.writableLength > 0) scratch?.abandon(body);
  };
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
