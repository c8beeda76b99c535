/** What hosts that were killed leave in the folder for temporary files. */
import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createListingServer } from "../../src/server/server.js";
import { makeScratch, removeScratch } from "../../src/sides/scratch.js";
import { scratch } from "../support/files.js";
import { startFleet } from "./cluster.js";
import { publish } from "./release.js";
import { ask } from "./running.js";

let temporary: string;
beforeEach(() => {
  temporary = scratch();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Without the folders of the tests themselves. */
const left = () =>
  readdirSync(temporary)
    .filter((name) => !name.startsWith("rollcall-test-"))
    .sort();

/** A host of as many processes that has been killed, all of them at once; what it has left is what is new. */
async function killed(dist: string, workers: number): Promise<string[]> {
  const before = left();
  const { child, ended, pids } = await startFleet(dist, "--processes", `${workers}`);
  for (const pid of [...pids(), child.pid ?? 0]) process.kill(pid, "SIGKILL");
  await ended;
  const found = left().filter((name) => !before.includes(name));
  expect(found).toHaveLength(workers);
  return found;
}

/** Makes an abandoned folder elsewhere, where the next host does not find it. */
async function abandon(dist: string, path: string): Promise<void> {
  const [name = ""] = await killed(dist, 1);
  renameSync(join(temporary, name), path);
}

test.each([1, 2])("what a host of %i that was killed has left goes with the next one", async (workers) => {
  const dist = scratch();
  await publish(dist);
  await killed(dist, workers);
  const host = await createListingServer({ folder: dist });
  expect(left(), "its own").toHaveLength(1);
  await host.close();
  expect(left()).toEqual([]);
});

test("what a killed process of several has left goes with the one that replaces it", async () => {
  const dist = scratch();
  await publish(dist);
  const { pids } = await startFleet(dist, "--processes", "2");
  const before = left();
  process.kill(pids()[0] ?? 0, "SIGKILL");
  await vi.waitFor(
    () => {
      expect(left()).toHaveLength(2);
      expect(left()).not.toEqual(before);
    },
    { timeout: 20_000 },
  );
});

test("what is in use by another process stays, and answers", async () => {
  const dist = scratch();
  await publish(dist);
  const { port, child, ended } = await startFleet(dist, "--processes", "2");
  const used = left();
  expect(used).toHaveLength(2);
  const compared = await makeScratch();
  const host = await createListingServer({ folder: dist });
  await host.close();
  expect(left()).toEqual([...used, compared.slice(temporary.length + 1)].sort());
  expect((await ask(port, "/snapshot.json")).status).toBe(200);
  removeScratch(compared);
  child.kill("SIGTERM");
  await ended;
  expect(left()).toEqual([]);
});

test("what a diff that was killed has left goes too, also where it was going already", async () => {
  const dist = scratch();
  await publish(dist);
  const names = ["rollcall-diff-abcdef", "rollcall-diff-abcdef-gone"];
  const aside = scratch();
  for (const name of names) await abandon(dist, join(aside, name));
  for (const name of names) {
    renameSync(join(aside, name), join(temporary, name));
    writeFileSync(join(temporary, name, "large.sqlite"), "");
  }
  expect(left()).toHaveLength(2);
  removeScratch(await makeScratch());
  expect(left()).toEqual([]);
});

test("what is not surely an abandoned folder of this user stays", async () => {
  const dist = scratch();
  await publish(dist);
  const elsewhere = scratch();
  await abandon(dist, join(elsewhere, "linked"));
  await abandon(dist, join(elsewhere, "open"));
  await abandon(dist, join(elsewhere, "another's"));
  await abandon(dist, join(elsewhere, "longer"));
  await abandon(dist, join(elsewhere, "other"));
  symlinkSync(join(elsewhere, "linked"), join(temporary, "rollcall-serve-linked"));
  renameSync(join(elsewhere, "longer"), join(temporary, "rollcall-serve-abcdefg"));
  renameSync(join(elsewhere, "other"), join(temporary, "rollcall-other-abcdef"));
  renameSync(join(elsewhere, "open"), join(temporary, "rollcall-serve-public"));
  chmodSync(join(temporary, "rollcall-serve-public"), 0o755);
  if (process.getuid?.() === 0) {
    renameSync(join(elsewhere, "another's"), join(temporary, "rollcall-serve-others"));
    chownSync(join(temporary, "rollcall-serve-others"), 65_534, 65_534);
  }
  mkdirSync(join(temporary, "rollcall-serve-nosign"), { mode: 0o700 });
  writeFileSync(join(temporary, "rollcall-serve-nodir_"), "");
  const before = left();
  const host = await createListingServer({ folder: dist });
  await host.close();
  expect(left()).toEqual(before);
  expect(readdirSync(join(elsewhere, "linked"))).toContain("snapshot.json");
});

test("where no sign can be made, a host serves without", async () => {
  const dist = scratch();
  await publish(dist);
  const long = join(temporary, "x".repeat(100));
  mkdirSync(long);
  vi.stubEnv("TMPDIR", long);
  const host = await createListingServer({ folder: dist });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0 });
  expect((await fetch(`${url}/snapshot.json`)).status).toBe(200);
  expect(left(), "nothing beside it").toEqual(["x".repeat(100)]);
});
