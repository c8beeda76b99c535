/** The load: wrk on the other core, random pages, one body at a time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { LISTING_PATH } from "../../../src/contract/links.js";
import type { Contestant } from "./contestants.js";
import { pinned } from "./servers.js";

export interface Body {
  name: string;
  /** Users a page of the release that it is taken from. */
  pageSize: number;
  /** Asks for gzip. */
  isGzip?: boolean;
  /** Has the page already. */
  isKnown?: boolean;
  /** The host may not keep everything in memory. */
  isBeyondCache?: boolean;
}

export interface Load {
  requests: number;
  seconds: number;
  bytes: number;
  failed: number;
  /** Milliseconds. */
  p99: number;
}

const SCRIPT = fileURLToPath(new URL("random-pages.lua", import.meta.url));
const CONNECTIONS = 64;

/**
 * Writes what wrk asks for, a line a page, after a look whether the contestant answers it as it should.
 * @throws Error when it does not: a wrong answer would be measured as a fast one.
 */
export async function writeRequests(
  file: string,
  { name, mapsQueries }: Contestant,
  { isGzip = false, isKnown = false }: Body,
  port: number,
  pages: number,
): Promise<void> {
  const lines: string[] = [];
  for (let page = 1; page <= pages; page++) {
    const path = mapsQueries
      ? `${LISTING_PATH}?format=api&page=${page}`
      : `${LISTING_PATH}pages/${page}.json`;
    const headers = { "Accept-Encoding": isGzip ? "gzip" : "identity" };
    let line = isGzip ? `${path}\tAccept-Encoding\tgzip` : `${path}\t\t`;
    if (isKnown || page === 1) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      const { results } = (await answer.json()) as { results?: unknown };
      if (!Array.isArray(results) || (isGzip && answer.headers.get("content-encoding") !== "gzip"))
        throw new Error(`${name} answers ${path} with ${answer.status}, or not as asked`);
      if (isKnown) {
        const etag = answer.headers.get("etag") ?? "";
        const again = await fetch(answer.url, { headers: { ...headers, "If-None-Match": etag } });
        if (again.status !== 304)
          throw new Error(`${name} answers ${again.status} to If-None-Match: ${etag}`);
        line = `${path}\tIf-None-Match\t${etag}`;
      }
    }
    lines.push(line);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** @throws Error when wrk does not end well. */
export async function load(requests: string, port: number, seconds: number): Promise<Load> {
  const [program = "", ...args] = pinned(1, [
    ...["wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "-s", SCRIPT],
    ...[`http://127.0.0.1:${port}/`, "--", requests],
  ]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const [, result] = /^RESULT (.*)$/m.exec(out) ?? [];
  if (!result) throw new Error(`wrk failed: ${err || out}`);
  return JSON.parse(result);
}
