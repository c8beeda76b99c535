/** Each real host gives the same status, headers and bytes as `rollcall serve` for the same requests. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { type BuildOptions, build, createServer } from "../../src/index.js";
import { population } from "../client/population.js";
import type { Request } from "../client/raw.js";
import { writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { writeKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { stations, stationsAt, writeStations } from "../support/stations.js";
import { differing, isSkipped } from "./same.js";
import { SERVERS, serveWith } from "./servers.js";

const USERS = population(2_500);
const BASE = "/people/directory";

interface Listing {
  path: string;
  /** Writes a source, and returns what a build is given besides. */
  source(file: string): Pick<BuildOptions, "contract" | "pageSize" | "explorer">;
}

const LISTINGS: readonly Listing[] = [
  {
    path: USERS_CONTRACT.listing.path,
    source(file) {
      writeUsers(file, USERS);
      return { pageSize: 37, explorer: true };
    },
  },
  // A map of nginx or Caddy takes a tilde for a pattern's, nginx has no room for a long name, and a dash begins a flag of HAProxy.
  ...["/~v1.0-b/", "/-/A.b/observing_stations/of-the-world/"].map((path) => ({
    path,
    source(file: string) {
      const rows = stations(12).map(({ row }) => row);
      writeStations(file, rows);
      return { contract: stationsAt(path).file, pageSize: 4 };
    },
  })),
];

function requests(pages: number, path: string): Request[] {
  const listing = `${BASE}${path}`;
  const get = (target: string, ...headers: [string, string][]) => ({ method: "GET", target, headers });
  const numbers = Array.from({ length: pages }, (_, at) => at + 1);
  const odd = [
    "?page=0",
    "?page=01",
    "?page=%31",
    "?p%61ge=2",
    "?page=1&page=2",
    "?page",
    "?page=",
    `?page=${pages + 1}`,
  ];
  const paths = ["nothing", "pages/0.json", "pages/x.json", `pages/${pages + 1}.json`, "pages/", "pages/1.json.gz"];
  const [, first] = path.split("/");
  const others = [
    "snapshot.json",
    "SHA256SUMS",
    "SHA256SUMS.minisig",
    "contract.json",
    "records.sha256",
    "avatar.svg",
    ...["", "index.html", "explorer/app.js", "explorer/style.css", "explorer/summary.json", "explorer/facets/1.txt"],
    ...["lookup/index.json", "lookup/keys/1.txt", "lookup/words/1.txt", "lookup/words/99.txt"],
    first,
    `${first}/`,
  ];
  return [
    ...numbers.flatMap((page) => [
      get(`${listing}?format=api&page=${page}`),
      get(`${listing}pages/${page}.json`),
      { ...get(`${listing}?format=api&page=${page}`), method: "HEAD" },
    ]),
    ...["gzip", "br", "gzip, br", "identity"].map((coding) => get(`${listing}?page=3`, ["Accept-Encoding", coding])),
    ...odd.map((query) => get(`${listing}${query}`)),
    ...paths.map((path) => get(`${listing}${path}`)),
    ...others.map((path) => get(`${BASE}/${path}`)),
    get(`${listing.slice(0, -1)}?page=2&x=//y`),
    get(`${path}?page=1`),
    // What a pattern has for any letter must be only itself here.
    ...(path.includes(".") ? [get(`${listing.replaceAll(".", "x")}?page=1`)] : []),
    ...["OPTIONS", "POST", "PUT", "DELETE", "PATCH"].map((method) => ({ method, target: listing, body: "" })),
  ];
}

describe.each(SERVERS)("$name", (server) => {
  // Cloudflare compresses by itself, so its release has no compressed files.
  const encodings = server.name === "cloudflare" ? [] : (["br", "gzip"] as const);
  test.skipIf(isMissing(...server.needs)).each(LISTINGS)(
    "answers as rollcall serve does at $path",
    { timeout: 120_000 },
    async ({ path, source }) => {
      const [folder, port] = [scratch(), await freePort()];
      const baseUrl = `http://127.0.0.1:${port}${BASE}`;
      const [db, out] = [join(folder, "source.sqlite"), join(folder, "dist")];
      const { secret: signKey } = writeKey(folder, "ours");
      const built = await build({ db, out, baseUrl, encodings, signKey, ...source(db) });
      const own = await createServer({ folder: out });
      onTestFinished(() => own.close());
      const origins = [new URL((await own.listen({ port: 0, host: "127.0.0.1" })).url).origin, new URL(baseUrl).origin];
      await serveWith(server, { release: built.folder, folder, port });
      const asked = requests(built.pages, path).filter((request) => !isSkipped(server.name, BASE, request));
      expect(await differing(server.name, origins, asked)).toEqual([]);
    },
  );
});
