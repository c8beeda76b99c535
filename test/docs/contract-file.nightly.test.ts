/** docs/reference/contract-file.md against the program: its example is a contract, and its mistakes are reported as shown. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkContract } from "../../src/contract/file/parse.js";
import { blocksOf, clone, environment, sh } from "../support/docs.js";
import { STATIONS } from "../support/stations.js";

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

const REFUSED = "Mistakes";

test("the example is a contract, and the one that tests use", () => {
  const [example = ""] = blocks("Example", "json");
  expect(checkContract(example)).not.toHaveProperty("mistakes");
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
