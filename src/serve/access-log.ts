/** The access log: counts each response, makes its log entry, and queues entries in bounded memory until they are written. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Variant } from "../core/release/layout.js";
import type { Counts } from "./counts.js";
import { noteSent, sendings } from "./send.js";

export interface AccessEntry {
  time: Date;
  /** The client's address; empty if the client disconnected before it was known. */
  remote: string;
  /** The method and URL as the client sent them: escape before printing. Both are `-` if the request could not be parsed. */
  method: string;
  url: string;
  /** The HTTP version, such as `1.1`; empty if the request could not be parsed. */
  version: string;
  /** The headers User-Agent and Referer as the client sent them; empty without them. */
  agent: string;
  referer: string;
  /** The HTTP status; 499 if the client disconnected before the response. */
  status: number;
  /** Bytes of the body that were sent. */
  bytes: number;
  /** Whether the connection broke before the whole response was sent; absent otherwise. */
  broken?: true;
  /** Milliseconds from the request to the last byte handed to the system, with at most three decimals. */
  ms: number;
  /** The id of the release that was served. */
  release: string;
}

/** Marks a gap where entries were dropped. */
export interface AccessGap {
  time: Date;
  dropped: number;
}

export type AccessItem = AccessEntry | AccessGap;

const CLIENT_LEFT = 499;

/** The request of an entry; undefined if it could not be parsed. */
type LoggedRequest = Pick<AccessEntry, "method" | "url" | "version"> & {
  headers: { readonly [name in "user-agent" | "referer"]?: string | undefined };
};

/**
 * Makes the recorder of responses; undefined if nothing reads the log or the counts. Call its methods when a request begins,
 * with the id of the release that serves it.
 */
export function createRecorder(write?: (entry: AccessEntry) => void, counts?: Counts) {
  if (!write && !counts) return undefined;
  /** @returns a function that records the response. */
  const begin = ({ remoteAddress: remote = "" }: Socket, release: string, asked?: LoggedRequest) => {
    const time = new Date();
    const started = performance.now();
    const { method = "-", url = "-", version = "", headers = {} } = asked ?? {};
    const { "user-agent": agent = "", referer = "" } = headers;
    return (
      status: number,
      bytes: number,
      encoding: Variant = "identity",
      isBroken = false,
      ended = performance.now(),
    ) => {
      counts?.answer({ status: `${Math.floor(status / 100)}xx`, encoding }, bytes);
      const ms = Math.round((ended - started) * 1000) / 1000;
      const entry: AccessEntry = { time, remote, method, url, version, agent, referer, status, bytes, ms, release };
      if (isBroken) entry.broken = true;
      write?.(entry);
    };
  };
  return {
    begin,
    /** Records a response of Node's server when it ends. */
    watch(res: ServerResponse, release: string) {
      const { socket, method = "", url = "", httpVersion: version, headers } = res.req;
      const end = begin(socket, release, { method, url, version, headers });
      // Node emits `finish` also when the connection breaks. Before its own listener runs, the socket shows which it was.
      res.prependOnceListener("finish", () => {
        if (!socket.destroyed) noteSent(res);
      });
      // The last response of a connection closes with it: an error then says that the client has not read all.
      res.once("close", () => {
        const { bytes = () => 0, encoding, sentAt } = sendings.get(res) ?? {};
        const isBroken = sentAt === undefined || socket.errored !== null;
        if (res.headersSent) end(res.statusCode, bytes(!isBroken), encoding, isBroken, sentAt);
        else end(CLIENT_LEFT, 0);
      });
    },
    /** Records the refusal of a request that could not be parsed. It is the last response of its connection. */
    watchRefusal(socket: Socket, release: string, status: number, length: number) {
      const end = begin(socket, release);
      const ended = performance.now();
      socket.once("close", () => {
        const isBroken = !socket.writableFinished || socket.errored !== null;
        end(status, isBroken ? 0 : length, "identity", isBroken, ended);
      });
    },
    /** Reads the address of a new connection, which Node then caches. The system forgets it when the client disconnects. */
    rememberAddress: (socket: Socket) => void socket.remoteAddress,
  };
}

/** Approximate bytes of an entry without its strings. */
const OVERHEAD = 300;

/** Maximum entries that are handed over at once. More would delay responses while they are formatted. */
const BATCH = 256;

/**
 * Queues log entries and hands them over in batches. At most `most` bytes wait. Entries that do not fit are dropped, and a
 * gap tells how many.
 * @param handOver writes a batch, then calls `done` to get the next one.
 * @param onDrop is called for each dropped entry. `isFirst` is true for the first one of a gap.
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
  let onWritten = () => {};
  const endGap = (): void => {
    if (dropped > 0) waiting.push({ time: new Date(), dropped });
    dropped = 0;
  };
  const handOverNext = (): void => {
    if (waiting.length === 0) endGap();
    const items = waiting.splice(0, BATCH);
    isBusy = items.length > 0;
    if (!isBusy) {
      onWritten();
      return;
    }
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
    /** Waits until all items are written, for at most some milliseconds. */
    async written(most: number): Promise<void> {
      if (!isBusy) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most);
        onWritten = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Removes and returns all waiting items. */
    take(): AccessItem[] {
      endGap();
      return waiting.splice(0);
    },
  };
}

/** Approximate bytes of an item. Gaps are few and count as 0. */
function sizeOf(item: AccessItem): number {
  return "dropped" in item ? 0 : OVERHEAD + item.url.length + item.agent.length + item.referer.length;
}
