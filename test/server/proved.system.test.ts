/** A file is hashed once, and read without hashing while its `stat` is unchanged. Every change is detected. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fileTime } from "../support/files.js";
import { describeWith } from "../support/installed.js";
import { USER_PAGES } from "../support/pages.js";
import { until } from "../support/until.js";
import type { Shape } from "./release.js";
import { ask, serving } from "./running.js";

const SHAPE: Shape = { encodings: ["br", "gzip"], others: { "avatar.svg": "<svg>an avatar of some length</svg>" } };
const PAGE = "/api/users/?page=2";

/** URLs and their files. */
const FILES: [name: string, file: string, path: string, coding: string][] = [
  ["a page", USER_PAGES.path(2), PAGE, "identity"],
  ["a page in gzip", USER_PAGES.path(2, "gzip"), PAGE, "gzip"],
  ["a page in brotli", USER_PAGES.path(2, "br"), PAGE, "br"],
  ["another file", "avatar.svg", "/avatar.svg", "identity"],
];

/** Each writes the given bytes into a file, without changing its size. */
const WAYS: [name: string, write: (file: string, bytes: Buffer) => Promise<unknown>][] = [
  [
    "written over, with its times set back",
    async (file, bytes) => {
      const { atime, mtime } = await stat(file);
      await writeFile(file, bytes);
      await utimes(file, atime, mtime);
    },
  ],
  [
    "replaced by another file of the same times",
    async (file, bytes) => {
      const { atime, mtime } = await stat(file);
      await writeFile(`${file}.new`, bytes);
      await utimes(`${file}.new`, atime, mtime);
      await rename(`${file}.new`, file);
    },
  ],
];

/** A server that keeps no page, so that each answer is read. */
async function reading(settleMs: number) {
  const running = await serving(SHAPE, { cacheMb: 0 }, { settleMs });
  const get = (path: string, coding: string) => ask(running.port, path, { headers: { "Accept-Encoding": coding } });
  return { ...running, get };
}

/** Waits until a file's last change is old enough to be trusted. */
function settled(file: string, settleMs: number): Promise<boolean> {
  return until(() => fileTime() > statSync(file).ctimeMs + settleMs + 20);
}

describe.each(FILES)("%s", (_name, file, path, coding) => {
  test.each(WAYS)("%s: never sends other bytes, and sends the right ones again", async (_how, write) => {
    const { server, get, lines } = await reading(0);
    const whole = join(server.release.folder, file);
    const bytes = await readFile(whole);
    const other = Buffer.from(bytes);
    other[20] = (other[20] ?? 0) ^ 1;
    for (let round = 1; round <= 2; round++) {
      await settled(whole, 0);
      for (let time = 1; time <= 2; time++) expect((await get(path, coding)).body.equals(bytes)).toBe(true);
      await write(whole, other);
      expect((await get(path, coding)).status).toBe(500);
      await write(whole, bytes);
    }
    expect((await get(path, coding)).body.equals(bytes)).toBe(true);
    expect(lines).toHaveLength(2);
  });

  test("serves a file that was touched, linked or unlinked", async () => {
    const { server, get, lines } = await reading(0);
    const whole = join(server.release.folder, file);
    const bytes = await readFile(whole);
    const touches = [() => utimes(whole, 1, 1), () => link(whole, `${whole}.2`), () => rm(`${whole}.2`)];
    for (const touch of touches) {
      await settled(whole, 0);
      await get(path, coding);
      await touch();
      expect((await get(path, coding)).body.equals(bytes)).toBe(true);
    }
    expect(lines).toEqual([]);
  });
});

// Writing to a mapped file does not change its times, so the response shows whether the page was hashed.
describeWith("python3", "bytes that change behind the system's back", (python) => {
  test.each([
    ["has settled", 0, 200],
    ["has not settled", 1e9, 500],
  ] as const)("a page whose file %s is answered with the right status", async (_what, settleMs, status) => {
    const { server, get } = await reading(settleMs);
    const whole = join(server.release.folder, USER_PAGES.path(2));
    const poke = await mapped(python, whole);
    await settled(whole, 0);
    for (let time = 1; time <= 2; time++) expect((await get(PAGE, "identity")).status).toBe(200);
    await poke();
    expect((await get(PAGE, "identity")).status).toBe(status);
  });
});

/** Maps a file and writes to it once without changing it. The returned function changes its first byte. */
async function mapped(python: string, file: string): Promise<() => Promise<unknown>> {
  const script = [
    "import mmap, sys",
    "f = open(sys.argv[1], 'r+b')",
    "m = mmap.mmap(f.fileno(), 0)",
    "m[0] = m[0]",
    "print(flush=True)",
    "sys.stdin.readline()",
    "m[0] = m[0] ^ 1",
    "print(flush=True)",
    "sys.stdin.readline()",
  ];
  const child = spawn(python, ["-c", script.join("\n"), file], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  return async () => {
    child.stdin.write("\n");
    await once(child.stdout, "data");
  };
}
