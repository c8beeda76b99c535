/** A proxy in front of a store: makes faults, and adds two features of real stores to the test server. */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { until } from "../support/until.js";

/**
 * What happens to a request: it or its answer gets lost, it is never answered, it is refused, or it is
 * held back on its way, for as long as its sender is there.
 */
export type Fault = "lose" | "lose answer" | "hang" | Refusal | Delay | undefined;

/** Responds as S3 does: 503 and `SlowDown`. */
interface Refusal {
  status: number;
  code: string;
}

interface Delay {
  until: Promise<unknown>;
}

export interface ProxyOptions {
  /** The store's port on loopback. */
  port: number;
  /** Whether the proxy evaluates If-Match and If-None-Match of a PUT. */
  conditions: boolean;
  /** Whether to forward requests unmodified, with their signatures. */
  isComplete: boolean;
  fault(method: string, path: string): Fault;
  /** Milliseconds by which the store's time is later than this machine's. */
  ahead(): number;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Requests with this header are a reader's, and never fail. */
export const READER = "x-reader";

export function createProxy({ port, conditions, isComplete, fault, ahead }: ProxyOptions) {
  /** Path -> the pending request for it, so that no request sees a half-written object. */
  const queues = new Map<string, Promise<unknown>>();
  /** Path -> when the object was put, by the store's time. */
  const times = new Map<string, number>();

  /** Handles the requests for each object one at a time. */
  const inTurn = <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(path) ?? Promise.resolve()).then(work, work);
    queues.set(path, turn);
    return turn;
  };

  const ask = (method: string, url: string, headers: IncomingHttpHeaders, body?: Buffer) =>
    new Promise<Answer>((resolve, reject) => {
      const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
        buffer(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: bytes }),
          reject,
        );
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });

  /** Evaluates conditions (RFC 9110) with the store's current ETag. */
  const isRefused = async (url: string, headers: IncomingHttpHeaders): Promise<boolean> => {
    const { "if-match": match, "if-none-match": noneMatch } = headers;
    if (match === undefined && noneMatch === undefined) return false;
    const { status, headers: now } = await ask("HEAD", url, {});
    if (noneMatch === "*") return status === 200;
    return status !== 200 || now.etag?.replaceAll('"', "") !== match?.replaceAll('"', "");
  };

  const answerFrom = (method: string, url: string, headers: IncomingHttpHeaders, body: Buffer) =>
    inTurn(url.replace(/\?.*/, ""), async (): Promise<Answer> => {
      if (conditions && method === "PUT" && (await isRefused(url, headers)))
        return { status: 412, headers: {}, body: xml("PreconditionFailed") };
      const answer = await ask(method, url, headers, body);
      if (method === "PUT" && answer.status === 200) await untilStored(url, body);
      return answer;
    });

  /** The server for tests answers a PUT before the bytes are in its file. */
  const untilStored = async (url: string, body: Buffer): Promise<void> => {
    await until(async () => (await ask("GET", url, {})).body.equals(body));
  };

  /**
   * A list, ten keys at a time, by the bytes of the keys. The server for tests makes its continuation tokens with a cipher that
   * OpenSSL has given up, and lists `views/x` before `views.json`. So it is asked for all keys, and the last key is the token.
   */
  const list = async (query: URLSearchParams, path: string, headers: IncomingHttpHeaders): Promise<Answer> => {
    const after = query.get("continuation-token") ?? "";
    const asked = new URLSearchParams({ prefix: query.get("prefix") ?? "", "max-keys": "1000" });
    const answer = await ask("GET", `${path}?${asked}`, headers);
    const text = String(answer.body);
    if (text.includes("<IsTruncated>true")) throw new Error("The bucket has more than 1,000 keys.");
    const entries = text.match(/<Contents>.*?<\/Contents>/gs) ?? [];
    const keyOf = (entry: string) => Buffer.from(/<Key>([^<]*)</.exec(entry)?.[1] ?? "");
    const sorted = entries.sort((one, other) => keyOf(one).compare(keyOf(other)));
    const left = sorted.filter((entry) => keyOf(entry).compare(Buffer.from(after)) > 0);
    const some = left.slice(0, 10);
    const last = some.at(-1);
    const token = last && left.length > some.length && `<NextContinuationToken>${keyOf(last)}</NextContinuationToken>`;
    const frame = text.replace(/<Contents>.*<\/Contents>/s, "");
    const body = frame.replace("</ListBucketResult>", `${token || ""}${some.join("")}</ListBucketResult>`);
    const { "content-length": _, ...others } = answer.headers;
    return { ...answer, headers: others, body: Buffer.from(body) };
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/", headers } = incoming;
    const path = decodeURIComponent(url.replace(/\?.*/, ""));
    const trouble = headers[READER] === undefined ? fault(method, path) : undefined;
    if (trouble === "lose") return void incoming.socket.destroy();
    const body = await buffer(incoming);
    if (trouble === "hang") return;
    if (typeof trouble === "object" && "until" in trouble) {
      await Promise.race([trouble.until, once(outgoing, "close")]);
      if (outgoing.destroyed) return;
    }
    const query = new URLSearchParams(url.replace(/^[^?]*/, ""));
    const answer: Answer =
      typeof trouble === "object" && "status" in trouble
        ? { status: trouble.status, headers: {}, body: xml(trouble.code) }
        : isComplete
          ? await ask(method, url, headers, body)
          : query.has("list-type")
            ? await list(query, path, headers)
            : await answerFrom(method, url, headers, body);
    const now = Date.parse(answer.headers.date ?? "") + ahead();
    if (method === "PUT" && answer.status === 200) times.set(path, now);
    if (trouble === "lose answer") return void incoming.socket.destroy();
    const time = times.get(path);
    const own: OutgoingHttpHeaders = { ...answer.headers, connection: "keep-alive" };
    if (!Number.isNaN(now)) own["date"] = new Date(now).toUTCString();
    if (time !== undefined) own["last-modified"] = new Date(time).toUTCString();
    outgoing.writeHead(answer.status, own);
    outgoing.end(answer.body);
  };

  return createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
}

function xml(code: string): Buffer {
  return Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
