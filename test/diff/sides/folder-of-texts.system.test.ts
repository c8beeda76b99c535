/** `rollcall diff` of a folder of text files in git and in the checkout. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeIo, rollcall } from "../../cli/run.js";
import { scratch } from "../../support/files.js";

test("compares a revision with the checkout, and a release with a revision", async () => {
  const cwd = scratch();
  const run = (line: string) => rollcall(line, fakeIo(cwd));
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, "data/people.csv"), "id,name\n1,Jo\n");
  writeFileSync(join(cwd, "data/towns.csv"), "id;name\n1;Ulm\n");
  git("init", "--quiet");
  git("add", "data");
  git("-c", "user.name=a", "-c", "user.email=a@x.example", "commit", "--quiet", "--message", "a");
  expect((await run("init --from data --all")).code).toBe(0);
  expect((await run("build")).code).toBe(0);
  expect((await run("diff dist git:HEAD:data")).code).toBe(0);
  writeFileSync(join(cwd, "data/people.csv"), "id,name\n1,Joe\n");
  const { code, stdout } = await run("diff git:HEAD:data/ data/ --format json");
  expect(code).toBe(1);
  expect(stdout).toContain('"Joe"');
});
