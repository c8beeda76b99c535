/**
 * A process that never stops writing to a file of users: `fork("writer.ts", [file])`. Each transaction changes users all
 * over the order and leaves true that the referrals add up to what they did, and that the bio of the newest and of the
 * oldest user both say which transaction was the last and how many users it left.
 */
import Database from "better-sqlite3";
import { codeOf } from "../../src/errors.js";
import { userId } from "../support/database.js";
import { pause } from "../support/time.js";
import { ledger, NEWEST, OLDEST } from "./ledger.js";

/** What the writer tells its parent when it is asked to stop. */
export interface Report {
  commits: number;
  /** How often another process held a lock. */
  refused: number;
}

const [file = ""] = process.argv.slice(2);
// Without a busy timeout, so that every lock of another process is counted.
const db = new Database(file, { timeout: 0 });
db.pragma("synchronous = OFF");

const add = db.prepare("UPDATE users SET referrals_count = referrals_count + ? WHERE id = ?");
const referralsOf = db.prepare<[string], number>("SELECT referrals_count FROM users WHERE id = ?").pluck();
const insert = db.prepare("INSERT INTO users (id, date_joined, bio) VALUES (?, ?, ?)");
const someone = db
  .prepare<[], string>(`SELECT id FROM users WHERE id NOT IN ('${NEWEST}', '${OLDEST}') ORDER BY random() LIMIT 1`)
  .pluck();
const remove = db.prepare("DELETE FROM users WHERE id = ?");
const count = db.prepare<[], number>("SELECT count(*) FROM users").pluck();
const say = db.prepare(`UPDATE users SET bio = ? WHERE id IN ('${NEWEST}', '${OLDEST}')`);

const report: Report = { commits: 0, refused: 0 };
let isAsked = true;
process.on("message", () => {
  isAsked = false;
});
// The test has ended, so the writer ends, too.
process.on("disconnect", () => process.exit());

while (isAsked) {
  await persist("BEGIN IMMEDIATE");
  change(report.commits + 1);
  await persist("COMMIT");
  report.commits += 1;
  await pause(1);
}
db.close();
process.send?.(report);
process.disconnect();

/** Tries until no other process holds a lock. A refused COMMIT may be tried again: SQLite keeps the transaction. */
async function persist(statement: string): Promise<void> {
  for (;;) {
    try {
      db.exec(statement);
      return;
    } catch (error) {
      if (!codeOf(error)?.startsWith("SQLITE_BUSY")) throw error;
      report.refused += 1;
      await pause(1);
    }
  }
}

function change(commit: number): void {
  const [from, to] = commit % 2 ? [NEWEST, OLDEST] : [OLDEST, NEWEST];
  move(from, to, Math.ceil((referralsOf.get(from) ?? 0) / 2));
  for (let i = 0; i < 3; i++) {
    const [giver = "", taker = ""] = [someone.get(), someone.get()];
    move(giver, taker, referralsOf.get(giver) ?? 0);
  }
  // More users come than go, and then more go than come, so that the count keeps changing.
  const [coming, going] = commit % 20 < 10 ? [3, 1] : [1, 3];
  for (let i = 0; i < coming; i++) {
    // A replacement character, which makes a build look at the bytes.
    insert.run(userId(1_000_000 + commit * 10 + i), `2025-06-${day()}T00:00:00.000000Z`, "new \ufffd");
  }
  for (let i = 0; i < going; i++) {
    const leaver = someone.get() ?? "";
    move(leaver, OLDEST, referralsOf.get(leaver) ?? 0);
    remove.run(leaver);
  }
  say.run(ledger(commit, count.get() ?? 0));
}

function move(from: string, to: string, amount: number): void {
  add.run(-amount, from);
  add.run(amount, to);
}

function day(): string {
  return String(1 + Math.floor(Math.random() * 30)).padStart(2, "0");
}
