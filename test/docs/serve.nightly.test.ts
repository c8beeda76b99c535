/** docs/guides/serve.md: its commands run and print what it shows. */
import { expect, test } from "vitest";
import { docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";

const { block, blocks, expectShown } = docPage("docs/guides/serve.md");

test("every command prints what is shown", { timeout: 120_000 }, async () => {
  const cwd = scratch();
  const port = await freePort();
  const env = readerEnvironment(port);
  const type = (command: string) => sh(command, cwd, env);
  const [own, switched, other] = ["Rollcall's server", "New releases", "Another host"];

  const [setUp = "", serve = "", curl = "", ...others] = blocks(own);
  expect([others, type(setUp).status]).toEqual([[], 0]);
  const server = await started(serve, "curl", cwd, env);
  const said = server.output().split("\n");
  expectShown(own, "text", 0, `${said.slice(0, 3).join("\n")}\n`);
  const head = type(curl.replace("curl", "curl --silent").replace("8080", String(port)));
  expectShown(own, "text", 1, `${head.stdout.replaceAll("\r", "").trim()}\n`);

  const before = server.output().length;
  expect(type(block(switched)).status).toBe(0);
  await eventually(() => expect(server.output().slice(before)).toContain("now serving"));
  const [line] = server
    .output()
    .slice(before)
    .split("\n")
    .filter((text) => text.includes("now serving"));
  expectShown(switched, "text", 0, `${line}\n`);

  const [list = "", nginx = "", pages = "", ...rest] = blocks(other);
  expect(rest).toEqual([]);
  expect(type(list).stdout).toContain("nginx");
  const written = type(nginx);
  expect(written.status).toBe(0);
  // Other users cannot read the folders of a test.
  const files = written.stderr.replace(/^note .*other users cannot read.*\n/m, "");
  expectShown(other, "text", 0, files.slice(files.indexOf("wrote")));
  expect(type(pages).status).toBe(0);
});
