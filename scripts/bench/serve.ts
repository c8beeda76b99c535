/** Compares `rollcall serve` with nginx and with polka + sirv: each on one core, loaded by wrk on another. */
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { has, here, onCore, run, type Server, startOnSocket, startServer } from "./processes.js";
import { type Bench, type Contestant, inTurns, type Row } from "./rounds.js";
import { makeSource, release } from "./sources.js";

const LISTING = "/api/users/";
const CONNECTIONS = 64;
const SECONDS = 2;
/** The Debian package is libnginx-mod-http-brotli-static. */
const BROTLI_MODULE = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so";
const NGINX = "nginx, one worker";
const POLKA = here("polka-sirv.mjs");

type Figure = "requests/s" | "requests a CPU second" | "p99 ms";

interface Host extends Server {
  name: string;
  pages: number;
}

interface Lane {
  name: string;
  hosts: readonly Host[];
  coding?: "identity" | "gzip" | "br";
  /** Conditional requests for pages that the client has. */
  isKnown?: boolean;
}

interface Release {
  name: string;
  cli: string;
  dist: string;
  pages: number;
}

export async function measureServe(bench: Bench): Promise<Row[]> {
  if (!has("wrk", "serve")) return [];
  const { folder, rounds, users } = bench;
  const hundreds = await makeReleases(bench, users, 100, "--compress", "br,gzip");
  const ones = await makeReleases(bench, Math.min(users, 2_000), 1);
  // A user has about 900 bytes.
  const megabytes = Math.ceil((users * 900) / 1e6);
  const large = await startRollcalls(hundreds, 256 + 4 * megabytes);
  const small = await startRollcalls(hundreds, Math.floor(megabytes / 8));
  const others = await startOthers(hundreds, large);
  const single = await startRollcalls(ones, 256);
  const hosts = [...large, ...others];
  const lanes: Lane[] = [
    { name: "identity", hosts },
    { name: "gzip", hosts, coding: "gzip" },
    { name: "br", hosts: hosts.filter(({ name }) => name !== NGINX || existsSync(BROTLI_MODULE)), coding: "br" },
    { name: "304", hosts, isKnown: true },
    { name: "one user a page", hosts: [...single, ...(await startOthers(ones, single))] },
    { name: "eight times the page cache", hosts: [...small, ...others] },
  ];
  const rows: Row[] = [];
  for (const lane of lanes) {
    const contestants: Contestant<Figure>[] = [];
    for (const host of lane.hosts) contestants.push(await contestantOf(lane, host, join(folder, "requests")));
    const ratios: Figure[] = ["requests/s", "requests a CPU second"];
    rows.push(...(await inTurns(contestants, rounds, { ratios, to: `${lane.name}: ${NGINX}` })));
  }
  return rows;
}

async function makeReleases({ rollcalls, folder }: Bench, users: number, size: number, ...flags: string[]) {
  const db = await makeSource(folder, users);
  const releases: Release[] = [];
  for (const { name, cli } of rollcalls) {
    const dist = join(folder, `${name}-${size}`);
    await release(cli, db, dist, "--page-size", `${size}`, ...flags);
    releases.push({ name: `${name} serve`, cli, dist, pages: Math.ceil(users / size) });
  }
  return releases;
}

function startRollcalls(releases: readonly Release[], cacheMb: number): Promise<Host[]> {
  return Promise.all(
    releases.map(async ({ name, cli, dist, pages }) => {
      const command = [process.execPath, cli, "serve", dist, "--port", "0", "--json", "--cache-mb", `${cacheMb}`];
      return { name, pages, ...(await startServer(command)) };
    }),
  );
}

/** Servers of this checkout's release. nginx sends the same headers as Rollcall. */
async function startOthers([release]: readonly Release[], [rollcall]: readonly Host[]): Promise<Host[]> {
  if (!release || !rollcall) return [];
  const { dist, pages } = release;
  const polka = {
    name: "polka + sirv",
    pages,
    ...(await startServer([process.execPath, POLKA, join(dist, "current")])),
  };
  if (!has("nginx", NGINX, "nginx-light")) return [polka];
  return [{ name: NGINX, pages, ...(await startNginx(dist, await fetch(rollcall.url + pathOf(1)))) }, polka];
}

/** nginx with one worker, all files open, and precompressed files. It gets its socket, since it does not accept port 0. */
async function startNginx(dist: string, { headers }: Response): Promise<Server> {
  const socket = createServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  const folder = join(dist, "nginx");
  mkdirSync(folder);
  const own = /^(?:accept-ranges|connection|content-.*|date|etag|keep-alive|last-modified|transfer-encoding)$/;
  const sent = [...headers]
    .filter(([name]) => !own.test(name))
    .map(([name, value]) => `add_header ${name} '${value}';`);
  const hasBrotli = existsSync(BROTLI_MODULE);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(
    join(folder, "nginx.conf"),
    `${hasBrotli ? `load_module ${BROTLI_MODULE};` : ""}
daemon off;
# Otherwise the worker could not read root's files.
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  access_log off;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip_static on;
  ${hasBrotli ? "brotli_static on;" : ""}
  open_file_cache max=40000 inactive=1h;
  open_file_cache_valid 1h;
  open_file_cache_min_uses 1;
  ${sent.join("\n  ")}
  keepalive_requests 1000000000;
  default_type application/json;
  map $arg_page $number { "" 1; default $arg_page; }
  server {
    listen ${address};
    root "${dist}/current";
    location = ${LISTING} { try_files ${LISTING}pages/$number.json =404; }
  }
}
`,
  );
  // There is no public API for it.
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const server = startOnSocket(["env", "NGINX=3;", "nginx", "-p", folder, "-c", join(folder, "nginx.conf")], fd);
  socket.close();
  return { url: `http://${address}`, ...server };
}

/** Warm-up: requests each page three times on average. */
async function contestantOf(lane: Lane, host: Host, file: string): Promise<Contestant<Figure>> {
  const name = `${lane.name}: ${host.name}`;
  const requests = `${file} ${name.replaceAll("/", " ")}`;
  await writeRequests(requests, lane, host);
  for (let asked = 0; asked < 3 * host.pages; ) asked += (await load(requests, host, 1)).requests;
  return {
    name,
    async run() {
      const before = host.cpu();
      const { requests: answered, seconds, p99 } = await load(requests, host, SECONDS);
      const cpu = host.cpu() - before;
      return { "requests/s": answered / seconds, "requests a CPU second": answered / cpu, "p99 ms": p99 };
    },
  };
}

/** Writes a line for each page. @throws Error if the host's answers are wrong, which would make it look fast. */
async function writeRequests(file: string, { coding = "identity", isKnown }: Lane, { name, url, pages }: Host) {
  const lines: string[] = [];
  for (let page = 1; page <= pages; page++) {
    let line = `${pathOf(page)}\tAccept-Encoding\t${coding}`;
    if (isKnown || page === 1) {
      const answer = await fetch(url + pathOf(page), { headers: { "Accept-Encoding": coding } });
      const { results } = (await answer.json()) as { results?: unknown };
      const isCoded = (answer.headers.get("content-encoding") ?? "identity") === coding;
      if (!Array.isArray(results) || !isCoded) throw new Error(`${name} does not send ${answer.url} in ${coding}`);
      const etag = answer.headers.get("etag") ?? "";
      if (isKnown) line = `${pathOf(page)}\tIf-None-Match\t${etag}`;
      const again =
        isKnown && (await fetch(answer.url, { headers: { "Accept-Encoding": coding, "If-None-Match": etag } }));
      if (again && again.status !== 304) throw new Error(`${name} answers ${again.status} to If-None-Match: ${etag}`);
    }
    lines.push(line);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Requests random pages for some seconds. */
async function load(requests: string, { name, url }: Host, seconds: number) {
  const wrk = ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "-s", here("random-pages.lua")];
  const { out } = await run(onCore(1, [...wrk, `${url}/`, "--", requests]), { stdout: "pipe" });
  const result = JSON.parse(/^RESULT (.*)$/m.exec(out)?.[1] ?? "{}") as Record<
    "requests" | "seconds" | "failed" | "p99",
    number
  >;
  if (result.failed !== 0) throw new Error(`${name} did not bear the load: ${out}`);
  return result;
}

function pathOf(page: number): string {
  return `${LISTING}?format=api&page=${page}`;
}
