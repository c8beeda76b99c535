/**
 * `npm run mutants [NAME...]`: seeds faults, one at a time, into a copy of the checkout, and prints which test finds each.
 * Exit code 1 if no test finds a fault, 2 if a fault cannot be tried.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MUTANTS } from "./mutants.mjs";
import "./check.mjs";

const ROOT = join(import.meta.dirname, "../..");
const TIERS = ["unit", "system", "nightly"];
/** Failures that a busy machine can cause in any test do not count. */
const TIMEOUT = /timed out in \d+ ?ms/;
const copy = mkdtempSync(join(tmpdir(), "rollcall-mutants-"));
const sound = new Set();
let running;

/** The list of faults or the machine is wrong, not the tests. */
class Refusal extends Error {}

process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
])
  process.on(signal, () => {
    // A process group for each run, so that its servers and browsers end with it.
    if (running?.pid) process.kill(-running.pid, "SIGKILL");
    process.exit(128 + number);
  });

try {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown !== undefined) throw new Refusal(`There is no fault ${unknown}.`);
  const mutants = MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
  copyCheckout();
  // Unit tests read the explorer's script and style from there.
  await compile("the checkout");
  await requireSound([...new Set(mutants.flatMap(({ tests }) => tests))].filter((test) => tierOf(test) === "unit"));
  const width = Math.max(...mutants.map(({ name }) => name.length));
  let found = 0;
  let foundByChange = 0;
  for (const mutant of mutants) {
    const began = performance.now();
    const file = await findTest(mutant);
    const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(8);
    if (file !== undefined) found++;
    if (file !== undefined && tierOf(file) !== "nightly") foundByChange++;
    const by = file === undefined ? "NOT FOUND" : `${tierOf(file).padEnd(8)}${file}`;
    console.log(`${mutant.name.padEnd(width)} ${seconds}  ${by}`);
  }
  console.log(`${found} of ${mutants.length} found, ${foundByChange} by tests of .ci/run`);
  process.exitCode = found === mutants.length ? 0 : 1;
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** All files that git knows or would add. They are copied, since tests may write beside them. */
function copyCheckout() {
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true });
  }
  for (const modules of ["node_modules", "test/engines/node_modules"])
    if (existsSync(join(ROOT, modules))) symlinkSync(join(ROOT, modules), join(copy, modules));
}

/** The first test file that fails with the fault, but not without it. */
async function findTest({ name, file, from, to, tests }) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  let isCompiled = false;
  let found;
  writeFileSync(path, text.split(from).join(to));
  for (const test of tests) {
    if (tierOf(test) !== "unit" && !isCompiled) await compile(name);
    isCompiled ||= tierOf(test) !== "unit";
    const { passed, output } = await runTests([test]);
    if (passed || TIMEOUT.test(output)) continue;
    found = test;
    break;
  }
  writeFileSync(path, text);
  if (isCompiled) await compile("the checkout");
  if (found !== undefined) await requireSound([found]);
  return found;
}

async function compile(what) {
  const { passed, output } = await run("scripts/compile.mjs");
  if (!passed) throw new Refusal(`${output}With ${what}, src does not compile.`);
}

/** Runs these files without a fault. @throws Refusal if one fails */
async function requireSound(tests) {
  const unknown = tests.filter((test) => !sound.has(test));
  if (unknown.length === 0) return;
  const { passed, output } = await runTests(unknown);
  if (!passed) throw new Refusal(`${output}These tests fail without any fault.`);
  for (const test of unknown) sound.add(test);
}

/** Runs tests. @param tests files of one tier. */
function runTests(tests) {
  const flags = ["--config", "test/vitest.config.ts", "--reporter=dot", "--project", tierOf(tests[0]), "--bail", "1"];
  return run("node_modules/vitest/vitest.mjs", "run", ...flags, ...tests);
}

async function run(program, ...rest) {
  const io = ["ignore", "pipe", "pipe"];
  running = spawn(process.execPath, [join(copy, program), ...rest], { cwd: copy, detached: true, stdio: io });
  let output = "";
  for (const stream of [running.stdout, running.stderr]) stream.on("data", (bytes) => (output += bytes));
  const status = await new Promise((resolve) => running.on("close", resolve));
  running = undefined;
  return { passed: status === 0, output };
}

function tierOf(test) {
  return TIERS.find((tier) => test.endsWith(`.${tier}.test.ts`)) ?? "unit";
}
