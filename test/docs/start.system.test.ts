/** docs/guides/start.md: its commands run in a clone and a folder beside it, and print what it shows. */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clone, docPage, readerEnvironment, sh, started } from "../support/docs.js";

const { block, blocks, expectFiles, expectShown } = docPage("docs/guides/start.md");

test("docs/guides/start.md: every command prints what is shown", async () => {
  const folder = clone();
  const cwd = join(folder, "../stations");
  const env = readerEnvironment();
  const look = "Look at a file";
  const publish = "Publish it";

  const taken = sh(block(look), folder, env);
  expect(taken.status).toBe(0);
  expectShown(look, "csv", 0, taken.stdout);
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
  const report = (verified.stdout + verified.stderr).replace(
    /(\d+) passed, 1 noted/,
    (_, passed) => `${Number(passed) + 1} passed`,
  );
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
