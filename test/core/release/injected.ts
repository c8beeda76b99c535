/** Runs the real command with one failing or fatal system call, and checks the state afterwards. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build, buildShard, createServer, mirror, publish } from "rollcall";
import { expect, onTestFinished } from "vitest";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { held } from "../../mirror/filled.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { checkSums, scratch } from "../../support/files.js";
import { buildShop } from "../../support/small-shop.js";
import { type Call, type Fault, listCalls, runWith } from "../../support/strace.js";

/** A prepared folder, the run that changes it, and the state that others see of it. */
interface Scenario {
  args: readonly string[];
  /** Fails unless the visible state is consistent. */
  state(): Promise<string>;
  /** After an error, the state must be the one before, unless it may also be a later one. */
  isAtomic: boolean;
  /** A complete run after the failed one. */
  next(): Promise<unknown>;
  /** Fails if anything is left of an interrupted run. */
  requireTidy?(): void;
}

const KEY = new URL("../../build/signature/test.key", import.meta.url).pathname;
const SIGNED = { bulk: true, lookup: true, explorer: true, changes: 3, compress: ["gzip"], signKey: KEY } as const;
const FLAGS = ["--bulk", "--lookup", "--explorer", "--changes=3", "--compress=gzip", `--sign-key=${KEY}`];
const baseUrl = "https://a.example";
function optionsIn(folder: string): BuildOptions {
  const places = { db: join(folder, "users.sqlite"), dist: join(folder, "dist") };
  return { ...places, ...SIGNED, baseUrl, pageSize: 5, keep: 1, workers: 0 };
}

function flagsIn(folder: string, workers = 0): string[] {
  const { db, dist, pageSize, keep } = optionsIn(folder);
  const given = Object.entries({ db, dist, "base-url": baseUrl, "page-size": pageSize, keep, workers });
  return [...given.map(([name, value]) => `--${name}=${value}`), ...FLAGS, "--quiet"];
}

/** Each version has other users on one page; the first has two pages more. */
function writeVersion(folder: string, version: number): void {
  const db = join(folder, "users.sqlite");
  rmSync(db, { force: true });
  const edit = `UPDATE users SET bio = 'version ${version}' WHERE rowid % 7 = 0`;
  writeUsers(db, plainRows(version === 1 ? 32 : 25), edit);
}

async function buildVersion(folder: string, version: number, more: Partial<BuildOptions> = {}) {
  writeVersion(folder, version);
  const now = () => new Date(Date.UTC(2026, 0, version));
  return build({ ...optionsIn(folder), keep: 5, ...more }, { now });
}

/** Three releases, the last one current, the first one due for removal; a build and a removal that were killed. */
async function prepareDist(folder: string): Promise<void> {
  for (const version of [1, 2, 3]) {
    const { folder: release } = await buildVersion(folder, version);
    if (version === 1) {
      await publish({ dist: join(folder, "dist"), target: join(folder, "site") });
      utimesSync(release, 0, 0);
    }
  }
  for (const left of [".staging", ".trash-1"]) {
    mkdirSync(join(folder, "dist", left));
    writeFileSync(join(folder, "dist", left, "file"), "");
  }
}

/** Every named release is intact. */
async function distState(folder: string): Promise<string> {
  const dist = join(folder, "dist");
  for (const name of readdirSync(join(dist, "releases"))) checkSums(join(dist, "releases", name));
  return existsSync(join(dist, "current")) ? readlinkSync(join(dist, "current")).replace(/.*-/, "") : "none";
}

function requireTidyDist(folder: string): void {
  const usual = [
    ".lock",
    ".lock-holder.json",
    ".newest-time",
    ".previous",
    ".readers",
    ".source-columns.json",
    "current",
    "releases",
  ];
  expect(usual).toEqual(expect.arrayContaining(readdirSync(join(folder, "dist"))));
}

async function prepareBuild(folder: string, version: number): Promise<Scenario> {
  await prepareDist(folder);
  writeVersion(folder, version);
  return {
    // By one thread, whose calls always come in the same order.
    args: ["build", ...flagsIn(folder, 1)],
    state: () => distState(folder),
    isAtomic: true,
    next: () => build(optionsIn(folder)),
    requireTidy: () => requireTidyDist(folder),
  };
}

function sumsOf(release: string): Map<string, string> {
  const lines = readFileSync(join(release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** A complete folder equals the release; before, everything that is announced exists, of this release or the next. */
async function siteState(folder: string): Promise<string> {
  const site = join(folder, "site");
  const { release, complete } = JSON.parse(readFileSync(join(site, ".rollcall-published.json"), "utf8"));
  if (complete) {
    checkSums(site);
    return release;
  }
  const all = readdirSync(join(folder, "dist/releases")).map((name) => sumsOf(join(folder, "dist/releases", name)));
  const snapshot = sha256(readFileSync(join(site, "snapshot.json")));
  const announced = all.find((sums) => sums.get("snapshot.json") === snapshot);
  for (const path of announced?.keys() ?? []) {
    const digests = all.map((sums) => sums.get(path));
    expect(digests, path).toContain(sha256(readFileSync(join(site, path))));
  }
  return "on its way";
}

function makeShard(folder: string, number: number) {
  return buildShard({ ...optionsIn(folder), parts: join(folder, "parts"), shard: `${number}/3` });
}

async function prepareParts(folder: string) {
  const parts = join(folder, "parts");
  await buildVersion(folder, 1);
  writeVersion(folder, 2);
  const options = optionsIn(folder);
  for (const number of [0, 1, 2]) await makeShard(folder, number);
  return { parts, options };
}

/** A host of a listing or a site, and a mirror of the version before it, if there is one. */
async function prepareMirror(folder: string, versions: readonly ((folder: string) => Promise<unknown>)[]) {
  const served = scratch();
  const file = join(folder, "mirror.sqlite");
  let host: Awaited<ReturnType<typeof createServer>> | undefined;
  let url = "";
  for (const publishVersion of versions) {
    if (host) await mirror({ url, file });
    await publishVersion(served);
    await host?.reload();
    if (host) continue;
    host = await createServer({ dist: join(served, "dist") });
    onTestFinished(() => host?.close());
    ({ url } = await host.listen({ port: 0, host: "127.0.0.1" }));
  }
  const scenario: Scenario = {
    args: ["mirror", url, file, "--quiet"],
    state: async () => (existsSync(file) && held(file)) || "none",
    isAtomic: true,
    next: () => mirror({ url, file }),
  };
  return scenario;
}

const VERSIONS = [1, 2].map((version) => (folder: string) => buildVersion(folder, version));

const SHOP_VERSIONS = [
  { customers: 5, orders: 25, countries: 3 },
  { customers: 6, orders: 20 },
].map((shop) => (folder: string) => buildShop(folder, shop, { changes: 2, workers: 0 }));

export const SCENARIOS: Record<string, (folder: string) => Promise<Scenario>> = {
  build: (folder) => prepareBuild(folder, 4),
  async publish(folder) {
    await prepareDist(folder);
    const [dist, target] = [join(folder, "dist"), join(folder, "site")];
    return {
      args: ["publish", target, dist, "--quiet"],
      state: () => siteState(folder),
      isAtomic: false,
      next: () => publish({ dist, target }),
      requireTidy() {
        const names = readdirSync(target, { recursive: true, encoding: "utf8" });
        expect(names.filter((name) => name.includes(".rollcall-new"))).toEqual([]);
      },
    };
  },
  mirror: (folder) => prepareMirror(folder, VERSIONS),
  "first mirror": (folder) => prepareMirror(folder, VERSIONS.slice(0, 1)),
  "mirror of a site": (folder) => prepareMirror(folder, SHOP_VERSIONS),
  async shard(folder) {
    const { parts, options } = await prepareParts(folder);
    const one = await build({ ...options, dist: scratch() });
    const [damaged = ""] = readdirSync(parts).filter((name) => name.startsWith("1-"));
    rmSync(join(parts, damaged, "records.sha256.pieces"));
    return {
      args: ["build", ...flagsIn(folder), "--shard=1/3", `--parts=${parts}`],
      async state() {
        const joined = await build({ ...options, dist: scratch(), join: parts }).catch((error: Error) => error.message);
        if (typeof joined !== "string") expect(joined.id).toBe(one.id);
        return typeof joined === "string" ? "not whole" : "whole";
      },
      isAtomic: false,
      next: () => makeShard(folder, 1),
    };
  },
  async join(folder) {
    const { parts, options } = await prepareParts(folder);
    return {
      args: ["build", ...flagsIn(folder), `--join=${parts}`],
      state: () => distState(folder),
      isAtomic: true,
      next: () => build({ ...options, join: parts }),
      requireTidy: () => requireTidyDist(folder),
    };
  },
};

/** Runs a scenario with each of the chosen faults. @returns the number of failed calls. */
export async function inject(
  prepare: (folder: string) => Promise<Scenario>,
  choose: (calls: readonly Call[]) => readonly (readonly [Fault, Call])[],
): Promise<number> {
  const [template, folder] = [join(scratch(), "template"), join(scratch(), "work")];
  mkdirSync(folder);
  const { args, state, isAtomic, next, requireTidy } = await prepare(folder);
  execFileSync("cp", ["-a", folder, template]);
  const before = await state();
  const [whole, calls] = await listCalls(args, folder);
  expect(whole).toEqual({ code: 0, stdout: "", stderr: "" });
  const after = await state();
  expect(after).not.toBe(before);

  const chosen = choose(calls);
  let hits = 0;
  for (const [fault, call] of chosen) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync("cp", ["-a", template, folder]);
    const { isHit, ...ended } = await runWith(fault, call, args, folder);
    hits += Number(isHit);
    const about = `${fault} at ${call.when} ${call.text}: ${JSON.stringify(ended)}`;
    try {
      const now = await state();
      if (isAtomic) expect([before, after]).toContain(now);
      if (ended.code !== "SIGKILL") {
        expect([0, 1, 2]).toContain(ended.code);
        if (ended.code === 0 || isAtomic) expect(now === after).toBe(ended.code === 0);
        expect(ended.stderr).toMatch(ended.code === 0 ? /^(warning: .*\n)*$/ : /^error: .*\n$/);
        expect(ended.stderr).not.toMatch(/Bug|undefined|\n +at /);
      }
      await next();
      expect(await state()).toBe(after);
      requireTidy?.();
    } catch (error) {
      throw new Error(about, { cause: error });
    }
  }
  return hits;
}
