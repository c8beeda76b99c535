/** The rows of the table of settings that say how releases reach readers: by Rollcall's own server, or by other hosts. */
import { z } from "zod";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import * as kind from "./kinds.js";

const { path, row, text, whole, yesOrNo } = kind;

const LISTENER = /^(?:(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9_.-]+)):)?(\d{1,5})$/i;

/** An address to listen on, as `127.0.0.1:9090`, `[::1]:9090` or the port alone, which is on loopback. */
const listener = {
  ...text("<address:port>", "an address and a port, like 127.0.0.1:9090 or [::1]:9090, or a port alone"),
  schema: z.string().refine((given) => {
    const { port } = toListener(given);
    return port >= 0 && port <= 65_535;
  }),
};

/** @param given as the setting has it. The port is NaN where it has not its form. */
export function toListener(given: string): { host: string; port: number } {
  const [, six, other, port] = LISTENER.exec(given) ?? [];
  return { host: six ?? other ?? "127.0.0.1", port: Number(port) };
}

/** How Rollcall's own server serves. */
export const SERVER_ROWS = {
  port: row({ ...whole(0, 65_535), default: 8080 }, ["serve"], "port to listen on; 0 takes a free one"),
  devPort: row(whole(0, 65_535), ["dev"], "port to listen on (default: 8080, or a free one where that is taken)"),
  host: row(
    { ...text("<address>", "an address or a host name"), default: "127.0.0.1" },
    ["serve"],
    "address to listen on; 0.0.0.0 is every IPv4 one",
  ),
  admin: row(
    listener,
    ["serve"],
    "answer /healthz and /metrics there, and nothing else; a port alone is one of 127.0.0.1",
  ),
  processes: row({ ...whole(1, 64), default: 1 }, ["serve"], "processes that serve on the port and share --cache-mb"),
  cacheControl: row(
    kind.headerValue,
    ["build", "serve", "verify", "publish", "host"],
    `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL}; verify accepts any, the same on all pages)`,
  ),
  cacheMb: row(
    whole(0, 1_000_000),
    ["serve"],
    "megabytes of pages to hold in memory (default: a quarter of the memory that there is)",
  ),
  accessLog: row(
    kind.accessLog,
    ["serve"],
    "print a line for each request on stdout; combined is the form of Apache and nginx, with referer and agent",
  ),
} satisfies Record<string, kind.Setting>;

/** What another host is and where: the values of its configuration. Then what is published where. */
export const HOST_ROWS = {
  adapt: row(
    kind.names("host"),
    ["build", "verify"],
    'put what these hosts need into the release, or allow what they cannot do; "rollcall host" lists them',
  ),
  write: row(path("<folder>"), ["host"], "write the files to it instead of printing them"),
  root: row(kind.onHost, ["build", "host"], "folder of the releases on the host's machine (default: where it is here)"),
  serverName: row(kind.hostName("<name>"), ["host"], "name that the host answers to (default: the base URL's)"),
  basePath: row(
    kind.urlPath,
    ["build", "host"],
    "path that the host sees before the listing's (default: the base URL's)",
  ),
  address: row(kind.hostName("<address>"), ["host"], "address that the host listens on (default: every one)"),
  listenPort: row(
    whole(1, 65_535),
    ["host"],
    "port that the host listens on (default: the base URL's, or 80 behind one that has https)",
  ),
  origin: row(
    { ...kind.publicUrl, default: "http://127.0.0.1:8081" },
    ["build", "host"],
    "where fastly finds the release's files",
  ),
  check: row(yesOrNo, ["host"], "measure the release against the host's limits"),

  // What is published where.
  release: row(
    text("<release>", "a release's id, its beginning, previous, or a release's folder"),
    ["publish", "host"],
    "release to take: an id or its beginning, previous, or a folder (default: the current one)",
  ),
  endpoint: row(kind.endpoint, ["publish"], "store that speaks S3 and is not Amazon's, as in https://s3.example.com"),
  force: row(
    yesOrNo,
    ["publish"],
    "also replace files that Rollcall did not put there, and releases of another base URL or not in dist; take over the lock of a bucket",
  ),
  expect: row(
    text("<id>", "the beginning of a release's id"),
    ["publish"],
    "release that a bucket holds and that may be replaced although dist does not have it",
  ),
  dryRun: row(yesOrNo, ["publish"], "print what would be done, and do nothing"),
  purgeList: row(path("<file>"), ["publish"], "write the URL of everything that changed to it, for a CDN to forget"),
} satisfies Record<string, kind.Setting>;
