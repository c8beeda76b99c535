/** README.md against the program: its commands run word for word, and its table of options is the types'. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import type {
  BuildEffects,
  BuildOptions,
  HostEffects,
  HostOptions,
  PublishEffects,
  PublishOptions,
} from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { clone, commandsOf, environment } from "../support/docs.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The part of the README below a heading. */
function section(heading: string): string {
  return README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
}

test("publishing one's own users works word for word in a clone", { timeout: 60_000 }, async () => {
  const [cwd, env] = [clone(), environment()];
  const [init = "", build = "", serve = "", own = "", ...others] = commandsOf(
    section("Publish your own users"),
  );
  expect(others).toEqual([]);
  const sh = (command: string) =>
    execFileSync(
      "sh",
      [
        "-c",
        `exec 2>&1
${command}`,
      ],
      { cwd, env, encoding: "utf8" },
    );
  expect(sh(init)).toContain("rollcall.config.json");
  expect(sh(build)).toContain("1,000 users");

  const child = spawn("sh", ["-c", serve], { cwd, env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
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
  await vi.waitFor(() => expect(said).toContain("curl"), { timeout: 20_000 });
  const url = /curl '([^']+)'/.exec(said)?.[1] ?? "";
  expect(await (await fetch(url)).json()).toMatchObject({ count: 1000 });

  const file = "path/to/your/users.sqlite";
  mkdirSync(join(cwd, dirname(file)), { recursive: true });
  writeUsers(join(cwd, file), plainRows(3));
  expect(sh(own)).toContain("3 users");
});

/** Every option there is: the types see to it that none is missing and none made up. */
const OPTIONS: Record<
  keyof (BuildOptions & BuildEffects & HostOptions & HostEffects & PublishOptions & PublishEffects),
  true
> = {
  db: true,
  baseUrl: true,
  out: true,
  table: true,
  query: true,
  pageSize: true,
  links: true,
  encodings: true,
  defaultAvatar: true,
  keep: true,
  skipInvalid: true,
  gates: true,
  problemsFile: true,
  besides: true,
  workers: true,
  now: true,
  onProgress: true,
  signal: true,
  folder: true,
  cacheControl: true,
  cacheMb: true,
  log: true,
  access: true,
  onSwitch: true,
  dist: true,
  target: true,
  release: true,
  force: true,
  expect: true,
  dryRun: true,
  purgeList: true,
  endpoint: true,
  onWait: true,
  onStep: true,
};

test("the library's table names every option of build, createHost and publish, and no other", () => {
  const rows = [...section("As a library").matchAll(/^\|[^|]*\|([^|]*)\|/gm)].slice(2);
  const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named).toEqual(Object.keys(OPTIONS));
});

test("who writes TypeScript is told of Node's types", () => {
  expect(section("As a library")).toContain("npm install --save-dev @types/node");
});
