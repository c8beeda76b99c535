/** Who is measured: how each is started over a release's folder, and what is missing on this machine to do so. */
import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LISTING_PATH } from "../../../src/contract/links.js";

export interface Contestant {
  name: string;
  /** False for those that can only be asked for the files: their URLs are `pages/N.json`. */
  mapsQueries: boolean;
  /** What a full run measures and a quick one leaves out. */
  isExtra?: boolean;
  /** The program that must be there, by name. */
  program?: string;
  command(run: Run): readonly string[];
}

interface Run {
  /** The release. */
  folder: string;
  port: number;
  /** A folder of this run's own. */
  scratch: string;
  cacheMb: number;
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CLI = fileURLToPath(new URL("../../../lib/cli.js", import.meta.url));

const ROLLCALL = "rollcall serve";
export const NGINX = "nginx, one worker";
export const POLKA_SIRV = "polka + sirv";

export const CONTESTANTS: readonly Contestant[] = [
  {
    name: ROLLCALL,
    mapsQueries: true,
    command: ({ folder, port, cacheMb }) => [
      ...[process.execPath, CLI, "serve", folder],
      ...["--port", `${port}`, "--cache-mb", `${cacheMb}`],
    ],
  },
  {
    name: NGINX,
    mapsQueries: true,
    program: "nginx",
    command: (run) => ["nginx", "-p", run.scratch, "-c", writeNginxConfig(run)],
  },
  {
    name: POLKA_SIRV,
    mapsQueries: true,
    command: ({ folder, port }) => [process.execPath, here("polka-sirv.mjs"), folder, `${port}`],
  },
  {
    name: "plain node:http, preloaded",
    mapsQueries: true,
    isExtra: true,
    command: ({ folder, port }) => [process.execPath, here("preloaded.mjs"), folder, `${port}`],
  },
  {
    name: "sirv-cli",
    mapsQueries: false,
    isExtra: true,
    program: "sirv",
    command: ({ folder, port }) => [
      ...["sirv", folder, "--host", "127.0.0.1", "--port", `${port}`],
      ...["--gzip", "--etag", "--quiet"],
    ],
  },
  {
    name: "serve",
    mapsQueries: false,
    isExtra: true,
    program: "serve",
    command: ({ folder, port }) => [
      "serve",
      ...["--listen", `tcp://127.0.0.1:${port}`, "--no-request-logging", "--no-clipboard", folder],
    ],
  },
  {
    name: "http-server",
    mapsQueries: false,
    isExtra: true,
    program: "http-server",
    command: ({ folder, port }) => [
      "http-server",
      folder,
      "-a",
      "127.0.0.1",
      "-p",
      `${port}`,
      "--gzip",
      "-s",
    ],
  },
];

/** Whether a program is found as a shell would. */
export function isInstalled(program: string): boolean {
  return programFolders().some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Debian keeps nginx where only root looks. */
export function programFolders(): string[] {
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
}

/** Without the contract's further headers, which cost nginx a little: it has less to send than the others. */
function writeNginxConfig({ folder, port, scratch }: Run): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(scratch, { recursive: true });
  const file = join(scratch, "nginx.conf");
  // Its worker would be nobody, who may not read what the benchmark has made.
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    file,
    `daemon off;
${isRoot ? "user root;" : ""}
worker_processes 1;
pid ${scratch}/nginx.pid;
error_log ${scratch}/error.log;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${scratch}/${name};`).join("\n  ")}
  access_log off;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip_static on;
  keepalive_requests 1000000000;
  default_type application/json;
  map $arg_page $number { "" 1; default $arg_page; }
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location = ${LISTING_PATH} { try_files ${LISTING_PATH}pages/$number.json =404; }
  }
}
`,
  );
  return file;
}
