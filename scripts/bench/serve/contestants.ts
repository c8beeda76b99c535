/** Who is measured, and how each is started over a release's folder. */
import { fileURLToPath } from "node:url";
import { USERS_CONTRACT } from "../../../src/contract/contract.js";
import { CLI } from "../programs.js";
import { HAS_BROTLI, writeNginxConfig } from "./nginx.js";

export interface Host {
  name: string;
  /** False for those that can only be asked for the files: their URLs are `pages/N.json`. */
  mapsQueries: boolean;
  /** Sends no `.br` files. */
  lacksBrotli?: boolean;
  /** Only in full runs, and only over a release that is cached. */
  isExtra?: boolean;
  /** The program that must be there, by name, and what to do where it is not. */
  program?: { name: string; advice: string };
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
const OF_NPM = "--install-hosts fetches it from npm for one run";

export const ROLLCALL = "rollcall serve";
export const FLEET = "rollcall serve --processes 2";
export const WATCHED = "rollcall serve --admin";
export const NGINX = "nginx, one worker";
export const POLKA_SIRV = "polka + sirv";

const rollcall = ({ folder, port, cacheMb }: Run) => [
  ...[process.execPath, CLI, "serve", folder],
  ...["--port", `${port}`, "--cache-mb", `${cacheMb}`],
];

export const HOSTS: readonly Host[] = [
  { name: ROLLCALL, mapsQueries: true, command: rollcall },
  {
    name: WATCHED,
    mapsQueries: true,
    isExtra: true,
    command: (run) => [...rollcall(run), "--admin", "127.0.0.1:0"],
  },
  {
    name: NGINX,
    mapsQueries: true,
    lacksBrotli: !HAS_BROTLI,
    program: { name: "nginx", advice: "install it" },
    command: (run) => ["nginx", "-p", run.scratch, "-c", writeNginxConfig(run)],
  },
  {
    name: POLKA_SIRV,
    mapsQueries: true,
    command: ({ folder, port }) => [process.execPath, here("polka-sirv.mjs"), folder, `${port}`],
  },
  {
    name: FLEET,
    mapsQueries: true,
    isExtra: true,
    command: (run) => [...rollcall(run), "--processes", "2"],
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
    program: { name: "sirv", advice: OF_NPM },
    command: ({ folder, port }) => [
      ...["sirv", folder, "--host", "127.0.0.1", "--port", `${port}`],
      ...["--gzip", "--brotli", "--etag", "--quiet"],
    ],
  },
  {
    name: "serve",
    mapsQueries: false,
    lacksBrotli: true,
    isExtra: true,
    program: { name: "serve", advice: OF_NPM },
    command: ({ folder, port }) => [
      ...["serve", "--listen", `tcp://127.0.0.1:${port}`],
      ...["--no-request-logging", "--no-clipboard", folder],
    ],
  },
  {
    name: "http-server",
    mapsQueries: false,
    isExtra: true,
    program: { name: "http-server", advice: OF_NPM },
    command: ({ folder, port }) => [
      ...["http-server", folder, "-a", "127.0.0.1", "-p", `${port}`],
      ...["--gzip", "--brotli", "-s"],
    ],
  },
];

/** What to ask a host for to get a page. */
export function pathOf({ mapsQueries }: Host, page: number): string {
  const { path } = USERS_CONTRACT.listing;
  return mapsQueries ? `${path}?format=api&page=${page}` : `${path}pages/${page}.json`;
}
