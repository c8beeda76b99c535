/** Hosts that many histories happen on, one after the other: each with a disk, a process that builds, and one collection. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Adapted } from "../../../src/index.js";
import { startNginx } from "../../adapters/servers.js";
import { BUCKET, STORE_ENV, startStore } from "../../publish/store.js";
import { scratch } from "../../support/files.js";
import { makeKey } from "../../support/minisign.js";
import { freePort } from "../../support/ports.js";
import { type Reload, reloadNginx, startServe } from "../hosts.js";
import { type Deed, type Disk, type Made, Maker, openDisk } from "./disk.js";
import { COLLECTIONS, type Collection } from "./sources.js";

export type HostKind = "serve" | "nginx" | "bucket";

export interface Lane {
  /** As tallies tell it: `serve, users`. */
  name: string;
  kind: HostKind;
  collection: Collection;
  folder: string;
  disk: Disk;
  maker: Maker;
  key: { secret: string; public: string };
  /** Where a history is published: in a bucket, each at a place of its own. */
  baseUrlOf(history: number): string;
  /** Has a server take up the release that is current now, which it is started with at first. */
  refresh(): Promise<void>;
  /** Of a bucket: publishes what is current. */
  publish(
    history: number,
    trouble?: { killAfter?: number | undefined; loses?: (() => boolean) | undefined },
  ): Promise<Made>;
}

export async function laneOf(kind: HostKind, name: keyof typeof COLLECTIONS): Promise<Lane> {
  const folder = scratch();
  const disk = await openDisk(folder);
  const lane = {
    ...{ name: `${kind}, ${name}`, kind, folder, disk },
    ...{ collection: COLLECTIONS[name], maker: new Maker(disk, STORE_ENV), key: makeKey(folder, "lane") },
  };
  return { ...lane, ...(await (kind === "bucket" ? bucketOf(lane.maker) : serverOf(kind, lane))) };
}

async function serverOf(kind: "serve" | "nginx", place: { folder: string; disk: Disk; maker: Maker }) {
  const port = await freePort();
  let reload: Reload | undefined;
  return {
    baseUrlOf: () => `http://127.0.0.1:${port}`,
    async refresh() {
      if (reload) await reload();
      else reload = await STARTS[kind]({ ...place, port });
    },
    publish: () => Promise.reject(new Error("Only a bucket is published to.")),
  };
}

const STARTS = {
  serve({ folder, disk, port }: { folder: string; disk: Disk; port: number }): Promise<Reload> {
    return startServe({ dist: disk.dist, port, log: join(folder, "requests.log") }, disk.inside);
  },

  async nginx({
    folder,
    disk,
    maker,
    port,
  }: {
    folder: string;
    disk: Disk;
    maker: Maker;
    port: number;
  }): Promise<Reload> {
    const options = { listenPort: port, address: "127.0.0.1" };
    const { result, error } = await maker.do({ deed: "adapt", name: "nginx", options });
    if (error) throw new Error(error.message);
    const site = (result as Adapted).files.find(({ path }) => !path.includes("/"));
    // Else an old worker waits a minute for the request of a connection that a client has only opened.
    await startNginx(folder, port, ["client_header_timeout 1s;", site?.text ?? ""], disk.inside);
    return () => reloadNginx(Number(readFileSync(join(folder, "nginx.pid"), "utf8")));
  },
};

async function bucketOf(maker: Maker) {
  const store = await startStore();
  return {
    baseUrlOf: (history: number) => `${store.endpoint}/${BUCKET}/${history}`,
    refresh: () => Promise.resolve(),
    async publish(history: number, trouble: { killAfter?: number; loses?: () => boolean } = {}) {
      const { killAfter, loses = () => false } = trouble;
      store.fault = (method) => (method !== "GET" && method !== "HEAD" && loses() ? "lose" : undefined);
      // A folder of releases that was lost and made again does not know what it has put there before.
      const options = { target: `s3://${BUCKET}/${history}`, endpoint: store.endpoint, force: true };
      const deed: Deed = { deed: "publish", options };
      return maker.do(deed, killAfter).finally(() => {
        store.fault = () => undefined;
      });
    },
  };
}
