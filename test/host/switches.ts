/** Switches of releases that differ in files of equal size, while readers ask a host that is never reloaded. */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { basePath } from "../../src/core/contract/links.js";
import { VARIANTS } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { openSiteRelease, partsOf, type Site } from "../../src/core/release/site.js";
import { giveTimes } from "../../src/core/release/times.js";
import { type BuildOptions, build } from "../../src/index.js";
import { switchTo } from "../serve/release.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { seeded } from "../support/random.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";
import { SERVERS, type Server, serveWith } from "./servers.js";

/** Hosts that follow `current` with one file for the site. */
export const SWITCHED = SERVERS.filter(({ name }) => ["nginx", "apache", "caddy"].includes(name));

const RELEASES = 4;
const PAGES = 20;

interface Read {
  status: number;
  tag: string;
  digest: string;
}

/**
 * Switches among four releases, forwards and back, under plain, gzip and br readers that send If-None-Match.
 * @param answers the least number of answers between two switches
 * @param buildOne builds one of the releases
 * @returns how many answers there were
 */
export async function checkSwitches(
  server: Server,
  switches: number,
  answers: number,
  buildOne: BuildOne = buildUsers,
): Promise<number> {
  const [folder, dist, port] = [scratch(), scratch(), await freePort()];
  const releases: Site[] = [];
  for (let number = 0; number < RELEASES; number++) {
    const options = {
      folder,
      dist,
      baseUrl: `http://127.0.0.1:${port}`,
      compress: ["br", "gzip"] as const,
      keep: RELEASES,
    };
    releases.push(await openSiteRelease((await buildOne(options, number)).folder));
  }
  const targets = targetsOf(releases[0] as Site);
  await serveWith(server, { release: releases.at(-1)?.folder ?? "", folder, port });

  const random = seeded();
  const wrong: unknown[] = [];
  /** The releases that were current, in order. */
  const history = [releases.at(-1)];
  let count = 0;
  let isOver = false;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  const reader = async (coding: (typeof VARIANTS)[number]) => {
    const known = new Map<Target, Read>();
    while (!isOver) {
      const target = random.of(targets);
      const before = random.chance(0.5) ? known.get(target) : undefined;
      const since = history.length - 1;
      const read = await ask(target, coding, before?.tag).catch((error) => ({
        status: 0,
        tag: "",
        digest: `${error}`,
      }));
      count++;
      // While it was asked, these were current, and the next one may just have been switched to.
      const current = [...history.slice(since), next];
      const allowed = current.map((release) => release && digestIn(release, target, coding));
      const digest = read.status === 304 ? before?.digest : read.digest;
      if (![200, 304].includes(read.status) || !allowed.includes(digest)) wrong.push({ target, coding, read, before });
      if (read.status === 200) known.set(target, read);
    }
  };
  let next: Site | undefined;

  const ask = ({ path }: Target, coding: string, tag?: string) =>
    new Promise<Read>((resolve, reject) => {
      const headers = { "Accept-Encoding": coding, ...(tag !== undefined && { "If-None-Match": tag }) };
      request({ agent, host: "127.0.0.1", port, path, headers }, async (answer) => {
        const body = await buffer(answer).catch(reject);
        if (body) resolve({ status: answer.statusCode ?? 0, tag: `${answer.headers.etag}`, digest: sha256(body) });
      })
        .on("error", reject)
        .end();
    });

  const readers = [...VARIANTS, ...VARIANTS].map(reader);
  for (let turn = 0; turn < switches; turn++) {
    const from = count;
    while (count < from + answers) await ask(targets[0] as Target, "identity");
    const others = releases.filter((release) => release !== history.at(-1));
    next = random.of(others);
    giveTimes(dist, next.folder, partsOf(next), new Date());
    await switchTo(dist, next.folder);
    history.push(next);
  }
  isOver = true;
  await Promise.all(readers);
  expect(wrong).toEqual([]);
  return count;
}

/** A page of one of the listings. */
interface Target {
  listing: string;
  page: number;
  path: string;
}

function targetsOf({ listings }: Site): Target[] {
  return listings.flatMap(({ name, release: { snapshot, paths } }) =>
    Array.from({ length: snapshot.pages }, (_, at) => {
      const page = at + 1;
      return { listing: name, page, path: `${basePath(snapshot.base_url)}${paths.listing}?page=${page}` };
    }),
  );
}

function digestIn(
  { listings }: Site,
  { listing, page }: Target,
  coding: (typeof VARIANTS)[number],
): string | undefined {
  return listings.find(({ name }) => name === listing)?.release.sums.pages.get(page, coding);
}

/** Builds the release with a number: all have files of the same sizes, and each is dated after the one before. */
type BuildOne = (
  options: Pick<BuildOptions, "baseUrl" | "compress" | "keep"> & { folder: string; dist: string },
  number: number,
) => Promise<{ folder: string }>;

const buildUsers: BuildOne = ({ folder, ...options }, number) => {
  const rows = plainRows(PAGES).map((row) => ({ ...row, bio: `release ${number}` }));
  return build({ ...options, db: writeUsers(join(folder, `${number}.sqlite`), rows), pageSize: 1 });
};

/** The shop, in which categories stay as they are. */
export const buildShop: BuildOne = ({ folder, ...options }, number) => {
  const db = number === 0 ? writeShop(folder) : join(folder, "shop.db");
  changeShop(
    db,
    `UPDATE customers SET name = 'Customer of release ${number}';
    UPDATE orders SET total = 1000 + id + ${number} / 10.0;
    UPDATE products SET name = 'Product of release ${number}';`,
  );
  return build({ ...options, db, listings: SHOP, baseUrl: `${options.baseUrl}/shop`, pageSize: 25 });
};
