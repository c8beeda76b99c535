/** Builds and publishes that cannot write, or run beside another: what was current stays, and the message says what to do. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, publish } from "rollcall";
import { beforeEach, describe, expect, test } from "vitest";
import { findDamage, openRelease } from "../../src/core/release/open.js";
import { buildUsers, published } from "../publish/releases.js";
import { CLI, run, start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { needs } from "../support/needs.js";
import { until } from "../support/until.js";

const BASE_URL = "https://directory.example.com";
let folder: string;

beforeEach(() => {
  folder = scratch();
});

/** Runs a shell script as root in its own mount namespace, where it may mount. @returns its output. */
function inOwnMounts(script: string): string {
  const build = (db: string) =>
    `node "${CLI}" build --quiet --db "${folder}/${db}" --dist "${folder}/dist" --base-url ${BASE_URL} "$@"`;
  const prelude = `exec 2>&1; publish() { node "${CLI}" publish site --quiet "$@"; echo "code $?"; }; small() { ${build("small.sqlite")}; }; large() { ${build("large.sqlite")}; }; cd "${folder}";`;
  return execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", prelude + script], {
    encoding: "utf8",
  });
}

describe.runIf(needs("userns"))("on a file system of its own", () => {
  test("a build on a full disk says so, leaves current whole, and leaves nothing else", () => {
    writeUsers(join(folder, "small.sqlite"), plainRows(50));
    writeUsers(join(folder, "large.sqlite"), plainRows(5000));
    mkdirSync(join(folder, "dist"));
    const output = inOwnMounts(`
      mount -t tmpfs -o size=1m tmpfs dist
      small; echo "code $?"
      before=$(readlink dist/current)
      large --workers 2; echo "code $?"
      large --bulk --workers 0; echo "code $?"
      [ "$before" = "$(readlink dist/current)" ] && (cd dist/current && sha256sum --check --quiet SHA256SUMS) && echo whole
      ls -A dist dist/releases | grep -c -e staging -e trash
      small; echo "code $?"`);
    const full = `error: Cannot write ${folder}/dist: the disk is full; free some space, then run this again. The current release is unchanged.\ncode 1\n`;
    expect(output).toBe(`code 0\n${full}${full}whole\n0\ncode 0\n`);
  });

  test("a publish on a full disk says so; the release before stays announced and whole, and then it goes on", async () => {
    const small = await buildUsers(folder, 50);
    const large = await buildUsers(folder, 2000);
    mkdirSync(join(folder, "site"));
    const output = inOwnMounts(`
    mount -t tmpfs -o size=400k tmpfs site
    publish --release ${small.id}
    publish
    grep -o ${small.id} site/snapshot.json
    mount -o remount,size=8m site
    publish
    (cd site && sha256sum --check --quiet SHA256SUMS) && grep -o ${large.id} site/snapshot.json
    find site -name '.rollcall-new-*' | wc -l`);
    const full =
      "error: Cannot write site: the disk is full; free some space, then run this again: it goes on where it stopped.";
    expect(output).toBe(`code 0\n${full}\ncode 1\n${small.id}\ncode 0\n${large.id}\n0\n`);
  });

  test("on a read-only file system it says so, and what is current can still be read", () => {
    writeUsers(join(folder, "small.sqlite"), plainRows(50));
    mkdirSync(join(folder, "dist"));
    const output = inOwnMounts(`
    mount -t tmpfs tmpfs dist && mount -o remount,ro dist
    small; echo "code $?"
    node "${CLI}" build --db small.sqlite --dist dist/new/one --base-url ${BASE_URL}; echo "code $?"
    mount -o remount,rw dist; small; mount -o remount,ro dist
    small; echo "code $?"
    (cd dist; node "${CLI}" init; echo "code $?")
    node "${CLI}" use $(cat dist/current/snapshot.json | tr , '\\n' | sed -n 's/.*"id":"\\(.*\\)".*/\\1/p'); echo "code $?"
    (cd dist/current && sha256sum --check --quiet SHA256SUMS) && echo whole`);
    expect(output.match(/Cannot write .*: it is on a read-only file system; name another/g)).toHaveLength(4);
    expect(output.match(/Cannot write .* here \(EROFS\)\. Correct this, or run this in another folder/g)).toHaveLength(
      1,
    );
    expect(output.match(/code 1/g)).toHaveLength(5);
    expect(output).toContain("whole");
  });

  test("what cannot be removed after the switch, or was left, fails no build: each says so and goes on", () => {
    writeUsers(join(folder, "small.sqlite"), plainRows(50));
    writeUsers(join(folder, "large.sqlite"), plainRows(60));
    const output = inOwnMounts(`
    small; echo "code $?"
    old=$(readlink dist/current)
    mkdir dist/$old/busy dist/.trash-1 dist/.trash-1/busy
    mount -t tmpfs tmpfs dist/$old/busy && mount -t tmpfs tmpfs dist/.trash-1/busy
    large; echo "code $?"
    touch -d 2020-01-01 dist/$old
    node "${CLI}" build --quiet --keep 0 --db large.sqlite --dist dist --base-url ${BASE_URL} --page-size 7; echo "code $?"
    (cd dist/current && sha256sum --check --quiet SHA256SUMS) && grep -o '"page_size":7' dist/current/snapshot.json
    umount dist/.trash-*/busy
    small; echo "code $?"; ls -A dist | grep trash || echo tidy`);
    const told = output
      .replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{12}/g, "NAME")
      .replaceAll(/\((?:EBUSY: |Device or resource busy ).*\)/g, "(EBUSY)");
    const busy = (path: string) => `warning: ${path} could not be removed; the next build tries again (EBUSY).\n`;
    expect(told).toBe(
      `code 0\n${busy(`${folder}/dist/.trash-1`)}code 0\n${busy("dist/.trash-1")}${busy("dist/.trash-NAME")}code 0\n"page_size":7\ncode 0\ntidy\n`,
    );
  });
});

test.each([
  ["is a file", "file"],
  ["lies below a file", "file/dist"],
])("a folder to write to that %s", async (_, dist) => {
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(1));
  writeFileSync(join(folder, "file"), "");
  await expect(build({ db, dist: join(folder, dist), baseUrl: BASE_URL })).rejects.toThrow(
    /^Cannot write .*--dist, then run this again/,
  );
});

test("a second build at once is told at once who is at work; once that is killed, the next one clears up", async () => {
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(20_000));
  const dist = join(folder, "dist");
  const args = ["build", "--db", db, "--dist", dist, "--base-url", BASE_URL, "--page-size", "10", "--quiet"];
  const first = start(args);
  await until(() => existsSync(join(dist, ".staging/api/users/pages/5.json")));
  first.child.kill("SIGSTOP");

  // The first build waits until the test ends it.
  const second = await run(args);
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toMatch(
    new RegExp(
      `^error: ${dist} is being written by process ${first.child.pid} on \\S+ since \\S+Z; wait until it has ended, then run this again.\n$`,
    ),
  );

  first.child.kill("SIGKILL");
  expect((await first.ended).code).toBe("SIGKILL");
  expect(readdirSync(dist)).toContain(".staging");
  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(readdirSync(dist).sort()).toEqual([
    ".lock",
    ".lock-holder.json",
    ".newest-time",
    ".source-columns.json",
    "current",
    "releases",
  ]);
  expect(await findDamage(await openRelease(join(dist, "current")))).toBeUndefined();
});

test("two builds in one process do not mix either", async () => {
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(500));
  const options = { db, dist: join(folder, "dist"), baseUrl: BASE_URL, pageSize: 5 };
  const results = await Promise.allSettled([build(options), build(options)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(readlinkSync(join(folder, "dist/current"))).toMatch(/^releases\//);
});

test("of two publishes at one time the second is refused at once, unless they have different targets", async () => {
  const release = await buildUsers(folder, 500);
  const [dist, site] = [join(folder, "dist"), join(folder, "site")];
  const other = join(folder, "other");
  const runs = [site, `${folder}/x/../site`, other].map((target) => publish({ dist, target }));
  const [first, second, third] = await Promise.allSettled(runs);
  expect([first?.status, second?.status, third?.status].sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
  const refused = [first, second].find((run) => run?.status === "rejected");
  expect(String(refused?.reason)).toMatch(/site is being published to by process \d+ .*; wait until it has ended/);
  for (const target of [site, other]) expect(published(target)).toEqual(readTree(release.folder));
});
