/**
 * One call to the system after the other goes wrong, or is the last one: whatever is said agrees with what is on the
 * disk, and the next run works. Some of them, drawn anew each time; all with ROLLCALL_TEST_FAULTS=all.
 */
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
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/index.js";
import { findDamage } from "../../src/release/open.js";
import { type Ended, run } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { describeWith } from "../support/installed.js";
import { draws, seeded } from "../support/random.js";
import { type Call, type Fault, listCalls, runWith } from "../support/strace.js";

const DRAWN = draws(3);
const FAULTS: readonly Fault[] = ["error=EIO", "error=EACCES", "signal=SIGKILL"];

/** A run, and what readers see of the folder that it is to change. */
interface Scenario {
  args(folder: string): readonly string[];
  /** Makes the folder that each run begins with. */
  prepare(folder: string): Promise<void>;
  /** Fails where something is there that is not whole. */
  state(folder: string): Promise<string>;
  /** Goes from one state to the next at one moment; otherwise there may be others between them, until it is run again. */
  isAtomic: boolean;
  /** What has to be done in one go once it is through. */
  next?(folder: string): readonly string[];
  /** The paths of the calls of which some go wrong; all unless given. */
  about?: RegExp;
  /** Fails unless the folder has nothing of a run that was broken off. */
  requireTidy?(folder: string): void;
}

function buildArgs(folder: string, keep = 1): string[] {
  const options = {
    db: join(folder, "users.sqlite"),
    out: join(folder, "dist"),
    "base-url": "https://a.example",
  };
  const given = Object.entries({ ...options, "page-size": 5, keep }).map(([name, value]) => `--${name}=${value}`);
  return ["build", "--quiet", ...given];
}

async function requireDone(args: readonly string[], cwd: string): Promise<void> {
  expect(await run(args, { cwd })).toEqual({ code: 0, stdout: "", stderr: "" });
}

/** The first of `users` users has a bio of this version. */
function setVersion(folder: string, version: number, users: number): void {
  rmSync(join(folder, "users.sqlite"), { force: true });
  writeUsers(join(folder, "users.sqlite"), plainRows(users));
  const source = new Database(join(folder, "users.sqlite"));
  source.prepare("UPDATE users SET bio = ? WHERE rowid = 1").run(`version ${version}`);
  source.close();
}

function publishArgs(folder: string): string[] {
  return ["publish", join(folder, "site"), join(folder, "dist"), "--quiet"];
}

/** With it, a release has steps from those before. */
const CHANGES = "--changes=3";

/** Three releases, the last one current, the first one published; a build and a removal that were killed. */
async function prepareDist(folder: string, ...more: string[]): Promise<void> {
  for (const version of [1, 2, 3]) {
    setVersion(folder, version, version === 1 ? 32 : 25);
    await requireDone([...buildArgs(folder, 5), ...more], folder);
    if (version === 1) await requireDone(publishArgs(folder), folder);
  }
  for (const name of readdirSync(join(folder, "dist/releases")).slice(0, 1))
    utimesSync(join(folder, "dist/releases", name), 0, 0);
  for (const left of [".staging", ".trash-1"]) {
    mkdirSync(join(folder, "dist", left));
    writeFileSync(join(folder, "dist", left, "file"), "");
  }
}

async function currentState(folder: string): Promise<string> {
  const release = await openRelease(join(folder, "dist/current"));
  expect(await findDamage(release)).toBeUndefined();
  return readlinkSync(join(folder, "dist/current")).replace(/.*-/, "");
}

/** What a folder that was published to says of itself; once that is complete, it has to be the whole release. */
async function siteState(folder: string): Promise<string> {
  const { release, complete } = JSON.parse(readFileSync(join(folder, "site/.rollcall-published.json"), "utf8"));
  if (!complete) return "on its way";
  expect(await findDamage(await openRelease(join(folder, "site")))).toBeUndefined();
  return release;
}

const SAMPLE = readFileSync("data/users.sqlite");

async function initState(folder: string): Promise<string> {
  const [config, sample] = ["rollcall.config.json", "data/users.sqlite"].map((name) => join(folder, name));
  if (existsSync(sample ?? "")) expect(readFileSync(sample ?? "").equals(SAMPLE)).toBe(true);
  if (!existsSync(config ?? "")) return "nothing yet";
  return JSON.parse(readFileSync(config ?? "", "utf8")).db;
}

const SCENARIOS: Record<string, Scenario> = {
  build: {
    args: (folder) => buildArgs(folder),
    async prepare(folder) {
      await prepareDist(folder);
      setVersion(folder, 4, 25);
    },
    state: currentState,
    isAtomic: true,
    next: (folder) => buildArgs(folder),
    requireTidy(folder) {
      const names = readdirSync(join(folder, "dist")).sort();
      expect(names).toEqual([...[".lock", ".lock-holder.json", ".origin.json", ".published", "current", "releases"]]);
    },
  },
  "build with steps": {
    args: (folder) => [...buildArgs(folder), CHANGES],
    async prepare(folder) {
      await prepareDist(folder, CHANGES);
      setVersion(folder, 4, 25);
    },
    async state(folder) {
      const { steps } = JSON.parse(readFileSync(join(folder, "dist/current/changes.json"), "utf8"));
      return `${await currentState(folder)}, ${steps.length} steps`;
    },
    about: /changes/,
    isAtomic: true,
    next: (folder) => [...buildArgs(folder), CHANGES],
  },
  "build of what an older release has": {
    args: (folder) => buildArgs(folder),
    async prepare(folder) {
      await prepareDist(folder);
      setVersion(folder, 2, 25);
    },
    state: currentState,
    isAtomic: true,
    next: (folder) => buildArgs(folder),
  },
  use: {
    args: (folder) => ["use", "previous", join(folder, "dist"), "--quiet"],
    prepare: (folder) => prepareDist(folder),
    state: currentState,
    isAtomic: true,
    next: (folder) => buildArgs(folder),
  },
  publish: {
    args: publishArgs,
    prepare: (folder) => prepareDist(folder),
    state: siteState,
    isAtomic: false,
    next: publishArgs,
  },
  init: {
    args: () => ["init", "--quiet"],
    prepare: async () => {},
    state: initState,
    isAtomic: true,
  },
};

describeWith("strace", "calls that go wrong", () => {
  describe.each(Object.entries(SCENARIOS))("%s", (_name, scenario) => {
    test.each(FAULTS)("%s", { timeout: 3_600_000 }, async (fault) => {
      const [template, folder] = [join(scratch(), "template"), join(scratch(), "work")];
      mkdirSync(folder);
      await scenario.prepare(folder);
      execFileSync("cp", ["-a", folder, template]);
      const args = scenario.args(folder);
      const before = await scenario.state(folder);
      const [whole, all] = await listCalls(args, folder);
      const calls = all.filter(({ path }) => scenario.about?.test(path) ?? true);
      expect(calls.length).toBeGreaterThan(DRAWN);
      expect(whole).toEqual({ code: 0, stdout: "", stderr: "" });
      const after = await scenario.state(folder);
      expect(after).not.toBe(before);

      let hits = 0;
      const drawn = draw(calls);
      for (const call of drawn) {
        rmSync(folder, { recursive: true, force: true });
        execFileSync("cp", ["-a", template, folder]);
        const ended = await runWith(fault, call, args, folder);
        hits += Number(ended.isHit);
        const about = `${fault} at ${call.when} ${call.text}: ${JSON.stringify(ended)}`;
        const state = await scenario.state(folder);
        if (scenario.isAtomic) expect([before, after], about).toContain(state);
        requireTruth(ended, { isThrough: state === after, isAtomic: scenario.isAtomic }, about);

        const next = state === after ? scenario.next?.(folder) : args;
        if (next) expect(await run(next, { cwd: folder }), about).toEqual({ code: 0, stdout: "", stderr: "" });
        expect(await scenario.state(folder), about).toBeDefined();
        if (state !== after) expect(await scenario.state(folder), about).toBe(after);
        scenario.requireTidy?.(folder);
      }
      process.stdout.write(`${hits} of ${drawn.length} calls went wrong.\n`);
    });
  });
});

/** Fails unless the exit code and the words say what has become of it. */
function requireTruth(
  { code, stderr }: Ended,
  { isThrough, isAtomic }: { isThrough: boolean; isAtomic: boolean },
  about: string,
): void {
  if (code === "SIGKILL") return;
  expect([0, 1, 2], about).toContain(code);
  if (code === 0 || isAtomic) expect(isThrough, about).toBe(code === 0);
  expect(stderr, about).toMatch(code === 0 ? /^(warning: .*\n)*$/ : /^error: .*\n$/);
  expect(stderr, about).not.toMatch(/Bug|undefined|\n +at /);
}

/** Some of the calls; all of them where ROLLCALL_TEST_FAULTS says so. */
function draw(calls: readonly Call[]): Call[] {
  if (process.env["ROLLCALL_TEST_FAULTS"] === "all") return [...calls];
  const random = seeded();
  return Array.from({ length: DRAWN }, () => random.of(calls));
}
