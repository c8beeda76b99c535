/** Another, small implementation of the contract, in which faults can be placed. */
import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Person, person } from "./person.js";

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** A request and the answer that would be right. */
export interface Seen {
  reply: Reply;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

export interface Fault {
  people?(people: Person[]): Person[];
  /** The text of a page that is otherwise right. */
  text?(text: string, page: number): string;
  reply?(seen: Seen): Reply;
}

const SIZE = 3;
const ALWAYS = {
  Link: '</openapi.json>; rel="service-desc"',
  "Access-Control-Allow-Origin": "*",
  "X-Content-Type-Options": "nosniff",
  "Snapshot-Id": "one",
  Allow: "GET, HEAD, OPTIONS",
  Vary: "Accept",
};

/** Listens on a port of its own; 7 people on 3 pages. */
export async function serveReference(fault: Fault = {}): Promise<{ url: string; close(): void }> {
  let base = "";
  const all = Array.from({ length: 7 }, (_, at) => person(at));
  const people = fault.people?.(all) ?? all;
  const last = Math.ceil(people.length / SIZE);

  function page(number: number): string {
    const link = (to: number) => (to < 1 || to > last ? null : `${base}/api/users/?format=api&page=${to}`);
    const rows = people.slice((number - 1) * SIZE, number * SIZE).map((row) => JSON.stringify(row));
    const ends = { count: people.length, next: link(number + 1), previous: link(number - 1) };
    const text = `${JSON.stringify(ends).slice(0, -1)},"results":[\n${rows.join(",\n")}\n]}\n`;
    return fault.text?.(text, number) ?? text;
  }

  function reply(method: string, url: string, headers: IncomingHttpHeaders): Reply {
    const right = answer(method, url, headers["if-none-match"]);
    return fault.reply?.({ reply: right, method, url, headers }) ?? right;
  }

  function answer(method: string, url: string, match?: string): Reply {
    const { pathname, search } = new URL(url.startsWith("/") ? `http://h${url.replace(/^\/+/, "/")}` : url, "http://h");
    if (method === "OPTIONS") {
      const cors = {
        "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
        "Access-Control-Allow-Headers": "*",
      };
      return { status: 204, headers: { ...ALWAYS, ...cors }, body: "" };
    }
    if (method !== "GET" && method !== "HEAD") return refusal(405, "Method not allowed.");
    if (pathname === "/api/users") {
      return { status: 301, headers: { ...ALWAYS, Location: `/api/users/${search}` }, body: "" };
    }
    if (pathname !== "/api/users/") return refusal(404, "Not found.");
    const given = [...new URLSearchParams(`?${search.slice(1)}`)].filter(([name]) => name === "page");
    const asked = given[0]?.[1] || "1";
    if (given.length > 1 || !/^[1-9]\d{0,8}$/.test(asked) || Number(asked) > last) return refusal(404, "Invalid page.");
    const body = page(Number(asked));
    const tag = `"${createHash("sha256").update(body).digest("hex")}"`;
    const headers = {
      ...ALWAYS,
      ETag: tag,
      "Cache-Control": "public, max-age=60",
      "Content-Type": "application/json",
    };
    const tags: string[] = match?.match(/"[^"]*"/g) ?? [];
    if (match?.trim() === "*" || tags.includes(tag)) return { status: 304, headers, body: "" };
    return { status: 200, headers, body };
  }

  const server = createServer({ requireHostHeader: false }, respond);
  server.on("checkExpectation", respond);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.bytesWritten > 0) return void socket.destroy();
    const unknown = error.code === "HPE_INVALID_METHOD";
    sendRaw(socket, unknown ? reply("BREW", "/api/users/", {}) : refusal(400, "Bad request."));
  });
  server.on("connect", (_req: IncomingMessage, socket: Socket) => sendRaw(socket, reply("CONNECT", "/api/users/", {})));
  function respond(req: IncomingMessage, res: ServerResponse): void {
    const { status, headers, body } = reply(req.method ?? "", req.url ?? "", req.headers);
    const sized = status === 204 || status === 304 ? {} : { "Content-Length": Buffer.byteLength(body) };
    res.writeHead(status, { ...headers, ...sized }).end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    url: base,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function refusal(status: number, detail: string): Reply {
  const headers = { ...ALWAYS, "Cache-Control": "no-store", "Content-Type": "application/json" };
  return { status, headers, body: `${JSON.stringify({ detail })}\n` };
}

function sendRaw(socket: Socket, { status, headers, body }: Reply): void {
  const fields = Object.entries({
    ...headers,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.on("error", () => {});
  socket.end(`HTTP/1.1 ${status} Answer\r\n${lines}\r\n${body}`);
}
