/** docs/signing.md: its commands are run as they stand, with a key that has no password. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { blocksOf, clone, environment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";

const DOC = readFileSync(fileURLToPath(new URL("../../docs/signing.md", import.meta.url)), "utf8");
const block = (heading: string, at = 0) => blocksOf(DOC, heading, "sh")[at] ?? "";

describe.skipIf(isMissing("minisign", "signify-openbsd", "sha256sum"))("docs/signing.md", () => {
  test("a key is made, signs, and is demanded, as the page says", { timeout: 60_000 }, () => {
    const [cwd, env] = [clone(), environment()];
    cpSync(join(cwd, "data/users.sqlite"), join(cwd, "users.sqlite"));
    const type = (command: string, folder = cwd) => sh(command.replaceAll(/^rollcall/gm, "npx rollcall"), folder, env);
    expect(type(block("A key").replace("-G", "-G -W"))).toMatchObject({ status: 0 });
    expect(type(block("A signed release"))).toMatchObject({ status: 0 });

    const [onDisk = "", byUrl = ""] = block("Checking it").trim().split("\n");
    expect(type(onDisk)).toMatchObject({ status: 0, stdout: expect.stringContaining("passed   signature") });
    // Nobody serves it here: what is asked first is the host, so that the flags were taken.
    expect(type(byUrl.replace("https://directory.example.com", "http://127.0.0.1:9")).stderr).toContain("127.0.0.1:9");
    const release = join(cwd, "dist/current");
    cpSync(join(cwd, "publisher.pub"), join(release, "publisher.pub"));
    const checked = type(block("Checking it", 1), release);
    expect(checked).toMatchObject({ status: 0, stderr: "" });
    const [, comment = ""] = /^ {4}(trusted comment: .*)$/m.exec(DOC) ?? [];
    const form = (text: string) => text.replace(/[0-9a-f]{12} /, "ID ").replace(/time:\S+/, "TIME");
    const signed = readFileSync(join(release, "SHA256SUMS.minisig"), "utf8").split("\n")[2] ?? "";
    expect(form(signed)).toBe(form(comment));
    expect(checked.stdout).toContain(signed.replace("trusted", "Trusted"));
  });

  test("another key, and no signature, are told", { timeout: 60_000 }, () => {
    const [cwd, env, other] = [clone(), environment(), scratch()];
    const type = (command: string) => sh(command, cwd, env);
    const build = "npx rollcall build --db data/users.sqlite --base-url https://directory.example.com --quiet";
    type(
      `minisign -G -W -p publisher.pub -s publisher.key; minisign -G -W -p ${other}/other.pub -s ${other}/other.key`,
    );
    expect(type(`${build} --sign-key publisher.key`)).toMatchObject({ status: 0 });
    expect(type(`npx rollcall verify --key ${other}/other.pub --key publisher.pub`)).toMatchObject({ status: 0 });
    expect(type(`npx rollcall verify --key ${other}/other.pub`)).toMatchObject({ status: 1 });
    expect(type(build)).toMatchObject({ status: 0 });
    expect(type("npx rollcall verify --key publisher.pub")).toMatchObject({ status: 1 });
  });
});
