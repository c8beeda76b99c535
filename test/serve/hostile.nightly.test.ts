/** 100,000 hostile requests over raw sockets, against a server in its own process. */
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFailed, test } from "vitest";
import { errorBody } from "../../src/core/contract/headers.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { broken, type Hostile, pipelined } from "./hostile-requests.js";
import { complaintsIn, startServe } from "./process.js";
import { parseAnswers, type RawAnswer } from "./raw-answers.js";
import { publish } from "./release.js";
import { ask } from "./running.js";

const REQUESTS = 100_000;
const PIPELINED = 25;
/** The share of invalid requests, each on its own connection. */
const BROKEN_SHARE = 0.12;
const CLIENTS = 16;
const SEED = 20_261_121;
const MB = 1024 * 1024;

const DETAILS = [
  "Invalid page.|Not found.|Method not allowed.|Bad request.|Request timed out.|Request too large.|Expectation failed.",
  "Request header fields too large.",
].flatMap((some) => some.split("|"));
const STATUSES = [200, 204, 301, 304, 400, 404, 405, 408, 413, 417, 431];

test("hostile requests leak nothing, break nothing, and leave no memory in use", { timeout: 180_000 }, async () => {
  const dist = scratch();
  const folder = await publish(dist, { count: 40, pageSize: 10, encodings: ["br", "gzip"] });
  for (const place of [dist, join(dist, "releases"), folder, join(folder, "api/users")])
    await writeFile(join(place, "canary.txt"), "canary");
  const known = await readAll(folder);
  const { port, child, ended, err } = await startServe(dist);
  const memory: number[] = [];
  const seen = new Map<number, number>();
  try {
    const random = seeded(SEED);
    let sent = 0;
    let measured = 0;
    const client = async () => {
      while (sent < REQUESTS) {
        const isBroken = random.next() < (BROKEN_SHARE * PIPELINED) / (1 - BROKEN_SHARE + BROKEN_SHARE * PIPELINED);
        const hostile = isBroken ? broken(random) : pipelined(random, PIPELINED);
        sent += hostile.answers;
        for (const answer of await attack(port, hostile)) {
          check(hostile, answer, known);
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        }
        if (sent >= measured + REQUESTS / 10) {
          measured = sent;
          memory.push(residentMemory(child.pid));
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));

    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    const last = await ask(port, "/api/users/?page=2");
    expect(last.body.equals(await readFile(join(folder, "api/users/pages/2.json")))).toBe(true);
    expect(complaintsIn(err)).toEqual([]);
    for (const status of [200, 204, 301, 304, 400, 404, 405, 417, 431]) expect(seen.get(status)).toBeGreaterThan(50);
    // After the first tenth, memory may grow only by uncollected garbage.
    const [warm = 0, ...later] = memory;
    expect(Math.max(...later) - warm, `${memory.map((bytes) => Math.round(bytes / MB))} MB`).toBeLessThan(80 * MB);
    expect(Math.max(...memory)).toBeLessThan(300 * MB);
  } finally {
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  }
});

/** In bytes. */
function residentMemory(pid: number | undefined): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Sends everything, closes this side, and waits until the server has closed, too. */
async function attack(port: number, { name, text, answers }: Hostile): Promise<RawAnswer[]> {
  let isOver = false;
  onTestFailed(() => {
    if (!isOver) console.error(`No end to the answer to ${name}: ${JSON.stringify(text.slice(0, 400))}`);
  });
  const heard = await new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("data", (chunk) => chunks.push(chunk));
    // The server may close while bytes are being sent.
    socket.on("error", () => {});
    socket.on("close", () => {
      isOver = true;
      resolve(Buffer.concat(chunks));
    });
    socket.end(Buffer.from(text, "latin1"));
  });
  const methods = text.split("\r\n\r\n").map((request) => /^[A-Z]+/.exec(request)?.[0] ?? "");
  const parsed = parseAnswers(heard, methods);
  if (parsed.answers.length !== answers || parsed.rest.length > 0) {
    const got = parsed.answers.map(({ status }) => status).join(" ");
    throw new Error(
      `${parsed.answers.length} answers (${got}) and ${parsed.rest.length} bytes to ${name}: ${JSON.stringify(text.split("\r\n\r\n").slice(Math.max(0, parsed.answers.length - 1), parsed.answers.length + 1))}`,
    );
  }
  return parsed.answers;
}

function check({ name, text }: Hostile, { status, headers, body }: RawAnswer, known: ReadonlySet<string>): void {
  const complain = (what: string) => {
    throw new Error(`${what} in the answer ${status} to ${name}: ${JSON.stringify(text.slice(0, 2_000))}`);
  };
  if (!STATUSES.includes(status)) complain("unknown status");
  if (!known.has(body.toString("latin1"))) complain(`unknown body ${body.toString("latin1").slice(0, 200)}`);
  if (headers.get("allow") !== "GET, HEAD, OPTIONS" || !headers.has("snapshot-id")) complain("no common headers");
  if (status >= 400 && headers.get("cache-control") !== "no-store") complain("a cacheable error");
  if (status === 301 && !headers.get("location")?.startsWith("/api/users/?")) complain("a strange location");
  if (name !== "pipelined" && headers.get("connection") !== "close") complain("no end of the connection");
}

/** All bodies that the server may send: files of the release, and errors. */
async function readAll(folder: string): Promise<ReadonlySet<string>> {
  const known = new Set(["", ...DETAILS.map(errorBody)]);
  const pages = join(folder, "api/users/pages");
  const files = [
    ...(await readdir(pages)).map((file) => join(pages, file)),
    join(folder, "snapshot.json"),
    join(folder, "SHA256SUMS"),
  ];
  for (const file of files) known.add(await readFile(file, "latin1"));
  return known;
}
