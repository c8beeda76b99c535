/** Sends a request letter by letter, and takes the answer from the socket: an HTTP client mends the one and hides bytes of the other. */
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { headerOf, type RemoteResponse } from "./exchange.js";
import { cutShort, explainTransfer, TransferError, watchTime } from "./transfer.js";

/** Far more than a page has. Longer heads are refused, and longer bodies are not read to their end. */
const MOST_BYTES = 2 ** 23;

export interface BareResponse extends RemoteResponse {
  /** As in `HTTP/1.1`. */
  version: string;
}

/**
 * Sends lines on a connection of its own.
 * @param lines the request's, one of which should be `Connection: close`.
 * @param isToEnd whether to read until the host closes the connection, so that the body is all that follows the headers,
 *   whatever they say of it; otherwise the end of the answer is enough, since some hosts keep it open.
 * @throws TransferError when no answer comes, or it does not end in time; what `signal` was aborted with.
 */
export async function sendBare(
  url: string,
  lines: readonly string[],
  isToEnd: boolean,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<BareResponse> {
  const { protocol, hostname, port } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const address = { host: name, port: Number(port || (isTls ? 443 : 80)) };
  const socket = isTls ? connectTls({ ...address, servername: name }) : connectPlain(address);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const bytes = await readAll(socket, url, (so) => !isToEnd && isWhole(so), timeoutMs, signal);
  const answer = parseAnswer(url, bytes);
  if (answer) return answer;
  throw bytes.length === 0 ? cutShort(url) : new TransferError("malformed", url, "answered what is not HTTP");
}

function parseAnswer(url: string, bytes: Buffer): BareResponse | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...fields] = bytes.toString("latin1", 0, Math.max(0, end)).split("\r\n");
  const [, version, status] = /^(HTTP\/1\.[01]) (\d{3})/.exec(first) ?? [];
  if (version === undefined) return undefined;
  const headers = fields.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name, value.join(":").trim()] as const;
  });
  return { url, version, status: Number(status), headers, body: bytes.subarray(end + 4) };
}

function isWhole(bytes: Buffer): boolean {
  const answer = parseAnswer("", bytes);
  if (!answer) return false;
  const { status, body } = answer;
  if (status === 204 || status === 304) return true;
  const length = headerOf(answer, "Content-Length");
  return length === undefined ? body.toString("latin1").endsWith("0\r\n\r\n") : body.length >= Number(length);
}

function readAll(
  socket: Socket,
  url: string,
  isEnough: (bytes: Buffer) => boolean,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const end = () => {
      stopWatching();
      socket.destroy();
      resolve(bytes);
    };
    const fail = (error: unknown) => {
      reject(explainTransfer(url, error, false));
      end();
    };
    const stopWatching = watchTime(url, timeoutMs, signal, fail);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MOST_BYTES || isEnough(bytes)) end();
    });
    socket.on("end", end);
    // Some hosts reset the connection after their answer.
    socket.on("error", (error) => (bytes.length > 0 ? end() : fail(error)));
  });
}
