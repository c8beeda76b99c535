/** Releases with an explorer, and hosts that serve it. */
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BuildOptions } from "../../src/build/options.js";
import { build, createServer } from "../../src/index.js";
import { SERVERS, type Server, serveWith } from "../host/servers.js";
import { start } from "../support/command.js";
import { type Row, usersFile } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";

type Given = Pick<BuildOptions, "baseUrl"> & Partial<BuildOptions> & { rows?: readonly Row[] };

/** The sample that comes with the package, unless there are rows. Returns the folder of its release. */
export async function publishPage(dist: string, { rows, ...options }: Given): Promise<string> {
  const db = rows ? usersFile(rows) : "data/users.sqlite";
  const { folder } = await build({ db, dist, explorer: true, ...options });
  return folder;
}

/** A host that answers on a port. */
export interface PageHost {
  name: string;
  needs: readonly string[];
  /** Serves what is current in `out`, until the test ends or it is stopped. */
  serve(dist: string, release: string, port: number): Promise<() => Promise<void>>;
}

const ROLLCALL: PageHost = {
  name: "rollcall serve",
  needs: [],
  async serve(dist, _release, port) {
    const { child, ended } = start(["serve", dist, "--port", String(port), "--json"]);
    const stop = async () => {
      child.kill("SIGTERM");
      await ended;
    };
    onTestFinished(stop);
    // It says where it listens once it does.
    await Promise.race([once(child.stdout, "data"), ended]);
    return stop;
  },
};

function withAdapter(server: Server): PageHost {
  const { name, needs } = server;
  return { name, needs, serve: (_out, release, port) => serveWith(server, { release, folder: scratch(), port }) };
}

/** The release of a page that Rollcall serves until the test is over. */
export async function servePage(given: Omit<Given, "baseUrl"> = {}): Promise<{ url: string; out: string }> {
  const [out, port] = [join(scratch(), "dist"), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  await publishPage(out, { baseUrl, ...given });
  const server = await createServer({ dist: out });
  onTestFinished(() => server.close());
  await server.listen({ port, host: "127.0.0.1" });
  return { url: `${baseUrl}/`, out };
}

/** Rollcall's own, one of those with a configuration, and one that runs at the edge. */
export const PAGE_HOSTS: readonly PageHost[] = [
  ROLLCALL,
  ...SERVERS.filter(({ adapter }) => adapter === "nginx" || adapter === "cloudflare").map(withAdapter),
];
