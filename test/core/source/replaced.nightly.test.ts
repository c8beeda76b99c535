/** A source that is replaced by renames during builds: each release comes from one file. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rollcall";
import { beforeEach, expect, test } from "vitest";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { SEED } from "../../support/random.js";

const USERS = 400;
const BUILDS = 300;

let folder: string;
let db: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
  writeVersion(db, "old");
});

function writeVersion(file: string, bio: string): void {
  const rows = plainRows(USERS).map((row) => ({ ...row, bio }));
  writeUsers(file, rows);
}

async function buildAll(): Promise<string[]> {
  const options = { db, dist: join(folder, "dist"), baseUrl: "https://a.example", pageSize: 10, workers: 2 };
  const { folder: release, records } = await build(options);
  expect(records).toBe(USERS);
  return biosOf(release);
}

/** The different bios in a release. */
function biosOf(release: string): string[] {
  const pages = join(release, "api/users/pages");
  const users = readdirSync(pages).flatMap((name): { bio: string }[] => {
    return JSON.parse(readFileSync(join(pages, name), "utf8")).results;
  });
  return [...new Set(users.map(({ bio }) => bio))];
}

test("never mixes files that are delivered during builds, and publishes the last one", {
  timeout: 300_000,
}, async () => {
  const seed = SEED;
  const message = `ROLLCALL_TEST_SEED=${seed}`;
  const versions = ["v0", "v1", "v2"].map((name) => {
    writeVersion(join(folder, name), name);
    return name;
  });
  const courier = fork(fileURLToPath(new URL("../../support/courier.mjs", import.meta.url)), [folder, String(seed)]);
  try {
    await once(courier, "message");
    for (let i = 0; i < BUILDS; i++) {
      const bios = await buildAll();
      expect(bios, message).toHaveLength(1);
      expect(versions, message).toContain(bios[0]);
    }
    courier.send("stop");
    const [last] = await once(courier, "message");
    expect(await buildAll(), message).toEqual([last]);
  } finally {
    courier.kill();
  }
});
