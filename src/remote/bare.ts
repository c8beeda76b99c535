/** Counts the bytes after an answer's headers on the socket itself: an HTTP client hides a body that must not be there. */
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RemoteRequest } from "./exchange.js";
import { cutShort, explainTransfer, TransferError, watchTime } from "./transfer.js";

/** Longer heads are refused, and longer bodies are not counted to their end. */
const MOST_BYTES = 65_536;

/** @throws TransferError when no answer comes, or it does not end in time; what `signal` was aborted with. */
export async function countBodyBytes(
  { url, method, headers }: RemoteRequest,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ status: number; bytes: number }> {
  const { protocol, hostname, port, origin, host } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const address = { host: name, port: Number(port || (isTls ? 443 : 80)) };
  const socket = isTls ? connectTls({ ...address, servername: name }) : connectPlain(address);
  const lines = Object.entries({ Host: host, Connection: "close", ...headers }).map((pair) => pair.join(": "));
  socket.write(`${[`${method} ${url.slice(origin.length)} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  const answer = await readAll(socket, url, timeoutMs, signal);
  const end = answer.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString("latin1", 0, 16)) ?? [];
  if (end < 0 || status === undefined)
    throw answer.length === 0 ? cutShort(url) : new TransferError("malformed", url, "answered what is not HTTP");
  return { status: Number(status), bytes: answer.length - end - 4 };
}

function readAll(socket: Socket, url: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      stopWatching();
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    const fail = (error: unknown) => {
      reject(explainTransfer(url, error, false));
      end();
    };
    const stopWatching = watchTime(url, timeoutMs, signal, fail);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) end();
    });
    socket.on("end", end);
    // Some hosts reset the connection after their answer.
    socket.on("error", (error) => (bytes > 0 ? end() : fail(error)));
  });
}
