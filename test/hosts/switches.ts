/** Switches of releases that differ in files of equal size, while readers ask a host that is never reloaded. */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { build } from "../../src/index.js";
import { VARIANTS } from "../../src/release/layout.js";
import { openRelease, type Release } from "../../src/release/open.js";
import { sha256 } from "../../src/release/plain-files.js";
import { giveTimes } from "../../src/release/times.js";
import { switchTo } from "../server/release.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { seeded } from "../support/random.js";
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
 * @returns how many answers there were
 */
export async function checkSwitches(server: Server, switches: number, answers: number): Promise<number> {
  const [folder, dist, port] = [scratch(), scratch(), await freePort()];
  const releases = await Promise.all(await buildAll(folder, dist, `http://127.0.0.1:${port}`));
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
    const known = new Map<number, Read>();
    while (!isOver) {
      const page = 1 + random.below(PAGES);
      const before = random.chance(0.5) ? known.get(page) : undefined;
      const since = history.length - 1;
      const read = await ask(page, coding, before?.tag).catch((error) => ({ status: 0, tag: "", digest: `${error}` }));
      count++;
      // While it was asked, these were current, and the next one may just have been switched to.
      const current = [...history.slice(since), next];
      const allowed = current.map((release) => release?.sums.pages.get(page, coding));
      const digest = read.status === 304 ? before?.digest : read.digest;
      if (![200, 304].includes(read.status) || !allowed.includes(digest)) wrong.push({ page, coding, read, before });
      if (read.status === 200) known.set(page, read);
    }
  };
  let next: Release | undefined;

  const ask = (page: number, coding: string, tag?: string) =>
    new Promise<Read>((resolve, reject) => {
      const headers = { "Accept-Encoding": coding, ...(tag !== undefined && { "If-None-Match": tag }) };
      request({ agent, host: "127.0.0.1", port, path: `/api/users/?page=${page}`, headers }, async (answer) => {
        const body = await buffer(answer).catch(reject);
        if (body) resolve({ status: answer.statusCode ?? 0, tag: `${answer.headers.etag}`, digest: sha256(body) });
      })
        .on("error", reject)
        .end();
    });

  const readers = [...VARIANTS, ...VARIANTS].map(reader);
  for (let turn = 0; turn < switches; turn++) {
    const from = count;
    while (count < from + answers) await ask(1, "identity");
    const others = releases.filter((release) => release !== history.at(-1));
    next = random.of(others);
    giveTimes(dist, next, new Date());
    await switchTo(dist, next.folder);
    history.push(next);
  }
  isOver = true;
  await Promise.all(readers);
  expect(wrong).toEqual([]);
  return count;
}

/** Builds releases of one size, each dated after the one before. */
async function buildAll(folder: string, dist: string, baseUrl: string): Promise<Promise<Release>[]> {
  const built: Promise<Release>[] = [];
  for (let number = 0; number < RELEASES; number++) {
    const rows = plainRows(PAGES).map((row) => ({ ...row, bio: `release ${number}` }));
    const db = writeUsers(join(folder, `${number}.sqlite`), rows);
    const release = await build({ db, dist, baseUrl, pageSize: 1, compress: ["br", "gzip"], keep: RELEASES });
    built.push(openRelease(release.folder));
  }
  return built;
}
