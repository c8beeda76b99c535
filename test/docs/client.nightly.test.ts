/** docs/reference/client.md: every program is compiled strictly, and run against a signed release on `rollcall serve`. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/index.js";
import { whenEnded } from "../support/command.js";
import { clone, environment } from "../support/docs.js";
import { isMissing } from "../support/installed.js";
import { byServe, recordsOf } from "./published.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DOC = readFileSync(join(ROOT, "docs/reference/client.md"), "utf8");
const PROGRAMS = [...DOC.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);

describe.skipIf(isMissing("minisign"))("the programs", () => {
  test("are typed, and say what they are to say", { timeout: 120_000 }, async () => {
    const published = await byServe();
    const folder = clone();
    const files = PROGRAMS.map((_, at) => `program-${at}.ts`);
    const types = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
    const compilerOptions = { target: "es2023", module: "nodenext", strict: true, ...types };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    for (const [at, file] of files.entries()) {
      const text = PROGRAMS[at]?.replaceAll("https://directory.example.com", published.url);
      writeFileSync(join(folder, file), text?.replace(/"RW.*"/, JSON.stringify(published.key)) ?? "");
    }
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { stdio: ["ignore", "inherit", "inherit"] });
    const run = (at: number) => {
      const args = [`program-${at}.js`];
      const stdio = ["ignore", "pipe", "pipe"] as const;
      return whenEnded(spawn(process.execPath, args, { cwd: folder, env: environment(), stdio: [...stdio] }));
    };

    const users = recordsOf(published);
    const { id } = (await openRelease(join(published.dist, "current"))).snapshot;
    const tokens = users.reduce((sum, { off_chain }) => sum + off_chain.tokens, 0);
    const [first] = users;
    const named = users.filter(({ display_name, first_name, last_name, username }) =>
      /(?<![\p{L}\p{N}])an/iu.test(
        [display_name, first_name, last_name, username].join(" ").normalize("NFKD").replace(/\p{M}/gu, ""),
      ),
    );
    const ids = users.map((user) => `${user.id}\n`);
    const said = [
      [`${users.length} users of ${id} have ${tokens} tokens, proved by signature\n`],
      [`${first?.display_name} is the first of ${users.length}\n`],
      [`${users.length} names, after 0 restarts\n`],
      // Each run goes on where the one before it has stopped.
      [0, 250, 500, 750].map(
        (from) => `${ids.slice(from, from + 250).join("")}then page ${Math.ceil((from + 250) / 100)}\n`,
      ),
      [`${users.length} users\n`],
      [
        `${first?.display_name} has the key ${first?.id}\na missing key gives undefined\n${named
          .slice(0, 3)
          .map(({ display_name }) => `${display_name}\n`)
          .join("")}${named.length} users have a name that begins with an\n`,
      ],
      [""],
      [
        `${users.length} records put and 0 removed by bulk: ${users.length} users\nnothing changed; ${first?.display_name} is the first of ${users.length}\n`,
      ],
      ["unproved 404\n"],
    ];
    expect(PROGRAMS).toHaveLength(said.length);
    for (const [at, runs] of said.entries())
      for (const stdout of runs) expect(await run(at), PROGRAMS[at]).toEqual({ code: 0, stdout, stderr: "" });
  });
});
