/** Modification times: for each path, what is served or published never has one time for two contents. */
import { createHash } from "node:crypto";
import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { UserError } from "../../../src/core/errors.js";
import { type BuildOptions, build, buildShard, publish, type ShardOptions, useRelease } from "../../../src/index.js";
import { forgetReleases } from "../../../src/publish/forget.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { draws, type Random, SEED, seeded } from "../../support/random.js";

const { linkSync, lutimesSync } = fs;

/** Replaces functions that the code imports from `node:fs`. */
function patch(functions: Partial<typeof fs>): void {
  Object.assign(fs, { linkSync, lutimesSync }, functions);
  syncBuiltinESMExports();
}

afterEach(() => patch({}));

function failing(code: string): never {
  throw Object.assign(new Error(code), { code, syscall: "test" });
}

/** Everything that readers saw of a folder, over time. */
class Seen {
  readonly #contents = new Map<string, string>();
  readonly #last = new Map<string, { time: number; digest: string }>();

  look(folder: string): void {
    for (const entry of existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []) {
      if (!entry.isFile() || /^\.r/.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(folder, file);
      const time = statSync(file).mtimeMs / 1000;
      const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
      // All variants of a page have one URL. Their sizes may be equal, so the time alone must tell them apart.
      const tag = `${path.replace(/\.(?:br|gz)$/, "")} ${time}`;
      expect(this.#contents.get(tag) ?? digest, tag).toBe(digest);
      this.#contents.set(tag, digest);
      const before = this.#last.get(path) ?? { time: -1, digest: "" };
      expect(Number.isInteger(time), tag).toBe(true);
      if (digest === before.digest) expect(time, path).toBeGreaterThanOrEqual(before.time);
      else expect(time, path).toBeGreaterThan(before.time);
      this.#last.set(path, { time, digest });
    }
  }
}

/** A folder with a source that has few contents, and a clock that jumps. */
class History {
  readonly folder = scratch();
  readonly dist = join(this.folder, "dist");
  readonly site = join(this.folder, "site");
  clock = Date.UTC(2026, 10, 21, 3, 40, 0, 700);
  readonly now = () => new Date(this.clock);
  #served = new Seen();
  readonly #published = new Seen();

  build(version: number, options: Partial<BuildOptions> = {}) {
    return build({ ...this.#source(version), dist: this.dist, keep: 3, ...options }, { now: this.now });
  }

  shard(version: number, options: Pick<ShardOptions, "parts" | "shard">) {
    return buildShard({ ...this.#source(version), dist: this.dist, ...options });
  }

  #source(version: number) {
    const file = join(this.folder, `${version}.sqlite`);
    const edit = `UPDATE users SET bio = 'v${version}' WHERE rowid % 3 = ${version % 3}`;
    const db = existsSync(file) ? file : writeUsers(file, plainRows(4 + (version % 2)), edit);
    return { db, baseUrl: "https://a.example", pageSize: 1, workers: 0 };
  }

  publish(release?: string, onProgress = () => {}) {
    return publish({ dist: this.dist, target: this.site, release }, { now: this.now, onProgress });
  }

  names(): string[] {
    const releases = join(this.dist, "releases");
    return existsSync(releases) ? readdirSync(releases) : [];
  }

  look(): void {
    this.#served.look(join(this.dist, "current/"));
    this.#published.look(this.site);
  }

  /** A dist on a new disk has no memory. */
  lose(): void {
    rmSync(this.dist, { recursive: true, force: true });
    this.#served = new Seen();
  }
}

type Step = (history: History, random: Random, name: string) => Promise<unknown>;

const STEPS: Record<string, Step> = {
  async build(history, random) {
    const compress = random.of([[], ["gzip"], ["br", "gzip"]] as const);
    await history.build(random.below(4), { compress, changes: random.below(2) * 2, keep: 1 + random.below(3) });
  },
  use: (history, _, name) => useRelease(history.dist, name, { now: history.now }),
  forget: ({ dist, now }, _, name) =>
    forgetReleases(dist, [name], { now, cwd: ".", onCleared: () => {}, confirm: async () => {} }),
  async delete({ dist }, _, name) {
    rmSync(join(dist, "releases", name), { recursive: true, force: true });
  },
  async lose(history, random) {
    if (random.chance(0.1)) history.lose();
  },
  publish: (history) => history.publish(),
  "publish another": (history, _, name) => history.publish(name),
  async clock(history, random) {
    history.clock += random.of([-3_600_000, -4000, 300, 1000, 2000, 7_200_000]);
  },
};
const NAMES = ["build", "build", "build", "use", "use", "publish another", ...Object.keys(STEPS)];

const NO_LINKS: Partial<typeof fs> = { linkSync: () => failing("EPERM") };
const OTHER_OWNER: Partial<typeof fs> = {
  lutimesSync: (path, ...times) => (`${path}`.includes("/releases/") ? failing("EPERM") : lutimesSync(path, ...times)),
};

/** Other file systems and owners, and a run that ends early. */
function hinder(random: Random): void {
  let calls = random.below(20);
  const endEarly = (...given: Parameters<typeof lutimesSync>) =>
    calls-- === 0 ? failing("EIO") : lutimesSync(...given);
  patch(random.of([{}, {}, NO_LINKS, OTHER_OWNER, { lutimesSync: endEarly }]));
}

test("times grow over random histories", async () => {
  for (let run = 0; run < draws(80); run++) {
    const random = seeded(SEED + run);
    const history = new History();
    const done: string[] = [];
    for (let at = 0; at < 25; at++) {
      const step = random.of(NAMES);
      hinder(random);
      const name = random.of(history.names()) ?? "none";
      const ended = await STEPS[step]?.(history, random, name).then(
        () => "done",
        (error: unknown) => {
          expect(error).toBeInstanceOf(UserError);
          return `${error}`;
        },
      );
      done.push(`${step} ${name}: ${ended}`);
      try {
        history.look();
      } catch (error) {
        throw new Error(`Seed ${SEED + run}:\n${done.join("\n")}`, { cause: error });
      }
    }
  }
});

const PAGES = "api/users/pages";
const timeOf = (...path: string[]) => statSync(join(...path)).mtimeMs / 1000;
const SECOND = Date.UTC(2026, 10, 21, 3, 40) / 1000;

test("a new file gets the build's time, and its compressed forms earlier ones", async () => {
  const history = new History();
  const { folder } = await history.build(0, { compress: ["br", "gzip"] });
  const names = ["1.json", "1.json.gz", "1.json.br"];
  expect(names.map((name) => timeOf(folder, PAGES, name) - SECOND)).toEqual([0, -1, -2]);
  expect(timeOf(folder, "SHA256SUMS")).toBe(SECOND);
  expect(readFileSync(join(folder, ".release"), "utf8")).toBe(`${basename(folder)}\n`);
});

test.each([true, false])("unchanged files keep their time, with hard links: %s", async (hasLinks) => {
  if (!hasLinks) patch(NO_LINKS);
  const history = new History();
  await history.build(0, { changes: 2 });
  const { folder: second } = await history.build(2, { changes: 2 });
  const [step = ""] = readdirSync(join(second, "changes"));
  history.clock -= 60_000;
  const { folder, linked } = await history.build(6, { changes: 2 });
  expect(linked > 0).toBe(hasLinks);
  expect(timeOf(folder, PAGES, "1.json")).toBe(SECOND);
  expect(timeOf(folder, "avatar.svg")).toBe(SECOND);
  expect(timeOf(folder, "changes", step)).toBe(SECOND + 2);
  expect(timeOf(folder, "snapshot.json")).toBe(SECOND + 6);
});

test("use gives changed files a new time, as a copy if another user owns them", async () => {
  const history = new History();
  const { name, folder } = await history.build(0);
  await history.build(2);
  const inode = () => statSync(join(folder, PAGES, "2.json")).ino;
  const before = inode();
  await useRelease(history.dist, name, { now: history.now });
  expect([timeOf(folder, PAGES, "1.json"), timeOf(folder, PAGES, "2.json")]).toEqual([SECOND, SECOND + 6]);
  expect(inode()).toBe(before);
  await useRelease(history.dist, "previous", { now: history.now });
  patch(OTHER_OWNER);
  await useRelease(history.dist, name, { now: history.now });
  expect([timeOf(folder, PAGES, "1.json"), timeOf(folder, PAGES, "2.json")]).toEqual([SECOND, SECOND + 12]);
  expect(inode()).not.toBe(before);
});

test("a file that replaces a damaged one of the same time gets a new time", async () => {
  patch(NO_LINKS);
  const history = new History();
  const { name, folder } = await history.build(0);
  const { folder: current } = await history.build(2);
  const page = join(current, PAGES, "1.json");
  writeFileSync(page, "damaged");
  lutimesSync(page, SECOND, SECOND);
  await useRelease(history.dist, name, { now: history.now });
  expect(timeOf(folder, PAGES, "1.json")).toBe(SECOND + 6);
});

test("pages that a join takes from parts get its time", async () => {
  const history = new History();
  const parts = join(history.folder, "parts");
  await history.build(0);
  for (const shard of ["0/2", "1/2"]) await history.shard(2, { parts, shard });
  const { folder } = await history.build(2, { join: parts });
  expect([1, 2, 3, 4].map((page) => timeOf(folder, PAGES, `${page}.json`) - SECOND)).toEqual([3, 3, 3, 3]);
});

test("a time that was served is not given again, also after the link was changed by hand", async () => {
  const history = new History();
  const { name } = await history.build(0);
  await history.build(2);
  const current = join(history.dist, "current");
  rmSync(current);
  symlinkSync(`releases/${name}`, current);
  const { folder } = await history.build(4);
  expect(timeOf(folder, "SHA256SUMS")).toBe(SECOND + 6);
});

test("a page that a killed run published does not come back with its time", async () => {
  const history = new History();
  const { name: older } = await history.build(5);
  const { name: old } = await history.build(1);
  await history.build(0);
  await history.publish();
  // New files, such as the fifth page, come first.
  await expect(history.publish(old, () => failing("EIO"))).rejects.toThrow("Cannot write");
  history.look();
  expect(timeOf(history.site, PAGES, "5.json")).toBe(SECOND + 9);
  await history.publish();
  await history.publish(older);
  history.look();
});

test("a time that cannot be stored, and a record of something else, are refused", async () => {
  const history = new History();
  const { name } = await history.build(0);
  await history.build(2);
  const record = join(history.dist, ".newest-time");
  patch({ lutimesSync: () => {} });
  await expect(history.build(4)).rejects.toThrow("cannot store the time 2026-11-21T03:40:06.000Z; set the clock");
  expect(readFileSync(record, "utf8")).toBe(`${SECOND + 3}\n`);
  writeFileSync(record, "soon");
  await expect(useRelease(history.dist, name)).rejects.toThrow(
    `${record} is not a time that Rollcall wrote; remove it`,
  );
});
