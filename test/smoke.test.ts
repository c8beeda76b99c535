/** The real command, as processes of its own: build, serve, one page, verify. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run, start } from "./support/command.js";
import { scratch } from "./support/files.js";

const SAMPLE = fileURLToPath(new URL("../data/users.sqlite", import.meta.url));

test("the sample is built, served, read and verified", async () => {
  const cwd = scratch();
  const built = await run(["build", "--db", SAMPLE, "--base-url", "http://directory.example", "--quiet"], { cwd });
  expect(built).toEqual({ code: 0, stdout: "", stderr: "" });

  const { child, ended } = start(["serve", "--port", "0", "--json"], { cwd });
  const [announced] = await once(child.stdout ?? child, "data");
  const answer = await fetch(`${JSON.parse(announced).url}/api/users/?format=api&page=2`);
  expect(answer.status).toBe(200);
  const page = (await answer.json()) as { count: number; previous: string; results: unknown[] };
  expect(page).toMatchObject({ count: 1000, previous: "http://directory.example/api/users/?format=api&page=1" });
  expect(page.results).toHaveLength(100);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);

  expect(await run(["verify"], { cwd })).toMatchObject({ code: 0 });
});
