/** Sources of any size, made once a run, and their variants. */
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { withLongTexts } from "../sample/long-texts.js";
import { CREATE_INDEX, CREATE_USERS } from "../sample/schema.js";
import { sampleUsers } from "../sample/users.js";
import { writeUsers } from "../sample/write.js";

/** Larger sources are copies of one of this size under other ids and dates, which is five times as fast. */
const SAMPLE = 1_000_000;
/** A digit of each id tells them apart. */
const MOST_COPIES = 16;
/** Bytes a user, of a source and of its pages; near enough to tell whether there is room. */
export const SOURCE_BYTES = 560;
export const PAGE_BYTES = 850;

export class Sources {
  constructor(
    readonly folder: string,
    readonly say: (line: string) => void,
    readonly sample = SAMPLE,
  ) {}

  /** The file of so many users. Whoever changes it in place keeps every user valid. */
  take(users: number): string {
    const file = join(this.folder, `${users}.sqlite`);
    if (existsSync(file)) return file;
    if (users > MOST_COPIES * this.sample)
      throw new Error(`A source has at most ${MOST_COPIES * this.sample} users here, not ${users}`);
    const few = users > this.sample ? this.take(this.sample) : undefined;
    this.say(`making ${users.toLocaleString("en")} users`);
    if (few === undefined) writeUsers(sampleUsers(users, 1), file, { force: false });
    else multiply(few, this.sample, file, users);
    return file;
  }

  /** The same number of other users, whose texts are long and differ: what helps with short ones may not help here. */
  takeLong(users: number): string {
    const file = join(this.folder, `${users}-long.sqlite`);
    if (existsSync(file)) return file;
    this.say(`making ${users.toLocaleString("en")} users with long texts`);
    writeUsers(withLongTexts(sampleUsers(users, 2), 3), file, { force: false });
    return file;
  }

  drop(users: number): void {
    rmSync(join(this.folder, `${users}.sqlite`), { force: true });
  }
}

/** Fills `file` with the users of `few` again and again, in no order of time: neighbours are far apart in the listing. */
function multiply(few: string, size: number, file: string, users: number): void {
  const db = new Database(file);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"]) db.pragma(pragma);
  db.exec(CREATE_USERS);
  db.prepare("ATTACH ? AS few").run(few);
  const names = (db.pragma("few.table_info(users)") as { name: string }[]).map(({ name }) => name);
  const columns = names.map((name) => COPIED[name] ?? name).join(", ");
  // In the order of ids, so that their index grows at few places at a time.
  const insert = db.prepare(`INSERT INTO users SELECT ${columns} FROM few.users ORDER BY id LIMIT @limit`);
  for (let copy = 0; copy * size < users; copy++) insert.run({ copy, limit: users - copy * size });
  db.exec(CREATE_INDEX);
  db.close();
}

const DIGITS = "'0123456789abcdef'";

/** Another first digit, and months earlier, so that no page has the same person twice. */
const COPIED: Readonly<Record<string, string>> = {
  id: `substr(${DIGITS}, 1 + (instr(${DIGITS}, substr(id, 1, 1)) - 1 + @copy) % 16, 1) || substr(id, 2)`,
  date_joined: `strftime('%Y-%m-%dT%H:%M:%S', date_joined, (-100 * @copy) || ' days') || substr(date_joined, 20)`,
};

/** Changes one user in a thousand, in place. */
export function changeSome(db: string): void {
  const file = new Database(db);
  file.exec("UPDATE users SET referrals_count = referrals_count + 1 WHERE rowid % 1000 = 7");
  file.close();
}

/** A copy of a source without the index that pages are read by. */
export function withoutIndex(db: string): string {
  const copy = `${db}.unindexed`;
  if (existsSync(copy)) return copy;
  cpSync(db, copy);
  const file = new Database(copy);
  file.exec("DROP INDEX users_in_order");
  file.close();
  return copy;
}
