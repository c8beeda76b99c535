/** A client that knows only the contract checks each real server with the files that Rollcall writes for it. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BuildOptions, build } from "../../src/index.js";
import { report } from "../client/client.js";
import { population } from "../client/population.js";
import { writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { explain, isOfClient } from "./limitations.js";
import { limitationsOf, SERVERS, serveWith } from "./servers.js";

const USERS = population(2_500);

const SHAPES: [string, string, Partial<BuildOptions>][] = [
  ["plain, at the root", "", {}],
  ["compressed, below a path", "/people/directory", { encodings: ["br", "gzip"] }],
  [
    "linked by path, below a path that is hard to write",
    "/a%20b/%C3%A9$1'%7Bx%7D",
    { links: "path", encodings: ["gzip"] },
  ],
];

describe.each(SERVERS)("$name", (server) => {
  const allowed = Object.keys(limitationsOf(server)).filter(isOfClient);
  const seen = new Set<string>();

  test.skipIf(isMissing(...server.needs)).each(SHAPES)(
    "the client finds nothing wrong with pages %s",
    { timeout: 120_000 },
    async (_name, path, options) => {
      const [folder, port] = [scratch(), await freePort()];
      const baseUrl = `http://127.0.0.1:${port}${path}`;
      const db = writeUsers(join(folder, "users.sqlite"), USERS);
      const { folder: release } = await build({
        db,
        out: join(folder, "dist"),
        baseUrl,
        pageSize: 37,
        ...options,
      });
      await serveWith(server, { release, folder, port });
      const said = await report(baseUrl, { pageSize: 37, linesPerRule: Number.POSITIVE_INFINITY });
      const lines = server.byName ? said.filter((line) => !line.includes("other host name")) : said;
      // Odd characters of the path must not pass for a malformed request.
      const { unexplained, used } = explain(
        path === "" ? lines : lines.map((line) => line.replaceAll(path, "")),
        allowed,
      );
      expect(unexplained).toEqual([]);
      for (const probe of used) seen.add(probe);
    },
  );

  test.skipIf(isMissing(...server.needs))("every limitation is needed", () => {
    expect([...seen].sort()).toEqual([...allowed].sort());
  });
});
