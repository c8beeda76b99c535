/** The load, from another core: wrk for as much as a host takes, a paced client for its delay at a rate that is given. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { start } from "../child.js";
import { type Host, pathOf } from "./contestants.js";
import { pinned } from "./servers.js";

/** What is asked for. */
export interface Body {
  name: string;
  /** What is asked for; the page as it is, unless given. */
  coding?: "gzip" | "br";
  /** Has the page already. */
  isKnown?: boolean;
}

export interface Load {
  requests: number;
  seconds: number;
  bytes: number;
  failed: number;
  /** Milliseconds. */
  p99: number;
}

/** Of requests at a constant rate, milliseconds from when each was due to the end of its answer. */
export interface PacedLoad {
  /** A second, as many as came to an answer. */
  rate: number;
  p50: number;
  p99: number;
  max: number;
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CONNECTIONS = 64;

/**
 * Writes what is asked for, a line a page, after a look whether the host answers it as it should.
 * @throws Error when it does not: a wrong answer would be measured as a fast one.
 */
export async function writeRequests(
  file: string,
  host: Host,
  { coding, isKnown = false }: Body,
  { port, pages }: { port: number; pages: number },
): Promise<void> {
  const lines: string[] = [];
  for (let page = 1; page <= pages; page++) {
    const path = pathOf(host, page);
    const headers = { "Accept-Encoding": coding ?? "identity" };
    let line = coding ? `${path}\tAccept-Encoding\t${coding}` : `${path}\t\t`;
    if (isKnown || page === 1) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      const { results } = (await answer.json()) as { results?: unknown };
      if (!Array.isArray(results) || (coding && answer.headers.get("content-encoding") !== coding))
        throw new Error(`${host.name} answers ${path} with ${answer.status}, or not as asked`);
      if (isKnown) {
        const etag = answer.headers.get("etag") ?? "";
        const again = await fetch(answer.url, { headers: { ...headers, "If-None-Match": etag } });
        if (again.status !== 304) throw new Error(`${host.name} answers ${again.status} to If-None-Match: ${etag}`);
        line = `${path}\tIf-None-Match\t${etag}`;
      }
    }
    lines.push(line);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** As many random pages as the host takes. Throws when wrk does not end well. */
export function load(requests: string, port: number, seconds: number): Promise<Load> {
  return run([
    ...["wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "-s", here("random-pages.lua")],
    ...[`http://127.0.0.1:${port}/`, "--", requests],
  ]);
}

/** Random pages at a constant rate. Throws when an answer is none, or a connection ends. */
export function pace(requests: string, port: number, rate: number, seconds: number): Promise<PacedLoad> {
  return run([process.execPath, here("paced.mjs"), requests, ...[port, rate, seconds, CONNECTIONS].map(String)]);
}

async function run<T>(command: readonly string[]): Promise<T> {
  const child = start(pinned(1, command), { stdout: "pipe" });
  const closed = once(child, "close");
  const [out, err] = await Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")));
  await closed;
  const [, result] = /^RESULT (.*)$/m.exec(out ?? "") ?? [];
  if (!result) throw new Error(`${command.join(" ")} failed: ${err || out}`);
  return JSON.parse(result);
}
