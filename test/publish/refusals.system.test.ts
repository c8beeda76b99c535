/** A folder that cannot be written, or that another run is at work on: one line that says so, and the next run finishes. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { publish } from "../../src/index.js";
import { CLI } from "../support/command.js";
import { readTree, scratch } from "../support/files.js";
import { buildUsers, published } from "./releases.js";

let folder: string;
let site: string;

beforeEach(() => {
  folder = scratch();
  site = join(folder, "site");
});

/** Runs a shell script as root of its own mount namespace, where it may mount; what it prints. */
function inOwnMounts(script: string): string {
  const prelude = `exec 2>&1; cd "${folder}"; publish() { node "${CLI}" publish site --quiet "$@"; echo "code $?"; };`;
  return execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", prelude + script], {
    encoding: "utf8",
  });
}

test("on a full disk it says so; the release before stays announced and whole, and then it goes on", async () => {
  const small = await buildUsers(folder, 50);
  const large = await buildUsers(folder, 2000);
  mkdirSync(site);
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

test("on a read-only file system it says so", async () => {
  await buildUsers(folder, 5);
  mkdirSync(site);
  const output = inOwnMounts("mount -t tmpfs tmpfs site && mount -o remount,ro site && publish");
  expect(output).toMatch(/^error: Cannot write site: it is on a read-only file system; .*\ncode 1\n$/);
});

test("of two runs at one time the second is refused at once, unless they have different targets", async () => {
  const release = await buildUsers(folder, 500);
  const dist = join(folder, "dist");
  const other = join(folder, "other");
  const runs = [site, `${folder}/x/../site`, other].map((target) => publish({ dist, target }));
  const [first, second, third] = await Promise.allSettled(runs);
  expect([first?.status, second?.status, third?.status].sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
  const refused = [first, second].find((run) => run?.status === "rejected");
  expect(String(refused?.reason)).toMatch(/site is being written by process \d+ .*; wait until it has ended/);
  for (const target of [site, other]) expect(published(target)).toEqual(readTree(release.folder));
});
