/** Publishes rows, not index entries: a wrong index has no effect. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, build, InvalidRecordsError } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, userId, usersFile, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { draws, seeded } from "../../support/random.js";

const INDEX = "CREATE INDEX users_order ON users (date_joined DESC, id);";
const FLIPS = draws(300);

function publish(db: string, more: Partial<BuildOptions> = {}) {
  // Few users per page, so that threads get several batches.
  const options = { baseUrl: "https://directory.example.com", pageSize: 2, workers: 1, ...more };
  return build({ ...options, db, dist: scratch() });
}

function edit<T>(db: string, act: (file: Database.Database) => T): T {
  const file = new Database(db);
  try {
    return act(file);
  } finally {
    file.close();
  }
}

test(`${FLIPS} flipped bits in indexes`, { timeout: 1_200_000 }, async () => {
  const folder = scratch();
  const whole = writeUsers(join(folder, "whole.sqlite"), plainRows(40), INDEX, "PRAGMA page_size = 512");
  const { id } = await publish(whole);
  const pages = edit(whole, (file) => {
    return file
      .prepare<[], number>("SELECT pageno FROM dbstat WHERE name IN ('users_order', 'sqlite_autoindex_users_1')")
      .pluck()
      .all();
  });
  const bytes = readFileSync(whole);
  const random = seeded();
  const db = join(folder, "flipped.sqlite");
  for (let flip = 0; flip < FLIPS; flip++) {
    const page = pages[random.below(pages.length)] ?? 0;
    const [at, bit] = [(page - 1) * 512 + random.below(512), random.below(8)];
    writeFileSync(
      db,
      bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte)),
    );
    expect(await publish(db, { workers: flip % 2 }), `bit ${bit} of byte ${at}`).toMatchObject({ id });
  }
});

/** Changes rows but not an index, which is removed from the schema meanwhile. */
function changeUnseen(db: string, index: string, sql: string): void {
  const inSchema = (act: (file: Database.Database) => unknown) => {
    return edit(db, (file) => {
      file.unsafeMode();
      file.pragma("writable_schema = ON");
      return act(file);
    });
  };
  const entry = inSchema((file) => {
    return file.prepare("DELETE FROM sqlite_schema WHERE name = ? RETURNING *").get(index);
  });
  edit(db, (file) => file.exec(sql));
  inSchema((file) => {
    return file.prepare("INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)").run(entry);
  });
}

test.each([
  ["another date", `UPDATE users SET date_joined = '2020-01-01T00:00:00.000000Z' WHERE id = '${userId(3)}'`],
  ["a row less", `DELETE FROM users WHERE id = '${userId(3)}'`],
  ["a row more", `INSERT INTO users (id, date_joined) VALUES ('${userId(1003)}', '2020-01-01T00:00:00.000000Z')`],
])("ignores an index that missed %s", async (_, sql) => {
  const db = usersFile(plainRows(20), INDEX);
  changeUnseen(db, "users_order", sql);
  const { id } = await publish(db);
  edit(db, (file) => file.exec("REINDEX"));
  expect(await publish(db)).toMatchObject({ id });
});

test("ignores an index that missed another id", async () => {
  const db = usersFile(plainRows(20), INDEX);
  changeUnseen(db, "users_order", `UPDATE users SET id = '${userId(1003)}' WHERE id = '${userId(3)}'`);
  expect(await publish(db)).toMatchObject({ id: (await publish(db, { workers: 0 })).id });
});

test("finds a repeated id that an index hides", async () => {
  const rows = plainRows(20);
  const db = usersFile(rows, INDEX);
  edit(db, (file) => {
    const columns = file.prepare("SELECT name FROM pragma_table_info('users')").pluck().all();
    file.exec(`CREATE TABLE others (${columns}); INSERT INTO others SELECT * FROM users;
      CREATE INDEX by_id ON others (id); CREATE INDEX others_order ON others (date_joined DESC, id)`);
  });
  changeUnseen(db, "by_id", `UPDATE others SET id = '${userId(4)}' WHERE id = '${userId(9)}'`);
  for (const workers of [0, 1, 2]) {
    const error = await publish(db, { table: "others", workers }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidRecordsError);
    expect(error).toMatchObject({ problems: { records: 2, first: [{ message: "must be unique" }, {}] } });
  }
});
