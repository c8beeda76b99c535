/** Real runs killed at random moments while a reader looks: what it sees is always whole, and the next run finishes. */
import { existsSync, readdirSync, readFileSync, readlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { build, createServer, type Page } from "rollcall";
import { expect, onTestFinished, test } from "vitest";
import { findDamage, openRelease } from "../../src/release/open.js";
import { held } from "../mirror/filled.js";
import { buildUsers, published } from "../publish/releases.js";
import { run, start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { draws, seeded } from "../support/random.js";
import { now, pause } from "../support/time.js";

const KILLS = draws(100);
const baseUrl = "https://directory.example.com";

interface Killable {
  /** Prepares the next run. @returns its arguments. */
  advance(turn: number): Promise<readonly string[]>;
  /** What a reader sees; fails where that is not whole. */
  look(): Promise<unknown>;
  /** Fails unless the last run did all of its work, and left nothing else. */
  requireDone(turn: number): Promise<void>;
}

const KILLABLE: Record<string, () => Promise<Killable>> = {
  async build() {
    const folder = scratch();
    const db = writeUsers(join(folder, "users.sqlite"), plainRows(400));
    const dist = join(folder, "dist");
    const args = ["build", "--db", db, "--out", dist, "--base-url", baseUrl, "--page-size", "5", "--keep", "1"];
    const source = new Database(db);
    onTestFinished(() => void source.close());
    let last = 0;
    /** All users of the current release have one version, and versions only increase. */
    const look = async () => {
      const release = await openRelease(join(dist, "current"));
      expect(await findDamage(release)).toBeUndefined();
      const pages = Array.from({ length: release.snapshot.pages }, (_, at): Page => {
        return JSON.parse(readFileSync(join(release.folder, `api/users/pages/${at + 1}.json`), "utf8"));
      });
      const versions = pages.flatMap(({ results }) => results.map(({ referrals_count: version }) => version));
      expect(versions).toHaveLength(400);
      expect(new Set(versions).size).toBe(1);
      expect(versions[0]).toBeGreaterThanOrEqual(last);
      last = versions[0] ?? 0;
    };
    return {
      async advance(turn) {
        source.prepare("UPDATE users SET referrals_count = ?").run(turn);
        // Every old release is due for removal, so that kills happen there, too.
        const current = existsSync(join(dist, "current")) ? readlinkSync(join(dist, "current")) : "";
        for (const name of existsSync(dist) ? readdirSync(join(dist, "releases")) : [])
          if (!current.endsWith(name)) utimesSync(join(dist, "releases", name), 0, 0);
        return [...args, "--bulk", "--lookup", "--quiet", "--workers", `${2 * (turn % 2)}`];
      },
      look,
      async requireDone(turn) {
        await look();
        expect(last).toBe(turn);
        const usual = [".lock", ".lock-holder.json", ".previous", ".readers", "current", "releases"];
        expect(usual).toEqual(expect.arrayContaining(readdirSync(dist)));
        for (const name of readdirSync(join(dist, "releases"))) await openRelease(join(dist, "releases", name));
      },
    };
  },

  async publish() {
    const folder = scratch();
    const site = join(folder, "site");
    const rows = plainRows(400);
    // Each differs from the one before in the number of pages and in the bytes of all.
    const releases = [
      await buildUsers(folder, rows, { pageSize: 2, keep: 9 }),
      await buildUsers(folder, rows, { pageSize: 5, keep: 9, encodings: ["gzip"] }),
      await buildUsers(folder, rows.slice(200), { pageSize: 2, keep: 9 }),
    ];
    const snapshot = (): { id: string; pages: number } => JSON.parse(readFileSync(join(site, "snapshot.json"), "utf8"));
    return {
      async advance(turn) {
        const { id = "" } = releases[turn % releases.length] ?? {};
        return ["publish", site, join(folder, "dist"), "--release", id, "--quiet"];
      },
      async look() {
        const { id, pages } = snapshot();
        const missing: number[] = [];
        for (let page = 1; page <= pages; page++) {
          const file = join(site, `api/users/pages/${page}.json`);
          if (!existsSync(file)) missing.push(page);
        }
        // Pages go once another release is announced.
        if (snapshot().id === id) expect(missing).toEqual([]);
      },
      async requireDone(turn) {
        expect(published(site)).toEqual(readTree(releases[turn % releases.length]?.folder ?? ""));
      },
    };
  },

  async mirror() {
    const folder = scratch();
    const db = writeUsers(join(folder, "source.sqlite"), plainRows(900));
    const [dist, file] = [join(folder, "dist"), join(folder, "mirror.sqlite")];
    const publish = () => build({ db, dist, baseUrl, changes: 2, workers: 0, keep: 0 });
    await publish();
    const host = await createServer({ folder: dist });
    onTestFinished(() => host.close());
    const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
    const source = new Database(db);
    onTestFinished(() => void source.close());
    return {
      async advance(turn) {
        // Mostly by steps; every fifth time the mirror is too far behind, and everything is read.
        for (let times = turn % 5 === 0 ? 3 : 1; times > 0; times--) {
          source.prepare("UPDATE users SET bio = ? WHERE rowid % 3 = ?").run(`${turn} ${times}`, turn % 3);
          await publish();
        }
        await host.reload();
        return ["mirror", url, file, "--quiet"];
      },
      look: async () => existsSync(file) && held(file),
      async requireDone() {
        expect(held(file)).toBe(JSON.parse(readFileSync(join(dist, "current/snapshot.json"), "utf8")).state);
        expect(readdirSync(folder).filter((name) => name.startsWith("mirror.sqlite.rollcall"))).toEqual([]);
      },
    };
  },
};

test.each(Object.entries(KILLABLE))(
  `%s, after each of ${KILLS} kills and at moments between`,
  {
    timeout: 3_600_000,
  },
  async (_, prepare) => {
    const { advance, look, requireDone } = await prepare();
    const done = async (turn: number) => {
      expect(await run(await advance(turn))).toEqual({ code: 0, stdout: "", stderr: "" });
      await requireDone(turn);
    };
    await done(0);
    const began = now();
    await done(1);
    let whole = now() - began;

    const random = seeded();
    const codes = new Map<number | string, number>();
    for (let turn = 2; turn < KILLS + 2; turn++) {
      const { child, ended } = start(await advance(turn));
      let isOver = false;
      const over = ended.finally(() => {
        isOver = true;
      });
      void Promise.race([pause(whole * (0.2 + random.next() * 0.95)), over]).then(() => child.kill("SIGKILL"));
      while (!isOver) {
        await look();
        await pause(1);
      }
      const { code, stderr } = await ended;
      expect(stderr).toBe("");
      codes.set(code, (codes.get(code) ?? 0) + 1);
      // The speed of a run changes with the load of the machine: two of five are to be done before the kill.
      whole *= code === 0 ? 0.91 : 1.06;
      await look();
      if (turn % 10 === 0) await done(turn);
    }
    await done(KILLS + 2);
    expect([...codes.keys()].sort()).toEqual([0, "SIGKILL"]);
    expect(codes.get("SIGKILL")).toBeGreaterThan(KILLS / 4);
  },
);
