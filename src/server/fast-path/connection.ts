/** The fast path: serves plain requests without Node's HTTP objects. At any other request, Node's server takes the connection over. */
import type { Socket } from "node:net";
import { headOf, type ServerAnswer } from "../answers.js";
import { type Connection, isAnswering, putBack } from "../connections/connections.js";
import type { ServerLimits } from "../limits.js";
import { Scratch } from "../scratch.js";

interface Taken {
  /** Where the next request begins. */
  end: number;
  answer: ServerAnswer;
  /** Called when the response was sent, or the client disconnected. */
  done?: ((answer: ServerAnswer) => void) | undefined;
}

/** Takes a request from `text` at `at`; undefined if it is not for the fast path. `text` has one character per byte. */
export type Take = (text: string, at: number, socket: Socket) => Taken | undefined;

/** Maximum bytes of a body that is copied behind its headers. For larger ones, two writes cost less. */
const TOGETHER = 65_536;

/** Makes the fast path. @param handToNode gives a connection to Node's server. */
export function createFastPath(
  { keepAliveMs, fastBytes }: ServerLimits,
  take: Take,
  isClosing: () => boolean,
  handToNode: (socket: Socket, connection: Connection) => void,
) {
  const trailerOf = createTrailer(keepAliveMs);
  const send = createSend();
  const handOvers = new WeakMap<Socket, () => void>();

  const enter = (socket: Socket, connection: Connection): void => {
    const onData = (chunk: Buffer): void => {
      if (socket.writableLength > 0) waitUntilSent(chunk);
      else if (chunk.length > fastBytes || isClosing()) handOver(chunk);
      else read(chunk);
    };
    const read = (chunk: Buffer): void => {
      const text = chunk.toString("latin1");
      let at = 0;
      while (at < text.length && socket.writableLength === 0) {
        const taken = take(text, at, socket);
        if (!taken) {
          handOver(chunk.subarray(at));
          return;
        }
        answer(taken);
        at = taken.end;
      }
      if (at < text.length) waitUntilSent(chunk.subarray(at));
    };
    const waitUntilSent = (unread: Buffer): void => {
      putBack(socket, unread);
      socket.write("", () => socket.resume());
    };
    const answer = ({ answer, done }: Taken): void => {
      connection.servedAt = Date.now();
      send(socket, answer, trailerOf(connection.servedAt), done && (() => done(answer)));
    };
    const handOver = (unread?: Buffer): void => {
      handOvers.delete(socket);
      socket.off("data", onData).off("end", end).off("error", cut);
      // Stays paused until Node's listeners are attached.
      socket.pause();
      if (unread) putBack(socket, unread);
      handToNode(socket, connection);
      process.nextTick(() => socket.resume());
    };
    const end = () => void socket.end();
    const cut = () => void socket.destroy();
    handOvers.set(socket, handOver);
    socket.on("data", onData).on("end", end).on("error", cut);
  };
  /** Closes a connection that has been idle for too long. Hands a silent new one to Node's server, which has limits for it. */
  const check = (socket: Socket, connection: Connection): void => {
    const handOver = handOvers.get(socket);
    if (!handOver) return;
    if (isAnswering(socket, connection)) connection.servedAt = Date.now();
    else if (connection.servedAt === undefined) handOver();
    else if (Date.now() - connection.servedAt >= keepAliveMs) socket.destroy();
  };
  return { enter, check };
}

/** Makes a function that sends a response. Small ones are written from reusable memory. */
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
    // The system has not copied all of it yet: the client is slow.
    if (socket.writableLength > 0) scratch?.discard(body);
  };
}

/** Makes a function that returns the headers that Node would add. They change once a second. */
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
