/** docs/reference/contract-file.md against the program: the tutorial is walked as it stands, and what is said of contracts is asked of them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseContract } from "../../src/contract/file/parse.js";
import { runSql } from "../support/database.js";
import { blocksOf, clone, environment, sh } from "../support/docs.js";
import { readTree } from "../support/files.js";
import { STATIONS } from "../support/stations.js";
import { eventually } from "../support/until.js";

const FILE = new URL("../../docs/reference/contract-file.md", import.meta.url).pathname;
const DOC = readFileSync(FILE, "utf8");
const FENCED = /^```(\w+)\n(.*?)^```$/gms;
const isUpdate = process.env["UPDATE"] === "1";

/** The fenced blocks of a language below a heading of the page. */
const blocks = (heading: string, language: string) => blocksOf(DOC, heading, language);

/** Holds what was printed against the only block of a language below a heading; with UPDATE=1 it becomes the block. */
function expectShown(heading: string, language: string, at: number, printed: string): void {
  if (!isUpdate) {
    expect(printed).toBe(blocks(heading, language)[at]);
    return;
  }
  const doc = readFileSync(FILE, "utf8");
  const from = doc.indexOf(`\n## ${heading}\n`);
  let count = 0;
  const shown = doc
    .slice(from)
    .replace(FENCED, (block, name) =>
      name === language && count++ === at ? `\`\`\`${name}\n${printed}\`\`\`` : block,
    );
  writeFileSync(FILE, doc.slice(0, from) + shown);
}

const TUTORIAL = "From somebody else's table to a page in the browser";
const REFUSED = "What is refused, and how it is told";

test("from somebody else's table to a page: every command does what is said", { timeout: 60_000 }, async () => {
  const [cwd, env] = [clone(), environment()];
  const [table = ""] = blocks(TUTORIAL, "sql");
  runSql(join(cwd, "people.sqlite"), table);
  const [init = "", query = "", contract = "", build = "", serve = "", curl = "", ...others] = blocks(TUTORIAL, "sh");
  expect(others).toEqual([]);

  const looked = sh(init, cwd, env);
  expect([looked.status, looked.stdout]).toEqual([0, ""]);
  expectShown(TUTORIAL, "text", 0, looked.stderr);
  // As init says, it works at once.
  expect(sh("npx rollcall build", cwd, env)).toMatchObject({ status: 0 });
  for (const step of [query, contract, build]) expect(sh(step, cwd, env), step).toMatchObject({ status: 0 });
  for (const [file, bytes] of readTree(join(cwd, "dist")))
    expect(/password|x[1-8]'|@example\.com/.test(bytes.toString()), file).toBe(false);

  const url = await serving(serve, cwd, env);
  const asked = sh(`${curl.trim().replace("http://127.0.0.1:8080", url)} --silent`, cwd, env);
  expect(asked.status).toBe(0);
  expectShown(TUTORIAL, "json", 0, asked.stdout);
});

/** Starts a server as the page says, on any port. @returns its address. */
async function serving(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  onTestFinished(async () => {
    // The shell, npx and the host.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await eventually(() => expect(said).toContain("curl"));
  return /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
}

test("the example is a contract, and the one that tests use", () => {
  const [example = ""] = blocks("An example", "json");
  expect(parseContract(example)).not.toHaveProperty("mistakes");
  expect(JSON.parse(example)).toEqual(STATIONS);
});

test("all mistakes of the wrong contract are told as shown", { timeout: 30_000 }, () => {
  const [cwd, env] = [clone(), environment()];
  const [wrong = ""] = blocks(REFUSED, "json");
  writeFileSync(join(cwd, "wrong.json"), wrong);
  const command = "npx rollcall build --db data/users.sqlite --base-url http://127.0.0.1:8080 --contract wrong.json";
  const { status, stdout, stderr } = sh(command, cwd, env);
  expect([status, stdout]).toEqual([2, ""]);
  expectShown(REFUSED, "text", 0, stderr.replaceAll(cwd, "."));
});
