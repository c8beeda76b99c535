/** docs/guides/publish.md: its commands run as they stand, with a password typed on a terminal. */
import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { whenEnded } from "../support/command.js";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { onTerminal } from "../support/minisign.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRAMS = ["minisign", "/usr/bin/python3"];
const { block, blocks, expectShown } = docPage("docs/guides/publish.md");

test("publishing into a folder prints what is shown", () => {
  const [cwd, env] = [scratch(), readerEnvironment()];
  expect(sh("rollcall init && rollcall build", cwd, env).status).toBe(0);
  const { status, stderr } = sh(block("A folder"), cwd, env);
  expect(status).toBe(0);
  expectShown("A folder", "text", 0, stderr);
});

test.skipIf(isMissing(...PROGRAMS))("the commands about signing run", { timeout: 300_000 }, async () => {
  const [cwd, env] = [scratch(), readerEnvironment()];
  symlinkSync(join(ROOT, "data/users.sqlite"), join(cwd, "users.sqlite"));
  const type = async (typed: string) => {
    const [program, words] = onTerminal("open sesame\r", "bash", "-ec", `SECRET='open sesame'\n${typed}`);
    const { code, stdout, stderr } = await whenEnded(
      spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }),
    );
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: "" });
    expect(stdout).not.toContain("sesame");
    return stdout;
  };
  const [make = "", build = "", inJob = "", verify = "", rotate = "", ...others] = blocks("Sign releases");
  expect(others).toEqual([]);
  expect(await type(make)).toContain("minisign -Vm <file> -P RW");
  expect(await type(build)).toMatch(/Password of minisign\.key: \r\n(.*\r\n)*.*1,000 users/);
  expect(await type(inJob)).not.toContain("Password of");
  expect(await type(verify)).toMatch(/passed\S* +\S*signature/);
  await type(rotate);
});
