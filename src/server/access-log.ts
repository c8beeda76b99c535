/** Counts each answer and makes its entry of the access log, and a bounded queue of entries that wait for their reader. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { kindOf, type ServerAnswer, sending } from "./answers.js";
import type { AnswerKind, ServerCounts } from "./counts.js";

export interface AccessEntry {
  time: Date;
  /** The client's address; empty if the client had left before it could be asked. */
  remote: string;
  /** Method and url are as the client sent them: escape before printing. Both are `-` where no request could be read. */
  method: string;
  url: string;
  /** Of HTTP, such as `1.1`; empty where no request could be read. */
  version: string;
  /** What the client says of itself and of where it found the address, as it sent them; empty where it does not. */
  agent: string;
  referer: string;
  /** 499 when the client left before an answer. */
  status: number;
  /** Of the body. */
  bytes: number;
  /** Milliseconds from the request to the last byte handed to the system, with at most three decimals. */
  ms: number;
  /** Its id. */
  release: string;
}

/** Stands where entries are missing. */
export interface AccessGap {
  time: Date;
  dropped: number;
}

export type AccessItem = AccessEntry | AccessGap;

/** What a client asked for. */
type Asked = Pick<AccessEntry, "method" | "url" | "version" | "agent" | "referer">;

/** In the place of a request that could not be read. */
const UNREAD: Asked = { method: "-", url: "-", version: "", agent: "", referer: "" };

const CLIENT_LEFT = 499;

/** Undefined where nobody wants to know of answers. Each method is called when a request begins, for the release that answers it. */
export function createRecorder(write?: (entry: AccessEntry) => void, counts?: ServerCounts) {
  if (!write && !counts) return undefined;
  const begin = ({ remoteAddress: remote = "" }: Socket, asked: Asked, release: string) => {
    const time = new Date();
    const started = performance.now();
    return (status: number, bytes: number, kind: AnswerKind = kindOf(status, "identity")) => {
      counts?.answer(kind, bytes);
      const ms = Math.round((performance.now() - started) * 1000) / 1000;
      write?.({ time, remote, ...asked, status, bytes, ms, release });
    };
  };
  const ending = (end: ReturnType<typeof begin>) => {
    return ({ head, body }: ServerAnswer) => end(head.status, body?.length ?? 0, head.kind);
  };
  return {
    /** Records an answer of Node's server when it is over. */
    watch(req: IncomingMessage, res: ServerResponse, release: string) {
      const { socket, method = "", url = "", httpVersion: version, headers } = req;
      const { "user-agent": agent = "", referer = "" } = headers;
      const end = begin(socket, { method, url, version, agent, referer }, release);
      res.once("close", () => {
        const { bytes = 0, kind } = sending.get(res) ?? {};
        if (res.headersSent) end(res.statusCode, method === "HEAD" ? 0 : bytes, kind);
        else end(CLIENT_LEFT, 0);
      });
    },
    /** For a plain GET. @returns what records its answer. */
    beginPlain(socket: Socket, url: string, { agent, referer }: Pick<Asked, "agent" | "referer">, release: string) {
      return ending(begin(socket, { method: "GET", url, version: "1.1", agent, referer }, release));
    },
    /** For bytes that are not a request. @returns what records the answer. */
    beginUnread: (socket: Socket, release: string) => ending(begin(socket, UNREAD, release)),
    /** For a new connection. Node remembers its address, which the system forgets when the client leaves. */
    meet: (socket: Socket) => void socket.remoteAddress,
  };
}

/** Bytes of an entry besides its texts, about. */
const OVERHEAD = 300;

/** Entries that are handed over at once: more would keep answers waiting while they are written as lines. */
const BATCH = 256;

/**
 * Hands over entries, together those that come meanwhile. While the reader is behind, at most `most` bytes wait. What does
 * not fit is dropped, and a gap says how many those are.
 * @param handOver calls `done` when it takes the next ones.
 * @param onDrop is told of each entry that is dropped, and whether it is the first one of a gap.
 */
export function createLogQueue(
  most: number,
  handOver: (items: AccessItem[], done: () => void) => void,
  onDrop: (isFirst: boolean) => void = () => {},
) {
  const waiting: AccessItem[] = [];
  let bytes = 0;
  let dropped = 0;
  let isBusy = false;
  const endGap = (): void => {
    if (dropped > 0) waiting.push({ time: new Date(), dropped });
    dropped = 0;
  };
  const handOverNext = (): void => {
    if (waiting.length === 0) endGap();
    const items = waiting.splice(0, BATCH);
    isBusy = items.length > 0;
    if (!isBusy) return;
    handOver(items, () => {
      for (const item of items) bytes -= sizeOf(item);
      handOverNext();
    });
  };
  return {
    add(item: AccessItem): void {
      const size = sizeOf(item);
      if (bytes + size <= most) {
        endGap();
        bytes += size;
        waiting.push(item);
      } else if ("dropped" in item) dropped += item.dropped;
      else {
        onDrop(dropped === 0);
        dropped++;
      }
      if (!isBusy) handOverNext();
    },
    /** What waits, which is not handed over then. */
    take(): AccessItem[] {
      endGap();
      return waiting.splice(0);
    },
  };
}

/** Gaps are few, and take no room. */
function sizeOf(item: AccessItem): number {
  return "dropped" in item ? 0 : OVERHEAD + item.url.length + item.agent.length + item.referer.length;
}
