/** Makes an entry of the access log for each answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { bodyBytes, type ServerAnswer } from "./answers.js";

export interface AccessEntry {
  /** When the request arrived. */
  time: Date;
  /** The client's address; empty if the client had left before it could be asked. */
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

const CLIENT_LEFT = 499;

export function createAccessLog(write: (entry: AccessEntry) => void) {
  const begin = ({ remoteAddress: remote = "" }: Socket, method: string, url: string, release: string) => {
    const time = new Date();
    const started = performance.now();
    return (status: number, bytes: number) => {
      write({ time, remote, method, url, status, bytes, ms: performance.now() - started, release });
    };
  };
  return {
    /** Writes an entry when the answer is over. */
    watch({ socket, method = "", url = "" }: IncomingMessage, res: ServerResponse, release: string) {
      const end = begin(socket, method, url, release);
      res.once("close", () => {
        end(res.headersSent ? res.statusCode : CLIENT_LEFT, method === "HEAD" ? 0 : (bodyBytes.get(res) ?? 0));
      });
    },
    /** Returns what is to be told of the answer of the fast path; undefined if the client has left before it. */
    begin(socket: Socket, url: string, release: string) {
      const end = begin(socket, "GET", url, release);
      return (answer: ServerAnswer | undefined) => end(answer?.head.status ?? CLIENT_LEFT, answer?.body?.length ?? 0);
    },
    /** Writes an entry for an answer to what was no request. */
    refused(socket: Socket, { head: { status }, body }: ServerAnswer, release: string) {
      begin(socket, "-", "-", release)(status, body?.length ?? 0);
    },
  };
}
