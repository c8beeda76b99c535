/** Servers on real sockets, and clients that send exactly what a test gives them. */
import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { AccessEntry } from "../../src/serve/access-log.js";
import { SERVER_LIMITS, type ServerLimits } from "../../src/serve/limits.js";
import { createListingServer, type Server, type ServerOptions } from "../../src/serve/serve.js";
import { scratch } from "../support/files.js";
import { publish, type Shape } from "./release.js";

export interface Running {
  server: Server;
  url: string;
  port: number;
  dist: string;
  lines: string[];
  entries: AccessEntry[];
}

/** A new `dist` with one current release. It is removed when the test ends. */
export async function freshDist(shape: Shape = {}): Promise<string> {
  const dist = scratch();
  await publish(dist, shape);
  return dist;
}

/** Serves a fresh `dist` with one release, until the test is over. */
export async function serving(
  shape: Shape = {},
  options: Partial<ServerOptions> = {},
  limits: Partial<ServerLimits> = {},
): Promise<Running> {
  const dist = options.dist ?? (await freshDist(shape));
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const entries: AccessEntry[] = [];
  const access = (entry: AccessEntry) => void entries.push(entry);
  const server = await createListingServer({ ...options, dist }, { log, access }, { ...SERVER_LIMITS, ...limits });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0 });
  return { server, url, port: Number(new URL(url).port), dist, lines, entries };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request with the path exactly as given. */
export function ask(port: number, path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, agent: false, ...options }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends raw bytes, closes this side, and resolves to the response bytes. */
export function sendAndClose(port: number, text: string): Promise<string> {
  return sendAndWait(port, text, (socket) => socket.end());
}

/** Sends raw bytes, keeps this side open, and resolves to the bytes until the server closed. */
export async function sendAndWait(port: number, text: string, sent = (_socket: Socket) => {}): Promise<string> {
  const socket = open(port);
  const heard = received(socket);
  socket.write(Buffer.from(text, "latin1"));
  sent(socket);
  await closed(socket);
  return heard();
}

/** A connection that ignores errors. */
export function open(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  return socket;
}

/** Collects what a connection receives from now on. */
export function received(socket: Socket): () => string {
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
  });
  return () => heard;
}

export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())));
}
