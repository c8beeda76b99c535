/** What is open, what it is owed, and an end that takes neither too early nor for ever. */
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Limits } from "./limits.js";

export interface Connection {
  /** The latest answer by node's server. */
  res?: ServerResponse;
  /** When the quick lane last answered; undefined when it never has. */
  servedAt?: number;
  /** The quick lane reads a page for it. */
  isLoading?: boolean;
}
export type Connections = Map<Socket, Connection>;

export function isOwed(res: ServerResponse | undefined): res is ServerResponse {
  return res !== undefined && !res.writableFinished && !res.destroyed;
}

const SWEEP_MS = 50;

/**
 * Not by the server's own `close`, nor its `closeIdleConnections`: both take a connection for idle as soon as its
 * answer has been handed over, and cut what a slow client has still to receive.
 */
export async function closeAll(
  server: Server,
  connections: Connections,
  { graceMs, closeMs }: Limits,
): Promise<void> {
  const started = Date.now();
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const { res } of connections.values()) {
    if (res && !res.headersSent) res.shouldKeepAlive = false;
  }
  const sweep = () => {
    const waited = Date.now() - started;
    for (const [socket, { res, servedAt, isLoading }] of connections) {
      const owed = isOwed(res) || isLoading || socket.writableLength > 0;
      const patience = owed ? closeMs : res || servedAt !== undefined ? 0 : graceMs;
      if (waited >= patience) socket.destroy();
    }
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS);
  await closed;
  clearInterval(sweeping);
  // Ends the look-out for slow requests, which only the server's own does.
  server.close();
}
