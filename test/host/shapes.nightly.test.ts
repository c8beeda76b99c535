/** All hosts with releases of all shapes, hostile requests, and values with special characters of each host's language. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BuildOptions, build } from "../../src/index.js";
import { pipelined } from "../serve/hostile-requests.js";
import { publish } from "../serve/release.js";
import { sendAndClose } from "../serve/running.js";
import { plainRows, writeUsers } from "../support/database.js";
import { EXPLORED, LOOKED_UP } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { seeded } from "../support/random.js";
import { stationsAt } from "../support/stations.js";
import { checkHost, checkSite, type Shape } from "./host.js";
import { ALL_SERVERS, SERVERS, serveWith, startServer, writeFor } from "./servers.js";

const BASE = "/people/directory";
const PLAIN = { compress: [], explorer: false, lookup: false, bulk: false, changes: 0, signKey: undefined };

const SHAPES: Readonly<Record<string, Shape>> = {
  "everything on": { base: BASE },
  "plain, at the root": { base: "", options: PLAIN },
  "everything on, at the root": { base: "" },
  "a look-up and no explorer": { base: BASE, options: { explorer: false } },
  "links by path, below a path that is hard to write": {
    base: "/a%20b/%C3%A9$1'%7Bx%7D",
    options: { ...PLAIN, links: "path", compress: ["gzip"] },
  },
  // Characters that end, quote or expand something in one of the languages.
  "a base that ends strings": { base: "/q%22;$1,(d)%23%25e'~%5C", options: PLAIN },
  "a base that has variables": { base: "/$%7Bx%7D/%E2%82%AC+&=@:!*%7C.b", options: PLAIN },
  // A map of nginx or Caddy takes a tilde for a pattern's; nginx has no room for a long name.
  "a listing with a tilde": { base: BASE, contract: stationsAt("/~v1.0-b/") },
  "a listing with a long name": { base: BASE, contract: stationsAt("/-/A.b/observing_stations/of-the-world/") },
};

describe.each(ALL_SERVERS)("$name", (server) => {
  const shapes = Object.entries(SHAPES)
    .filter(([, { base }]) => server.links !== "path" || base === BASE)
    // Its engine takes a moment for each request, and other paths are only other texts there.
    .filter(([, { base, options }]) => server.name !== "netlify" || options === undefined || base.startsWith("/q"));
  test.skipIf(isMissing(...server.needs)).each(shapes)("%s", (_name, shape) => checkHost(server, shape));
});

const CACHE = `max-age=7, x="a\\\\b'c $1 \${x} %{y} %[z] {z} #"`;

describe.each(ALL_SERVERS.filter(({ name, links }) => name !== "rollcall serve" && links === undefined))(
  "$name",
  (server) => {
    const built = async (folder: string, baseUrl: string, options: Partial<BuildOptions> = {}) => {
      const db = writeUsers(join(folder, "users.sqlite"), plainRows(3));
      return build({ db, dist: join(folder, "dist"), baseUrl, ...options });
    };

    test.skipIf(isMissing(...server.needs))(
      "serves from a folder with blanks, with a header that needs escapes",
      async () => {
        const [folder, port] = [scratch(), await freePort()];
        const dist = join(folder, "my site (1) #h, é");
        const release = await built(folder, `http://127.0.0.1:${port}`, { dist });
        await serveWith(server, { release: release.folder, folder, port, options: { cacheControl: CACHE } });
        const answer = await fetch(`http://127.0.0.1:${port}/api/users/?page=1`);
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, CACHE]);
        expect(await answer.json()).toMatchObject({ count: 3 });
      },
    );

    test.skipIf(isMissing(...server.needs))("gives nothing away to hostile requests", async () => {
      const [folder, port] = [scratch(), await freePort()];
      for (const name of ["canary.txt", "dist-canary.txt"]) writeFileSync(join(folder, name), "canary-of-the-folder");
      const { folder: release } = await built(folder, `http://127.0.0.1:${port}`);
      await serveWith(server, { release, folder, port });
      const random = seeded();
      for (let round = 0; round < 20; round++) {
        const heard = await sendAndClose(port, pipelined(random, 5).text);
        expect(heard).not.toMatch(/canary-of|root:x:0/);
        for (const [line] of heard.matchAll(/^HTTP\/1\.[01] \d{3}/gm))
          expect(line).toMatch(/ (?:20[046]|30[14]|40[0345]|41[145]|431|50[01])$/);
      }
    });
  },
);

test.for(ALL_SERVERS.filter(({ links }) => links === undefined))(
  "$name, with several listings at the root, and below a base that ends strings",
  async (server, { skip }) => {
    skip(isMissing(...server.needs));
    for (const base of ["", "/q%22;$1,(d)%23%25e'~%5C"]) await checkSite(server, base);
  },
);

test.for(SERVERS)("$name serves a listing at its base URL itself", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  for (const path of ["", "/people"]) await checkHost(server, { base: path, contract: stationsAt("/") });
});

test.for(SERVERS.filter(({ name, follows }) => follows && name !== "htaccess"))(
  "$name takes up a release that gains an explorer, and one that loses it, with the file that was written first",
  async (server, { skip }) => {
    skip(isMissing(...server.needs));
    const [dist, port] = [scratch(), await freePort()];
    const baseUrl = `http://127.0.0.1:${port}/people`;
    let isServed = false;
    for (const others of [{}, EXPLORED, LOOKED_UP, EXPLORED, {}]) {
      const release = await publish(dist, { baseUrl, others });
      await writeFor(server, { release, folder: dist });
      if (!isServed) await startServer(server, { folder: dist, release, port });
      isServed = true;
      const statusOf = async (path: string) => (await fetch(`${baseUrl}${path}`, { redirect: "manual" })).status;
      const [isBrowsed, isLookedUp] = ["index.html" in others, "lookup/index.json" in others];
      const statuses = await Promise.all(
        ["", "/", "/index.html", "/lookup/words/12.txt", "/snapshot.json"].map(statusOf),
      );
      expect(statuses).toEqual([301, ...(isBrowsed ? [200, 200] : [404, 404]), isLookedUp ? 200 : 404, 200]);
    }
  },
);
