/** A dist that several real users write, in one group or in none. */
import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readlinkSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { findDamage } from "../../../src/core/release/open.js";
import { openRelease } from "../../../src/index.js";
import { CLI, type Ended, whenEnded } from "../../support/command.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { isMissing } from "../../support/installed.js";
import { until } from "../../support/until.js";

const GROUP = 60_000;
const [ANN, BEN] = [60_001, 60_002];
const isRoot = process.getuid?.() === 0;

/** A dist of Ann's with these permissions, a source that all may read, and the command as one of the group runs it. */
function shared({ mode, users = 20 }: { mode: number; users?: number }) {
  const folder = scratch();
  chmodSync(folder, 0o755);
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(users));
  const dist = join(folder, "dist");
  mkdirSync(dist);
  chownSync(dist, ANN, GROUP);
  chmodSync(dist, mode);
  const start = (user: number, args: readonly string[], umask = "022") => {
    const command = `umask ${umask}; exec "$0" "$@"`;
    const identity = [`--reuid=${user}`, `--regid=${user}`, `--groups=${GROUP}`];
    const child = spawn("setpriv", [...identity, "sh", "-c", command, process.execPath, CLI, ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { child, ended: whenEnded(child) };
  };
  const buildArgs = ["build", "--db", db, "--base-url", "https://a.example", "--page-size", "5", "--quiet"];
  return {
    folder,
    dist,
    start,
    run: (user: number, args: readonly string[]): Promise<Ended> => start(user, args).ended,
    buildArgs,
    edit(version: number) {
      const source = new Database(db);
      source.prepare("UPDATE users SET referrals_count = ?").run(version);
      source.close();
    },
    releases: () => readdirSync(join(dist, "releases")),
    current: () => readlinkSync(join(dist, "current")),
  };
}

/** The content of a dist without a running command. */
const TIDY = [".lock", ".lock-holder.json", ".newest-time", ".previous", ".source-columns.json", "current", "releases"];
const DONE = { code: 0, stdout: "", stderr: "" };

describe.skipIf(!isRoot || isMissing("setpriv"))(
  "as other users (needs root and setpriv)",
  {
    timeout: 300_000,
  },
  () => {
    test("members of a group build, switch, go back and prune in turn", async () => {
      const { dist, run, edit, releases, current, buildArgs } = shared({ mode: 0o2775 });
      let before = "";
      for (const [version, user] of [ANN, BEN, ANN, BEN].entries()) {
        edit(version);
        if (version > 0) before = current();
        expect(await run(user, buildArgs)).toEqual(DONE);
        expect(await findDamage(await openRelease(join(dist, "current")))).toBeUndefined();
      }
      expect(await run(BEN, ["use", "previous", "--quiet"])).toEqual(DONE);
      expect(current()).toBe(before);

      edit(9);
      for (const name of releases()) utimesSync(join(dist, "releases", name), 0, 0);
      expect(await run(BEN, [...buildArgs, "--keep", "0"])).toEqual(DONE);
      // The release that was just current, which is Ann's, stays for a minute.
      expect(new Set(releases())).toEqual(new Set([before, current()].map((link) => basename(link))));
      expect(readdirSync(dist).sort()).toEqual([...TIDY, ".readers"].sort());
      expect(statSync(join(dist, ".lock"))).toMatchObject({ uid: ANN, mode: 0o100664 });
    });

    test.each(["022", "077"])("refuses the second of two members at once, with umask %s", async (umask) => {
      const { dist, start, run, buildArgs } = shared({ mode: 0o2775, users: 2000 });
      const first = start(ANN, buildArgs, umask);
      await until(() => existsSync(join(dist, ".staging/api/users/pages/5.json")));
      first.child.kill("SIGSTOP");
      const who = umask === "022" ? `process ${first.child.pid} on \\S+ since \\S+Z` : "another process";
      expect(await run(BEN, buildArgs)).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`^error: dist is being written by ${who}; wait until`)),
      });
      first.child.kill("SIGKILL");
      await first.ended;
      // Files that she has left belong to her, and block no other user.
      expect(await run(BEN, buildArgs)).toEqual(DONE);
      expect(readdirSync(dist).sort()).toEqual(TIDY.filter((name) => name !== ".previous"));
    });

    test("if the lock belongs to another user, writes nothing and names the owner", async () => {
      const { dist, run, edit, current, buildArgs } = shared({ mode: 0o2775 });
      for (const version of [1, 2]) {
        edit(version);
        expect(await run(ANN, buildArgs)).toEqual(DONE);
      }
      chmodSync(join(dist, ".lock"), 0o644);
      const before = [current(), readTree(dist)];
      edit(3);
      for (const args of [buildArgs, ["use", "previous"]]) {
        const { code, stderr } = await run(BEN, args);
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining(`dist/.lock belongs to user ${ANN}, and user ${BEN}`),
        ]);
      }
      expect([current(), readTree(dist)]).toEqual(before);
    });
  },
);
