/** Real hosts of two signed releases of one base URL, which can be switched, and count requests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { adapt, type BuildOptions, build, openRelease, type Page } from "../../../src/index.js";
import { startNginx } from "../../host/servers.js";
import { switchTo } from "../../serve/release.js";
import { CLI } from "../../support/command.js";
import { plainRows, type Row, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { generateKey } from "../../support/minisign.js";
import { freePort } from "../../support/ports.js";
import { pause } from "../../support/time.js";
import { markOf } from "./cases.mjs";

/** What a release holds, as a reader of it can tell. */
interface Known {
  id: string;
  state: string | undefined;
  count: number;
  pages: number;
  /** A mark for each record's text, in order. */
  marks: number[];
  /** The ids of its users, in order. */
  ids: string[];
}

/** A host as the cases know it. */
export interface Host {
  name: string;
  baseUrl: string;
  publicKey: string;
  releases: Record<Turn, Known>;
}

export type Turn = "first" | "second" | "third" | "fourth";

/** A host as the test has it in its hands. */
export interface Station {
  host: Host;
  dist: string;
  folder: string;
  /** Returns when the host serves this release. */
  switchTo(turn: Turn): Promise<void>;
  /** The targets of all requests but preflights since the last call. */
  requests(): Promise<string[]>;
}

export type Kind = "serve" | "nginx" | "cache";

/** Rollcall's own host, another one, and a cache in front of a host. */
export const KINDS: readonly Kind[] = ["serve", "nginx", "cache"];

const PAGE_SIZE = 10;
const FOR_READERS = { bulk: true, changes: 2, lookup: true };
const LOG_FORMAT = "log_format plain '$request_method $request_uri $status $body_bytes_sent';";

/** What is published in turn. The first is the last that is built. */
const SOURCES: Partial<Record<Turn, Row[]>> = { second: secondRows(), first: plainRows(250) };

/** A host of this kind until the test is over. */
export async function stationOf(kind: Kind, sources = SOURCES): Promise<Station> {
  const folder = scratch();
  const [dist, log, port] = [join(folder, "dist"), join(folder, "requests.log"), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const key = generateKey(folder, "ours");
  const releases = {} as Record<Turn, Known>;
  const folders = {} as Record<Turn, string>;
  for (const [turn, rows] of Object.entries(sources)) {
    const db = writeUsers(join(folder, `${turn}.sqlite`), rows);
    const settings = {
      pageSize: PAGE_SIZE,
      compress: ["gzip"],
      ...FOR_READERS,
      signKey: key.secret,
    };
    const built = await build({ db, dist: dist, baseUrl, ...settings } as BuildOptions);
    releases[turn as Turn] = await knownOf(built.folder);
    folders[turn as Turn] = built.folder;
  }
  closeSync(openSync(log, "a"));
  const start = { folder, dist, port, log };
  const reload = await START[kind](start);

  let current: Turn | undefined;
  let read = 0;
  return {
    dist,
    folder,
    host: { name: kind, baseUrl, releases, publicKey: key.line },
    async switchTo(turn) {
      if (current === turn) return;
      const { id } = releases[turn];
      await switchTo(dist, folders[turn]);
      await reload();
      await settled(baseUrl, id);
      current = turn;
    },
    async requests() {
      const mark = `/snapshot.json?mark=${Math.random()}`;
      // A connection that was kept may be ending with the host's last release.
      await (await fetch(`${baseUrl}${mark}`, { headers: { connection: "close" } })).arrayBuffer();
      for (;;) {
        const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
        const at = lines.findIndex((line) => line.includes(mark));
        if (at >= 0) {
          const told = lines.slice(read, at);
          read = at + 1;
          return told.flatMap((line) => /\bGET (\S+) [\dH]/.exec(line)?.[1] ?? []);
        }
        await pause(5);
      }
    },
  };
}

/** Each page of one release is another in the other one, and what differs is little enough for a step. */
function secondRows() {
  return plainRows(263)
    .map((row, at) => (at % 5 === 0 ? { ...row, bio: "second" } : row))
    .filter((_, at) => at !== 3);
}

async function knownOf(folder: string): Promise<Known> {
  const { snapshot, paths } = await openRelease(folder);
  const { id, state, count, pages } = snapshot;
  const users = Array.from({ length: pages }, (_, at) => {
    const page = JSON.parse(readFileSync(join(folder, paths.path(at + 1)), "utf8")) as Page;
    return page.results;
  }).flat();
  const marks = users.map((user) => markOf(JSON.stringify(user)));
  return { id, state, count, pages, marks, ids: users.map((user) => user.id) };
}

/** Waits until a new connection is answered from a release. */
async function settled(baseUrl: string, id: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/snapshot.json?settled`, { headers: { connection: "close" } });
    if (((await answer.json()) as { id?: string }).id === id) return;
    await pause(10);
  }
}

interface Start {
  folder: string;
  dist: string;
  port: number;
  log: string;
}

/** Has a host take up another release at once. */
type Reload = () => Promise<void> | void;

const START: Record<Kind, (start: Start) => Promise<Reload>> = {
  serve: (start) => startServe(start),

  async nginx({ folder, dist, port, log }) {
    const { files } = await adapt({ name: "nginx", dist, listenPort: port, address: "127.0.0.1" });
    const [site] = files.filter(({ path }) => !path.includes("/"));
    const logged =
      site?.text.replace(
        /^server \{/m,
        `${LOG_FORMAT}\nclient_header_timeout 1s;\nserver {\n  access_log ${log} plain;`,
      ) ?? "";
    await startNginx(folder, port, [logged]);
    return () => {};
  },

  /** Like a CDN: it caches pages as long as Cache-Control allows, and ignores clients' no-cache. */
  async cache({ folder, dist, port, log }) {
    const behind = await freePort();
    const reload = await startServe({ dist, port: behind, log: join(folder, "origin.log") });
    await startCache({ folder, port, behind, log });
    return reload;
  },
};

/** The real command, in a process of its own. */
async function startServe({ dist, port, log }: Pick<Start, "dist" | "port" | "log">): Promise<Reload> {
  const out = openSync(log, "a");
  const args = [CLI, "serve", dist, "--port", `${port}`, "--access-log", "combined"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", out, "pipe"] });
  closeSync(out);
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let said = "";
  // It says its address once it listens.
  const listens = new Promise<void>((resolve) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("http://")) resolve();
    });
  });
  await Promise.race([listens, ended]);
  if (!said.includes("http://")) throw new Error(`rollcall serve: ${said}`);
  return () => void child.kill("SIGHUP");
}

/** A cache keyed by the whole URL. */
async function startCache(start: { folder: string; port: number; behind: number; log: string }): Promise<void> {
  const { folder, port, behind, log } = start;
  mkdirSync(join(folder, "kept"), { recursive: true });
  await startNginx(folder, port, [
    `proxy_cache_path ${folder}/kept keys_zone=pages:8m inactive=10m max_size=200m;`,
    LOG_FORMAT,
    `server { listen 127.0.0.1:${port}; access_log ${log} plain; location / {`,
    `proxy_pass http://127.0.0.1:${behind}; proxy_http_version 1.1; proxy_set_header Connection "";`,
    "proxy_cache pages; proxy_cache_key $request_uri; add_header X-Cache $upstream_cache_status always; } }",
  ]);
}
