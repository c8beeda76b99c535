/** What an access log says of one answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastAnswer } from "./fast-path/connection.js";

export interface AccessEntry {
  /** When the request arrived. */
  time: Date;
  /** The client's address; empty when it was gone before it could be asked. */
  remote: string;
  /** Method and url are as the client sent them: escape before printing. Both are `-` where no request could be read. */
  method: string;
  url: string;
  /** 499 when the client left before an answer. */
  status: number;
  /** Of the body. */
  bytes: number;
  /** Milliseconds from the request to the last byte handed to the system. */
  ms: number;
  /** Id of the release that answered. */
  release: string;
}

export interface AccessLog {
  /** Writes one entry when the answer is out. */
  open(req: IncomingMessage, res: ServerResponse, release: string): void;
  sent(res: ServerResponse, bytes: number): void;
  /** The same for an answer of the quick lane, whose end the result is told; undefined where the client has left. */
  openQuick(socket: Socket, url: string, release: string): (answer: FastAnswer | undefined) => void;
  /** Writes an entry for an answer to what was no request. */
  refused(socket: Socket, status: number, text: string, release: string): void;
}

export function createAccessLog(write: (entry: AccessEntry) => void): AccessLog {
  const bodies = new WeakMap<ServerResponse, number>();
  return {
    open(req, res, release) {
      const time = new Date();
      const started = performance.now();
      const { method = "", url = "" } = req;
      const remote = req.socket.remoteAddress ?? "";
      res.once("close", () => {
        const status = res.headersSent ? res.statusCode : CLIENT_LEFT;
        const bytes = method === "HEAD" ? 0 : (bodies.get(res) ?? 0);
        write({ time, remote, method, url, status, bytes, ms: performance.now() - started, release });
      });
    },
    openQuick({ remoteAddress: remote = "" }, url, release) {
      const time = new Date();
      const started = performance.now();
      return (answer) => {
        const { status = CLIENT_LEFT, body } = answer ?? {};
        const ms = performance.now() - started;
        write({ time, remote, method: "GET", url, status, bytes: body?.length ?? 0, ms, release });
      };
    },
    sent: (res, bytes) => bodies.set(res, bytes),
    refused({ remoteAddress: remote = "" }, status, text, release) {
      const bytes = text.length - text.indexOf("\r\n\r\n") - 4;
      write({ time: new Date(), remote, method: "-", url: "-", status, bytes, ms: 0, release });
    },
  };
}

const CLIENT_LEFT = 499;
