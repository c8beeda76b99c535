/** A proxy in front of a real host that can change responses. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createListingServer, type Server } from "../../src/serve/serve.js";
import { publish, type Shape } from "../serve/release.js";

/** Handles a request, or returns false to leave it to the host. */
type Intercept = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A response as it is sent. */
export interface Reply {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** Changes the host's response; undefined keeps it. */
type Edit = (req: IncomingMessage, reply: Reply) => Reply | undefined | Promise<Reply | undefined>;

export interface Front {
  /** The base URL that the release was built for, and is served at. */
  baseUrl: string;
  dist: string;
  host: Server;
  /** Every request's method and target, in order. */
  asked: string[];
  /** Sees all requests from now on. */
  intercept(by: Intercept): void;
  /** Changes responses from now on, and sends them unmodified, even bodies where none is allowed. */
  edit(by: Edit): void;
  /** Removes all changes, and clears `asked`. */
  reset(): void;
}

/**
 * Serves a release of its own address until the test is over; `path` is the base URL's, as in `/directory`.
 * @param atEnd what is told to close it: `afterAll` for a front that all tests of a file share.
 */
export function front(shape: Shape = {}, path = "", atEnd: AtEnd = onTestFinished): Promise<Front> {
  return frontOf((dist, baseUrl) => publish(dist, { baseUrl, ...shape }), path, atEnd);
}

type AtEnd = (close: () => Promise<void>) => void;

/** Serves what is published at its own address, as `front` does. */
export async function frontOf(
  publishAt: (dist: string, baseUrl: string) => Promise<unknown>,
  path: string,
  atEnd: AtEnd = onTestFinished,
): Promise<Front> {
  const dist = mkdtempSync(join(tmpdir(), "rollcall-front-"));
  const asked: string[] = [];
  let by: Intercept = () => false;
  let host: Server | undefined;
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    // The system may assign a port that other clients still use.
    if (host === undefined) return req.socket.destroy();
    asked.push(`${req.method} ${req.url}`);
    if (req.headers.host === undefined) forward(linesOf(req), req.socket);
    else if (by(req, res) === false) host.handler(req, res);
  });
  // Forwards bytes that Node's parser refuses, and their response.
  const forward = async (bytes: string | Buffer, socket: Duplex) => {
    const { port, hostname } = new URL((await behind()).url);
    const onward = connect(Number(port), hostname);
    onward.pipe(socket).on("error", () => onward.destroy());
    onward.write(bytes);
  };
  server.on("clientError", ({ rawPacket }: Error & { rawPacket?: Buffer }, socket) =>
    rawPacket ? forward(rawPacket, socket) : socket.destroy(),
  );
  server.on("connect", (req, socket) => forward(linesOf(req), socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  await publishAt(dist, baseUrl);
  const served = await createListingServer({ dist });
  host = served;
  let address: Promise<{ url: string }> | undefined;
  const behind = () => {
    address ??= served.listen({ port: 0 });
    return address;
  };
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    await served.close();
    rmSync(dist, { recursive: true });
  });
  return {
    baseUrl,
    dist,
    host: served,
    asked,
    reset() {
      by = () => false;
      asked.length = 0;
    },
    intercept(next) {
      by = next;
    },
    edit(change) {
      by = async (req) => {
        const reply = await fetchReply(new URL((await behind()).url).port, req);
        sendRaw(req, (await change(req, reply)) ?? reply);
      };
    },
  };
}

function linesOf({ method, url, rawHeaders: raw }: IncomingMessage): string {
  const fields = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}`] : []));
  return [`${method} ${url} HTTP/1.1`, ...fields, "", ""].join("\r\n");
}

/** The response of a host, with its headers unmodified. */
export function fetchReply(
  port: string,
  { method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const { rawHeaders: raw, statusCode: status = 0 } = response;
      const headers = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
      buffer(response).then((body) => resolve({ status, headers, body }), reject);
    });
    sent.end();
  });
}

function sendRaw(req: IncomingMessage, { status, headers, body }: Reply): void {
  const lines = headers.filter(([name]) => !/^(connection|keep-alive)$/i.test(name));
  const head = [...lines, ["Connection", "close"]].map((pair) => `${pair.join(": ")}\r\n`).join("");
  req.socket.write(`HTTP/1.1 ${status} Edited\r\n${head}\r\n`);
  req.socket.end(body);
}
