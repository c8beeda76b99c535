/** docs/guides/signing.md: its commands run as they stand, one after the other, by somebody who types a password. */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLI, whenEnded } from "../support/command.js";
import { blocksOf, environment } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { onTerminal } from "../support/minisign.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DOC = readFileSync(join(ROOT, "docs/guides/signing.md"), "utf8");
const PROGRAMS = ["minisign", "signify-openbsd", "/usr/bin/python3"];

test.skipIf(isMissing(...PROGRAMS))("every command does what the page says", { timeout: 300_000 }, async () => {
  const cwd = scratch();
  symlinkSync(join(ROOT, "data/users.sqlite"), join(cwd, "users.sqlite"));
  const command = join(cwd, "rollcall");
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`);
  chmodSync(command, 0o755);
  const type = async (heading: string, at = 0) => {
    const typed = blocksOf(DOC, heading, "sh")[at] ?? expect.fail(`There is no block ${at} below ${heading}`);
    const [program, words] = onTerminal("open sesame\r", "bash", "-ec", `SECRET='open sesame'\n${typed}`);
    const env = { ...environment(), PATH: `${cwd}:/usr/bin:${process.env["PATH"]}` };
    const { code, stdout, stderr } = await whenEnded(
      spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }),
    );
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: "" });
    expect(stdout).not.toContain("sesame");
    return stdout;
  };
  expect(await type("Make a key")).toContain("minisign -Vm <file> -P RW");
  expect(await type("Build")).toMatch(/Password of minisign\.key: \r\n(.*\r\n)*.*1,000 users/);
  expect(await type("In CI")).not.toContain("Password of");
  expect(await type("Verify")).toMatch(/passed\S* +\S*signature/);
  const said = await type("Verify", 1);
  expect(said).toContain("Trusted comment: rollcall id:");
  expect(said).toContain("Signature Verified");
  await type("Make a key", 1);
  await type("Rotate");
});
