/** Temporary directories of killed commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { makeScratch, removeScratch } from "../../../src/core/scratch/folder.js";
import { bundled } from "../../support/bundle.js";
import { scratch } from "../../support/files.js";

let temporary: string;
beforeEach(() => {
  temporary = scratch();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** The temporary directory, without the folders of the tests. */
const left = () =>
  readdirSync(temporary)
    .filter((name) => !name.startsWith("rollcall-test-"))
    .sort();

/** Another process that uses a temporary directory of a diff until it is killed. */
async function comparing() {
  const script = `
    import { makeScratch } from "${bundled("src/core/scratch/folder.ts")}";
    console.log(await makeScratch("diff"));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  return {
    folder: `${line}`.trim(),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Moves the directory of a killed diff to a path where the next diff does not find it. */
async function abandon(path: string): Promise<void> {
  const { folder, kill } = await comparing();
  await kill();
  renameSync(folder, path);
}

test("removes what a killed run has left, also half removed", async () => {
  const names = ["rollcall-dev-abcdef", "rollcall-diff-abcdef", "rollcall-diff-abcdef-gone"];
  const aside = scratch();
  for (const name of names) await abandon(join(aside, name));
  for (const name of names) {
    renameSync(join(aside, name), join(temporary, name));
    writeFileSync(join(temporary, name, "large.sqlite"), "");
  }
  expect(left()).toHaveLength(3);
  removeScratch(await makeScratch("diff"));
  expect(left()).toEqual([]);
});

test("keeps folders that another process uses", async () => {
  const { folder } = await comparing();
  const own = await makeScratch("diff");
  expect(left()).toEqual([basename(folder), basename(own)].sort());
  removeScratch(own);
  expect(left()).toEqual([basename(folder)]);
});

test("keeps anything but this user's abandoned folders", async () => {
  const elsewhere = scratch();
  for (const name of ["linked", "open", "another's", "longer", "other"]) await abandon(join(elsewhere, name));
  symlinkSync(join(elsewhere, "linked"), join(temporary, "rollcall-diff-linked"));
  renameSync(join(elsewhere, "longer"), join(temporary, "rollcall-diff-abcdefg"));
  renameSync(join(elsewhere, "other"), join(temporary, "rollcall-other-abcdef"));
  renameSync(join(elsewhere, "open"), join(temporary, "rollcall-diff-public"));
  chmodSync(join(temporary, "rollcall-diff-public"), 0o755);
  if (process.getuid?.() === 0) {
    renameSync(join(elsewhere, "another's"), join(temporary, "rollcall-diff-others"));
    chownSync(join(temporary, "rollcall-diff-others"), 65_534, 65_534);
  }
  mkdirSync(join(temporary, "rollcall-diff-nosign"), { mode: 0o700 });
  writeFileSync(join(temporary, "rollcall-diff-nodir_"), "");
  const before = left();
  removeScratch(await makeScratch("diff"));
  expect(left()).toEqual(before);
  expect(readdirSync(join(elsewhere, "linked"))).not.toEqual([]);
});
