/** One entry of the access log for each answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { bodyBytes, type ServerAnswer } from "./answers.js";

export interface AccessEntry {
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
  /** Its id. */
  release: string;
}

const CLIENT_LEFT = 499;

export function createAccessLog(write: (entry: AccessEntry) => void) {
  const start = ({ remoteAddress: remote = "" }: Socket, method: string, url: string, release: string) => {
    const time = new Date();
    const started = performance.now();
    return (status: number, bytes: number) => {
      write({ time, remote, method, url, status, bytes, ms: performance.now() - started, release });
    };
  };
  return {
    /** For an answer of Node's server. */
    watch({ socket, method = "", url = "" }: IncomingMessage, res: ServerResponse, release: string) {
      const end = start(socket, method, url, release);
      res.once("close", () => {
        end(res.headersSent ? res.statusCode : CLIENT_LEFT, method === "HEAD" ? 0 : (bodyBytes.get(res) ?? 0));
      });
    },
    /** Returns what is to be told of any other answer; of none if the client has left before it. */
    begin(...request: Parameters<typeof start>) {
      const end = start(...request);
      return (answer?: ServerAnswer) => end(answer?.head.status ?? CLIENT_LEFT, answer?.body?.length ?? 0);
    },
  };
}
