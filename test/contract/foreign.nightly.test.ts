/** Contracts of other domains work with every verb and every host of Debian. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { SERVERS, type Server, startServer } from "../hosts/servers.js";
import { run, start } from "../support/command.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { FOREIGN, type Foreign, type Values } from "../support/foreign.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";

/** The environment without variables that change what the command does. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(ROLLCALL_|NO_COLOR$|FORCE_COLOR$)/.test(name)),
);
const DEBIAN = SERVERS.filter(({ built }) => !built);
const ADAPTED = DEBIAN.map(({ adapter }) => adapter).join(",");

/** A folder with a source and a contract, in which commands are typed. */
class Project {
  readonly cwd = scratch();
  readonly db = join(this.cwd, "source.sqlite");
  readonly #foreign: Foreign;
  readonly baseUrl: string;

  constructor(
    foreign: Foreign,
    readonly port: number,
    readonly origin: number,
  ) {
    this.#foreign = foreign;
    // A web server with a user of its own must be able to enter it.
    chmodSync(this.cwd, 0o755);
    this.baseUrl = `http://127.0.0.1:${port}/people/directory`;
    this.setContract("contract");
    const config = { db: "source.sqlite", baseUrl: this.baseUrl, origin: `http://127.0.0.1:${origin}` };
    writeFileSync(join(this.cwd, "rollcall.config.json"), JSON.stringify({ ...config, ...foreign.config }));
  }

  setContract(which: "contract" | "next"): void {
    writeFileSync(join(this.cwd, "rollcall.contract.json"), JSON.stringify(this.#foreign[which], null, 2));
  }

  sql(text: string): void {
    const db = new Database(this.db);
    db.exec(text);
    db.close();
  }

  /** What is to be published, by what SQLite itself says of the source. */
  records(): unknown[] {
    const db = new Database(this.db, { readonly: true });
    const { contract, order, record } = this.#foreign;
    const [, table] = contract["x-listing"].words;
    const rows = db.prepare(`SELECT * FROM "${table}" ORDER BY ${order}`).all() as Values[];
    db.close();
    return rows.map(record);
  }

  /** Runs a command that has nothing to say but what is expected. @returns its stdout and stderr. */
  async expect(code: number, ...words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const { code: ended, stdout, stderr } = await run(words, { cwd: this.cwd, env });
    expect(
      ended,
      `${words.join(" ")}\n${stdout.replace(/^passed .*\n/gm, "").slice(0, 5000)}${stderr.slice(0, 5000)}`,
    ).toBe(code);
    return { stdout, stderr };
  }

  async json(code: number, ...words: readonly string[]) {
    return JSON.parse((await this.expect(code, ...words, "--json")).stdout);
  }

  /** The records of the current release, from all of its pages. */
  published(folder = join(this.cwd, "dist/current")): unknown[] {
    const pages = join(folder, this.#foreign.contract["x-listing"].path ?? "/", "pages");
    const names = readdirSync(pages).filter((name) => name.endsWith(".json"));
    return names
      .toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
      .flatMap((name) => JSON.parse(readFileSync(join(pages, name), "utf8")).results);
  }
}

const CASES = FOREIGN.map((foreign) => ({ foreign, many: foreign.contract["x-listing"].words[1] }));

test.each(CASES)("every verb works with $many", { timeout: 600_000 }, async ({ foreign }) => {
  const project = new Project(foreign, await freePort(), await freePort());
  await makeSource(project, foreign);
  const first = await builds(project, foreign);
  await changes(project, foreign, first);
  await goesBack(project, first);
  await movesOn(project, foreign);
  await publishes(project);
  await serves(project);
  for (const server of DEBIAN) if (!isMissing(...server.needs)) await isServedBy(server, project);
});

/** The contract's own SQL makes a table that takes every row. */
async function makeSource(project: Project, { contract, fill }: Foreign): Promise<void> {
  const { stdout: sql } = await project.expect(0, "schema", "--format", "sql");
  project.sql(sql);
  project.sql(fill);
  const { stdout: schema } = await project.expect(0, "schema");
  expect(JSON.parse(schema)).toEqual(contract);
  const { stdout: type } = await project.expect(0, "schema", "--format", "typescript");
  for (const name of Object.keys(contract.properties))
    expect(type).toContain(`\n  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: `);
}

/** @returns the id of the first release. */
async function builds(project: Project, { warnings }: Foreign): Promise<string> {
  const built = await project.json(0, "build");
  expect(built).toMatchObject({ warnings });
  const again = await project.json(0, "build");
  expect(again).toMatchObject({ id: built.id, new: false });
  expect((await project.expect(0, "build")).stderr).toMatch(/^same +nothing changed/m);
  expect(project.published()).toEqual(project.records());
  checkSums(join(project.cwd, "dist/current"));
  await project.expect(0, "verify");
  await project.expect(0, "diff", "source.sqlite");
  return built.id;
}

/** A gate keeps a removal from being current, a diff tells of it in every form, and a build takes it at last. */
async function changes(project: Project, { contract, edit }: Foreign, first: string): Promise<void> {
  project.sql(edit);
  const gate = ["--max-removed", "0"];
  const { stderr: refused } = await project.expect(3, "build", ...gate);
  expect(refused).toContain("max-removed 0: 1 of ");
  const [one, many] = contract["x-listing"].words;
  const { stdout: text } = await project.expect(3, "diff", "source.sqlite", ...gate);
  expect(text).toMatch(/^added +1\nremoved +1\nchanged +2\n/m);
  expect(text).toContain(` ${many}`);
  // A field that names records and by which they are chosen is said once.
  expect(text).not.toMatch(/^ {2}[+-] .*(".+") {2}\1$/m);
  const { stdout } = await project.expect(1, "diff", "source.sqlite", "--format", "json");
  const { added, removed, changed, changes } = JSON.parse(stdout);
  expect([added, removed, changed, changes.length]).toEqual([1, 1, 2, 4]);
  const members = changes.filter(({ kind }: { kind: string }) => kind !== "changed").map(Object.keys);
  expect(members[0]).toContain(/^[a-z]+$/.test(one) ? one : "record");
  await project.expect(1, "diff", "source.sqlite", "--format", "html", "--output", "diff.html");
  expect(readFileSync(join(project.cwd, "diff.html"), "utf8")).toContain(` ${many}`);
  const built = await project.json(0, "build", "--max-removed", "1", "--max-changed", "2");
  expect(built.id).not.toBe(first);
  expect(project.published()).toEqual(project.records());
}

async function goesBack(project: Project, first: string): Promise<void> {
  await project.expect(0, "use", first);
  await project.expect(0, "verify", first);
  const releases: { id: string; current: boolean }[] = await project.json(0, "releases");
  expect(releases.map(({ current }) => current)).toEqual([false, true]);
  await project.expect(0, "use", "previous");
}

/** Another contract makes another release of the same rows, and a diff tells of the contract before the records. */
async function movesOn(project: Project, { next, moves }: Foreign): Promise<void> {
  project.setContract("next");
  const { stdout: foreseen } = await project.expect(1, "diff", "source.sqlite");
  await project.expect(0, "build", "--max-removed", "0", "--max-added", "0", "--adapt", ADAPTED);
  const { stdout: seen } = await project.expect(1, "diff");
  for (const text of [foreseen, seen]) {
    const [head = ""] = text.split(/^(?=added|No changes)/m);
    expect(head).toContain(`contract changed${moves.map((line) => `\n  ${line}`).join("")}`);
  }
  const { stdout: schema } = await project.expect(0, "schema", "current");
  expect(JSON.parse(schema)).toEqual(next);
  await project.expect(0, "verify");
}

async function publishes(project: Project): Promise<void> {
  await project.expect(0, "publish", "site");
  await project.expect(0, "verify", "site");
  expect((await project.json(0, "publish", "site")).changed).toBe(0);
}

/** Every check by URL holds, and what a reader gets who follows the links is what the release holds. */
async function serves(project: Project): Promise<void> {
  const { child, ended } = start(["serve", "--port", String(project.port)], { cwd: project.cwd, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  await eventually(() => fetch(project.baseUrl));
  await project.expect(0, "verify", project.baseUrl, "--sample", "10");
  await project.expect(0, "diff", "current", project.baseUrl);
  await isMirrored(project);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
}

/** A copy in SQLite is a source, of which a build with the release's contract and settings makes the same pages. */
async function isMirrored(project: Project): Promise<void> {
  const folders = ["dist/current", "again/current"].map((path) => join(project.cwd, path));
  expect(await project.json(0, "mirror", project.baseUrl, "mirror.sqlite")).toMatchObject({ via: "pages" });
  expect(await project.json(0, "mirror", project.baseUrl, "mirror.sqlite")).toMatchObject({ via: "nothing" });
  const contract = join("dist", "current", "contract.json");
  await project.expect(0, "build", "--db", "mirror.sqlite", "--contract", contract, "--out", "again");
  const [mirrored = new Map(), again] = folders.map((folder) => readTree(folder));
  const isOfRecords = (path: string) => /\/pages\/\d+\.json$|^records\.sha256$|^contract\.json$/.test(path);
  const paths = [...mirrored.keys()].filter(isOfRecords);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => mirrored.get(path) !== again?.get(path))).toEqual([]);
}

/** The host is set up by what the command writes, and answers as the contract says but for what the docs say of it. */
async function isServedBy(server: Server, project: Project): Promise<void> {
  const folder = join(project.cwd, `host-${server.name}`);
  const { port } = project;
  const current = join(project.cwd, "dist/current");
  mkdirSync(folder);
  symlinkSync(current, join(folder, "current"));
  await project.expect(0, "adapt", `${server.adapter}`, "--write", folder);
  const stop = await startServer(server, { folder, release: realpathSync(current), port });
  await project.expect(0, "verify", project.baseUrl, "--adapt", `${server.adapter}`, "--sample", "10");
  await stop();
}
