/** The compiled command in real processes, for what in-process tests cannot check. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLI, run as runCommand, whenEnded } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { eventually } from "../support/until.js";

const BUILD = ["build", "--db", "users.sqlite", "--base-url", "https://example.com"];

/** The environment without variables that change the output. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(ROLLCALL_|NO_COLOR$|FORCE_COLOR$)/.test(name)),
);
const run = (args: string[], cwd: string) => runCommand(args, { cwd, env });

/** A process that is watched while it runs. */
function start(args: string[], cwd: string) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  }
  const untilSaid = (name: keyof typeof said, text: string) => eventually(() => expect(said[name]).toContain(text));
  return { child, said, untilSaid, ended: once(child, "close") };
}

/** Runs a line of a shell, in which `rollcall` is the command. */
function shell(line: string, cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const command = line.replace("rollcall", `"${process.execPath}" "${CLI}"`);
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

function folderWithUsers(): string {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  return cwd;
}

async function folderWithRelease(): Promise<string> {
  const cwd = folderWithUsers();
  await run(BUILD, cwd);
  return cwd;
}

test("a second signal ends the server at once, even with open requests", async () => {
  const { child, said, untilSaid, ended } = start(["serve", "--port", "0", "--json"], await folderWithRelease());
  await untilSaid("stdout", "\n");
  const { url, listing } = JSON.parse(said.stdout);
  const slow = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  onTestFinished(() => void slow.destroy());
  await once(slow, "connect");
  // This answer shows that the slow client has been accepted. It then has a second to complete its request.
  await (await fetch(listing)).text();
  child.kill("SIGTERM");
  await untilSaid("stderr", "a second signal ends the process at once");
  child.kill("SIGTERM");
  expect(await ended).toEqual([null, "SIGTERM"]);
});

// A Node process has about 20 open. More of them are needed to load the modules.
test.each(
  ["build", "verify dist", "diff dist dist", "serve --port 0"].flatMap((verb) =>
    [20, 24, 28].map((most) => [verb, most] as const),
  ),
)("%s with a limit of %i open files says so, without a stack", async (verb, most) => {
  const { code, stdout, stderr } = await shell(`ulimit -n ${most}; rollcall ${verb}`, scratch());
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^error: Cannot use \S+\.js: too many files are open; raise the limit \("ulimit -n"\), then run this again\.\n$/,
  );
});

/** Breaks what this process uses, or what its threads use. */
const FAULTS = {
  process: `Object.defineProperty(globalThis, "performance", { get: () => { throw new Error("a fault") } })`,
  thread: `import { isMainThread } from "node:worker_threads";
    if (!isMainThread) Buffer.prototype.latin1Slice = () => { throw new Error("a fault") }`,
};

test.each([
  ["process", /^ {4}at runBuild \(\S+\/src\/cli\/build\/build\.ts:\d+:\d+\)$/m],
  ["thread", /^ {4}at PageMaker\.make \(\S+\/src\/build\/page-maker\.ts:\d+:\d+\)$/m],
] as const)("with ROLLCALL_DEBUG, the stack of a bug in a %s names lines of src", async (where, line) => {
  const preloaded = `--import=data:text/javascript,${encodeURIComponent(FAULTS[where])}`;
  const args = [preloaded, CLI, ...BUILD, "--workers", "1"];
  const child = spawn(process.execPath, args, { cwd: folderWithUsers(), env: { ...env, ROLLCALL_DEBUG: "1" } });
  const { code, stderr } = await whenEnded(child);
  expect(code).toBe(70);
  expect(stderr).toContain("Error: a fault\n");
  expect(stderr).toMatch(line);
});

test.each([
  ["has gone", "| true", ""],
  ["cannot take more", "> /dev/full", "error: Cannot write to stdout (ENOSPC).\n"],
])("a reader of stdout that %s", async (_what, redirection, expected) => {
  const { stdout, stderr } = await shell(`rollcall build --help ${redirection}`, scratch());
  expect({ stdout, stderr }).toEqual({ stdout: "", stderr: expected });
});

test.each([
  ["build --db users.sqlite --base-url https://example.com", /is current\.\n$/],
  ["use current", /is current\.\n$/],
  ["publish site", /is published to site\.\n$/],
])("%s succeeds, and says so, although its result cannot be written", async (line, said) => {
  const cwd = line.startsWith("build") ? folderWithUsers() : await folderWithRelease();
  const { code, stderr } = await shell(`rollcall ${line} --json > /dev/full`, cwd);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: stdout cannot be written \(ENOSPC\)\. Release /);
  expect(stderr).toMatch(said);
  expect(await shell(`rollcall ${line} 2> /dev/full`, cwd)).toMatchObject({ code: 0 });
});
