/** Errors while a text file is read: told as errors of the file, never of dist, and nothing is published. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { CLI } from "../../support/command.js";
import { scratch } from "../../support/files.js";
import { needs } from "../../support/needs.js";
import { listCalls, runWith } from "../../support/strace.js";

let folder: string;
let file: string;

const CONTRACT = {
  type: "object",
  "x-listing": { path: "/rows/", words: ["row", "rows"], key: "id", order: ["id"], version: 1 },
  properties: { id: { type: "integer" }, name: { type: "string" } },
  required: ["id", "name"],
  additionalProperties: false,
};

const isPublished = () => existsSync(join(folder, "dist", "current"));

function write(rows: number): void {
  const lines = Array.from({ length: rows }, (_, at) => `${at},Row number ${at}\n`);
  writeFileSync(file, `id,name\n${lines.join("")}`);
}

beforeEach(() => {
  folder = scratch();
  file = join(folder, "rows.csv");
  writeFileSync(join(folder, "c.json"), JSON.stringify(CONTRACT));
});

test.skipIf(!needs("strace"))("a disk that fails while the file is read", async () => {
  write(20_000);
  const dist = join(folder, "dist");
  const args = ["build", "--db", file, "--contract", join(folder, "c.json"), "--dist", dist];
  args.push("--base-url", "https://a.example", "--workers", "0", "--quiet");
  const [ended, calls] = await listCalls(args, folder);
  expect(ended.code).toBe(0);
  rmSync(dist, { recursive: true });
  const ofFile = calls.filter(({ path, name, when }) => path === file && /read|open/.test(name) && when <= 4);
  expect(ofFile.length).toBeGreaterThan(3);
  for (const call of ofFile) {
    const { code, stderr } = await runWith("error=EIO", call, args, folder);
    expect(stderr, call.text).toMatch(/^error: Cannot read [^\n]*rows\.csv \(EIO\): [^\n]*\n$/);
    expect(code, call.text).toBe(1);
    expect(isPublished()).toBe(false);
  }
});

describe.skipIf(!needs("userns"))("a temporary directory without room", () => {
  test.each([
    ["100k", "--db rows.csv"],
    // The imported file fits, but not the copy in published order.
    ["3m", "--db rows.csv"],
    ["100k", "--db - --format csv < rows.csv"],
  ])("%s for %s", (size, source) => {
    write(60_000);
    mkdirSync(join(folder, "tmp"));
    const build = `TMPDIR=tmp ${process.execPath} ${CLI} build ${source} --contract c.json --base-url https://a.example`;
    const script = `mount -t tmpfs -o size=${size} tmpfs tmp && ${build} --quiet 2>&1; echo "exit $?"`;
    const output = execFileSync("unshare", ["-rm", "sh", "-c", script], { cwd: folder, encoding: "utf8" });
    expect(output).toMatch(
      /^error: The folder for temporary files, .*, has too little room \(\w+\); point TMPDIR at one with more\.\nexit 1\n$/,
    );
    expect(isPublished()).toBe(false);
  });
});
