/** docs/guides/start.md: its commands run in an empty folder and print what it shows. */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { scratch } from "../support/files.js";

const { block, blocks, expectFiles, expectShown } = docPage("docs/guides/start.md");

test("docs/guides/start.md: every command prints what is shown", async () => {
  const cwd = scratch();
  const env = readerEnvironment();
  const [look, publish] = ["Look at a file", "Publish it"];

  expect(sh(block(look), cwd, env)).toMatchObject({ status: 0 });
  const dev = await started(block(look, "sh", 1), "--from stations.csv\n", cwd, env);
  expectShown(look, "text", 0, dev.output());
  const explorer = await fetch(/http:\S+/.exec(dev.output())?.[0] ?? "");
  expect(await explorer.text()).toContain("<!doctype html>");
  expect(readdirSync(cwd)).toEqual(["stations.csv"]);

  const [init = "", build = "", verify = "", serve = "", curl = "", ...others] = blocks(publish);
  expect(others).toEqual([]);
  for (const [at, command] of [init, build].entries()) {
    const { status, stdout, stderr } = sh(command, cwd, env);
    expect([status, stdout]).toEqual([0, ""]);
    expectShown(publish, "text", at, stderr);
  }
  const verified = sh(verify, cwd, env);
  expect(verified.status).toBe(0);
  // Other users cannot read the folders of a test, which is a note of the last check.
  const report = (verified.stdout + verified.stderr).replace("16 passed, 1 noted", "17 passed");
  expectShown(publish, "text", 2, report);

  const server = await started(serve, "curl", cwd, env);
  const said = server.output().split("\n");
  expectShown(publish, "text", 3, `${said.slice(0, 3).join("\n")}\n`);
  const url = /http:\S+/.exec(server.output())?.[0] ?? "";
  const page = sh(curl.replace("curl", "curl --silent").replace("http://127.0.0.1:8080", url), cwd, env);
  expectShown(publish, "json", 0, page.stdout);

  const release = join(cwd, "dist", readlinkSync(join(cwd, "dist/current")));
  expectFiles("What is in dist", release);
});
