/** The fast path: serves plain requests without Node's HTTP objects. At any other request, Node's server takes the connection over. */
import type { Socket } from "node:net";
import type { Answer } from "../answers.js";
import type { ServerLimits } from "../limits.js";
import { closeInStages } from "../linger.js";
import { headText } from "../send.js";

export interface FastConnection {
  /** Whether no request was answered yet. */
  isNew: boolean;
}

interface Taken {
  /** Where the next request begins. */
  end: number;
  answer: Answer;
  /** Called when the response was sent, or the connection broke. */
  done?: (() => void) | undefined;
}

/** Takes a request from `text` at `at`; undefined if it is not for the fast path. `text` has one character per byte. */
export type Take = (text: string, at: number, socket: Socket) => Taken | undefined;

/** Bytes of the memory in which headers and a small body are joined. For larger bodies, two writes cost less than a copy. */
const TOGETHER = 65_536;

/** Makes the function that serves a new connection. @param handToNode gives a connection to Node's server. */
export function createFastPath(
  limits: ServerLimits,
  take: Take,
  giveBack: (body: Uint8Array) => void,
  isClosing: () => boolean,
  handToNode: (socket: Socket) => void,
) {
  const { keepAliveMs, checkMs, stalledMs } = limits;
  const trailerOf = createTrailer(keepAliveMs);
  const write = createWrite();

  return (socket: Socket, connection: FastConnection): void => {
    const onData = (chunk: Buffer): void => {
      const text = isClosing() ? "" : chunk.toString("latin1");
      let at = 0;
      for (let taken = take(text, at, socket); taken; taken = take(text, at, socket)) {
        const { answer, end, done } = taken;
        at = end;
        if (connection.isNew) socket.setTimeout(keepAliveMs);
        connection.isNew = false;
        write(socket, headText(answer) + trailerOf(Date.now()), answer.body, done);
        // The system has all of it.
        if (answer.body && socket.writableLength === 0) giveBack(answer.body);
        if (at === text.length || socket.writableLength > 0) break;
      }
      // The client is slow: the system has not taken all of the response.
      if (socket.writableLength > 0) waitUntilSent(chunk.subarray(at));
      else if (at < chunk.length) handOver(chunk.subarray(at));
    };
    const waitUntilSent = (unread: Buffer): void => {
      socket.pause();
      if (unread.length > 0) socket.unshift(unread);
      socket.setTimeout(stalledMs);
      socket.write("", () => {
        socket.setTimeout(keepAliveMs);
        socket.resume();
      });
    };
    const handOver = (unread: Buffer): void => {
      socket.off("data", onData).off("end", onEnd).off("error", onError).off("timeout", onTimeout);
      socket.pause();
      if (unread.length > 0) socket.unshift(unread);
      handToNode(socket);
      socket.resume();
    };
    const onEnd = () => void socket.end();
    const onError = () => void socket.destroy();
    const onTimeout = (): void => {
      if (socket.writableLength > 0) socket.destroy();
      // Node's server answers a silent new connection with 408.
      else if (connection.isNew && socket.writable) handOver(Buffer.alloc(0));
      else closeInStages(socket, limits);
    };
    socket.setTimeout(checkMs);
    socket.on("data", onData).on("end", onEnd).on("error", onError).on("timeout", onTimeout);
  };
}

/** Makes a function that writes a response. Small ones are joined in reusable memory. */
function createWrite() {
  let memory = Buffer.allocUnsafeSlow(TOGETHER);
  return (socket: Socket, head: string, body: Uint8Array | undefined, sent: Taken["done"]): void => {
    const length = head.length + (body?.length ?? 0);
    if (!body) socket.write(head, "latin1", sent);
    else if (length <= TOGETHER) {
      memory.write(head, "latin1");
      memory.set(body, head.length);
      socket.write(memory.subarray(0, length), sent);
      // The system has not copied all of it yet.
      if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(TOGETHER);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body, sent);
      socket.uncork();
    }
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
