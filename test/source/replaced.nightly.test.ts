/** A source that is replaced by a rename at every moment of a build: each release comes from one file. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, UserError } from "rollcall";
import { beforeEach, describe, expect, test } from "vitest";
import { plainRows, type Row, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { SEED } from "../support/random.js";

const INDEX = "CREATE INDEX users_in_order ON users (date_joined DESC, id)";
const USERS = 400;
const BUILDS = 30;

let folder: string;
let db: string;
/** Another file, with another newest user, and another bio for everybody. */
let newer: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
  newer = join(folder, "newer.sqlite");
  writeVersion(db, "old");
  writeVersion(newer, "new", { id: userId(USERS), date_joined: "2026-11-01T00:00:00.000000Z" });
});

function writeVersion(file: string, bio: string, ...more: Row[]): void {
  const rows = [...plainRows(USERS - more.length), ...more];
  writeUsers(
    file,
    rows.map((row) => ({ ...row, bio })),
    INDEX,
  );
}

/** Builds. `meanwhile` is called when the source has been opened, before threads begin. */
async function buildBeside(meanwhile: () => void, options: Partial<BuildOptions> = {}): Promise<string[]> {
  let isDone = false;
  const onProgress = () => {
    if (!isDone) meanwhile();
    isDone = true;
  };
  const all = { db, out: join(folder, "dist"), baseUrl: "https://a.example", pageSize: 10, ...options };
  const { folder: release, records } = await build(all, { onProgress });
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

const DELIVERIES: [string, () => void][] = [
  ["by rename", () => renameSync(newer, db)],
  [
    "by a link that is changed",
    () => {
      symlinkSync(newer, join(folder, "link"));
      renameSync(join(folder, "link"), db);
    },
  ],
  [
    "and then removed with the name that it had",
    () => {
      rmSync(db);
      renameSync(newer, db);
    },
  ],
];

describe.each(DELIVERIES)("a new file %s while a build begins", (_, deliver) => {
  test("several threads: the release is of the new file", async () => {
    expect(await buildBeside(deliver, { workers: 3 })).toEqual(["new"]);
  });

  test("one: of the file that it has open, and the next build is of the new one", async () => {
    expect(await buildBeside(deliver, { workers: 0 })).toEqual(["old"]);
    expect(await buildBeside(() => {}, { workers: 0 })).toEqual(["new"]);
  });
});

test("a new file that has no index, or is no table any more, while threads begin", async () => {
  rmSync(newer);
  writeUsers(
    newer,
    plainRows(USERS).map((row) => ({ ...row, bio: "new" })),
    "ALTER TABLE users RENAME TO everyone; CREATE VIEW users AS SELECT * FROM everyone",
  );
  expect(await buildBeside(() => renameSync(newer, db), { workers: 2 })).toEqual(["new"]);
});

test.each([
  ["the file", () => rmSync(db)],
  ["its folder", () => rmSync(dirname(db), { recursive: true })],
])("%s is removed while threads begin: one line, and no bug", async (_, remove) => {
  const out = scratch();
  const error = await buildBeside(remove, { workers: 2, out }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toBe(`There is no file ${db}; --db names the SQLite file of records.`);
  expect(readdirSync(out)).not.toContain("current");
});

test("files delivered all the time, at any moment: no release is a mixture, and the last file is published", {
  timeout: 300_000,
}, async () => {
  const seed = SEED;
  const message = `ROLLCALL_TEST_SEED=${seed}`;
  const versions = ["v0", "v1", "v2"].map((name) => {
    writeVersion(join(folder, name), name);
    return name;
  });
  const courier = fork(fileURLToPath(new URL("../support/courier.mjs", import.meta.url)), [folder, String(seed)]);
  try {
    await once(courier, "message");
    for (let i = 0; i < BUILDS; i++) {
      const bios = await buildBeside(() => {}, { workers: 2 });
      expect(bios, message).toHaveLength(1);
      expect(versions, message).toContain(bios[0]);
    }
    courier.send("stop");
    const [last] = await once(courier, "message");
    expect(await buildBeside(() => {}, { workers: 2 }), message).toEqual([last]);
  } finally {
    courier.kill();
  }
});
