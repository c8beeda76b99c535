/** docs/reference/contract-file.md against the program: its example is a contract, and its mistakes are reported as shown. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkContract } from "../../src/core/contract/file/parse.js";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { STATIONS } from "../support/stations.js";

const { block, expectShown } = docPage("docs/reference/contract-file.md");

test("the example is a contract, and the one that tests use", () => {
  const example = block("Example", "json");
  expect(checkContract(example)).not.toHaveProperty("mistakes");
  expect(JSON.parse(example)).toEqual(STATIONS);
});

test("all mistakes of the wrong contract are told as shown", { timeout: 30_000 }, () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "wrong.json"), block("Mistakes", "json"));
  const command = "rollcall build --db users.sqlite --base-url http://127.0.0.1:8080 --contract wrong.json";
  const { status, stdout, stderr } = sh(command, cwd, readerEnvironment());
  expect([status, stdout]).toEqual([2, ""]);
  expectShown("Mistakes", "text", 0, stderr);
});
