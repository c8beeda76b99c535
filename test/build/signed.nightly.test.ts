/** Builds that sign: with keys of minisign's own, typed passwords, and nothing of a secret left anywhere. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSigner } from "../../src/build/signer.js";
import { CLI, run, start, whenEnded } from "../support/command.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { generateKey, onTerminal } from "../support/minisign.js";
import { repeat } from "../support/until.js";
import { args, check, environment, PASSWORD, source } from "./signing.js";

describe.skipIf(isMissing("minisign", "/usr/bin/python3"))("a key that minisign has made", () => {
  test("with a password that is in the variable", { timeout: 300_000 }, async () => {
    const cwd = source();
    const { public: file, line } = generateKey(cwd, "ours", PASSWORD);
    const given = { cwd, env: environment({ ROLLCALL_SIGN_PASSWORD: PASSWORD, ROLLCALL_SIGN_KEY: "ours.key" }) };
    expect(await run(args("--quiet"), given)).toMatchObject({ code: 0, stderr: "", stdout: "" });
    for (const key of [
      ["-P", line],
      ["-p", file],
    ])
      expect(check(cwd, ...key)).toContain("Signature and comment signature verified");
    const wrong = await run(args("--sign-key", "ours.key"), {
      cwd,
      env: environment({ ROLLCALL_SIGN_PASSWORD: "no" }),
    });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toBe(
      "error: ours.key cannot be used: the password is wrong, or the file is damaged; nothing was built.\n",
    );
    const none = await run(args("--sign-key", "ours.key"), { cwd, env: environment() });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("Set ROLLCALL_SIGN_PASSWORD, or run this on a terminal");
    expect(readdirSync(join(cwd, "dist/releases"))).toHaveLength(1);
  });

  test("with a password that is typed, and never shown", { timeout: 300_000 }, async () => {
    const cwd = source();
    generateKey(cwd, "ours", PASSWORD);
    const type = (typed: string) => {
      const [program, words] = onTerminal(typed, process.execPath, CLI, ...args("--sign-key", "ours.key"));
      return whenEnded(
        spawn(program, words, { cwd, env: environment({ NO_COLOR: "1" }), stdio: ["ignore", "pipe", "pipe"] }),
      );
    };
    // Letters that are taken back, one of which has two bytes, and a line that is begun anew.
    const right = await type(`wrong\x15${PASSWORD}äx\x7f\x7f\r`);
    expect(right).toMatchObject({ code: 0, stderr: "" });
    expect(right.stdout).toMatch(/^Password of ours\.key: \r\n/);
    expect(right.stdout).not.toMatch(/horse|wrong/);
    expect(check(cwd, "-p", join(cwd, "ours.pub"))).toContain("verified");
    expect(await type("correct\x03")).toMatchObject({
      code: 130,
      stdout: expect.stringContaining("Stopped; current is unchanged."),
    });
    expect(await type("\x04")).toMatchObject({ code: 2, stdout: expect.stringContaining("No password was typed") });
  });

  test("for a library, from text, bytes or a function", { timeout: 300_000 }, async () => {
    const folder = scratch();
    const { secret } = generateKey(folder, "ours", PASSWORD);
    await openSigner(secret, PASSWORD);
    await openSigner(secret, async () => Buffer.from(PASSWORD));
    await expect(openSigner(secret, undefined)).rejects.toThrow("give it as signPassword");
    await expect(openSigner(secret, Buffer.alloc(2000, "x"))).rejects.toThrow("the password is wrong");
  });
});

describe.skipIf(isMissing("minisign", "/usr/bin/python3"))("nothing of a secret is left", () => {
  test("in any file, output, error or process", { timeout: 300_000 }, async () => {
    const cwd = source(3_000);
    const folder = scratch();
    const key = generateKey(folder, "ours", PASSWORD);
    const plain = generateKey(folder, "plain");
    const locked = Buffer.from(readFileSync(key.secret, "utf8").split("\n")[1] ?? "", "base64");
    const open = Buffer.from(readFileSync(plain.secret, "utf8").split("\n")[1] ?? "", "base64");
    const seeds = [open.subarray(62, 94), locked.subarray(62, 94)];
    const secrets = [
      ...[PASSWORD, Buffer.from(PASSWORD).toString("latin1"), Buffer.from(PASSWORD).toString("base64").slice(0, -2)],
      ...[Buffer.from(PASSWORD).toString("hex"), "another password"],
      ...seeds.flatMap((seed) => [seed.toString("latin1"), seed.toString("hex"), seed.toString("base64").slice(0, -2)]),
      ...[locked, open].map((bytes) => bytes.toString("base64").slice(80, 120)),
    ];
    const seen: string[] = [];
    const runs: [secret: string, password: string | undefined, more: string[]][] = [
      [key.secret, PASSWORD, ["--workers", "2", "--problems", "problems.ndjson"]],
      [key.secret, PASSWORD, ["--json"]],
      [plain.secret, undefined, ["--json"]],
      [key.secret, "another password", []],
      [key.secret, PASSWORD, ["--page-size", "0"]],
      [key.secret, PASSWORD, ["--dist", "/dev/full/dist"]],
      [key.public, PASSWORD, []],
    ];
    for (const [secret, password, more] of runs) {
      const env = environment({
        ROLLCALL_DEBUG: "1",
        ...(password !== undefined && { ROLLCALL_SIGN_PASSWORD: password }),
      });
      const { child, ended } = start(args("--sign-key", secret, ...more), { cwd, env });
      const looking = repeat(() => {
        try {
          seen.push(...family(child.pid ?? 0).map((pid) => readProcess(pid, pid === child.pid)));
        } catch {
          // A process has ended between two looks.
        }
      });
      const { stdout, stderr } = await ended;
      looking.stop();
      seen.push(stdout, stderr);
    }
    const [program, words] = onTerminal(`${PASSWORD}\r`, process.execPath, CLI, ...args("--sign-key", key.secret));
    const typed = await whenEnded(
      spawn(program, words, { cwd, env: environment(), stdio: ["ignore", "pipe", "pipe"] }),
    );
    expect(typed.code).toBe(0);
    seen.push(typed.stdout, typed.stderr);
    for (const entry of readdirSync(cwd, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      seen.push(path);
      if (entry.isFile()) seen.push(readFileSync(path, "latin1"), readFileSync(path, "utf8"));
    }
    expect(seen.length).toBeGreaterThan(100);
    for (const secret of secrets) expect(seen.filter((text) => text.includes(secret))).toEqual([]);
  });

  test("in the environment of threads and of other processes", { timeout: 300_000 }, async () => {
    const cwd = source();
    const { secret } = generateKey(scratch(), "ours", PASSWORD);
    writeFileSync(
      join(cwd, "look.mjs"),
      `import { execFileSync } from "node:child_process";
       process.on("exit", () => process.stdout.write(execFileSync("env") + String(process.env.ROLLCALL_SIGN_PASSWORD)));`,
    );
    const env = environment({ ROLLCALL_SIGN_PASSWORD: PASSWORD, NODE_OPTIONS: `--import ${join(cwd, "look.mjs")}` });
    const { code, stdout } = await run(args("--quiet", "--sign-key", secret), { cwd, env });
    expect(code).toBe(0);
    expect(stdout).toContain("PATH=");
    expect(stdout).toMatch(/undefined$/);
    expect(stdout).not.toContain("ROLLCALL_SIGN_PASSWORD");
  });
});

/** A process, and all that it has started. */
function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    return readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  });
  return [pid, ...children.flatMap(family)];
}

/** What others can read of processes while they live: but for the environment that the first was started with. */
function readProcess(pid: number, isFirst: boolean): string {
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => `task/${task}/comm`);
  const names = ["cmdline", "comm", ...tasks, ...(isFirst ? [] : ["environ"])];
  return names.map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1")).join("\n");
}
