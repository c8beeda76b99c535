/** Fills mirrors from a release, record by record, without a host. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Entry, KeptRecord, StoreTransaction } from "../../src/client/sync/store.js";
import type { AnyRecord } from "../../src/core/contract/contract.js";
import { recordEncoder } from "../../src/core/contract/record/encode.js";
import { openRelease } from "../../src/core/release/open.js";
import type { SqliteStores } from "../../src/mirror/sqlite-store.js";

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The records that a reader of a release puts, in published order, and the resulting state. */
async function readKept(folder: string) {
  const { snapshot, contract, paths } = await openRelease(folder);
  const encode = recordEncoder(contract);
  const list = readFileSync(join(folder, "records.sha256"), "utf8");
  const lines = list.split("\n");
  const records: KeptRecord<AnyRecord>[] = [];
  for (let page = 1; page <= snapshot.pages; page++) {
    const { results } = JSON.parse(readFileSync(join(folder, paths.path(page)), "utf8"));
    for (const record of results) {
      const text = encode(record);
      const [digest = "", key = ""] = (lines[records.length] ?? "").split(/ {2}(.*)/s);
      if (digest !== sha256(text).slice(0, 32)) throw new Error(`${folder}: ${text} is not of its line`);
      const order = Buffer.alloc(4);
      order.writeUInt32BE(records.length);
      records.push({ key, digest, order, record, text });
    }
  }
  const text = readFileSync(join(folder, "contract.json"), "utf8");
  const held = { id: snapshot.id, state: sha256(list), contract: sha256(text), count: records.length };
  return { records, held, contract: contract.file };
}

/** The state of a copy, computed from its records. */
export async function stateOf(transaction: StoreTransaction<AnyRecord>): Promise<string> {
  const entries: Entry[] = [];
  for await (const entry of transaction.entries()) entries.push(entry);
  return sha256(entries.map(({ digest, key }) => `${digest}  ${key}\n`).join(""));
}

/** Puts all of a release into a mirror, like a full read. */
export async function fill(stores: SqliteStores, folder: string): Promise<void> {
  const { records, held, contract } = await readKept(folder);
  const store = stores.store("");
  await store.held();
  const transaction = await store.begin(contract, true);
  for (const record of records) await transaction.put(record);
  if ((await stateOf(transaction)) !== held.state) throw new Error("The mirror holds another state");
  await transaction.commit(held);
  stores.commit();
}

/**
 * The states of a mirror's listings, after checking that its records have them; undefined for one that was never filled. It opens
 * the file for writing, since SQLite then rolls back what a killed run has left.
 */
export function held(file: string): string | undefined {
  const db = new Database(file);
  try {
    return db.transaction(() => {
      if (db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined) return undefined;
      const rows = db
        .prepare<[], { records: string; state: string }>("SELECT records, state FROM rollcall_mirror ORDER BY name")
        .all();
      for (const { records, state } of rows) {
        const lines = db.prepare<[], string>(
          `SELECT digest || '  ' || key FROM "rollcall_records_of_${records}" ORDER BY place`,
        );
        const made = lines.pluck().all();
        if (sha256(made.map((line) => `${line}\n`).join("")) !== state) throw new Error(`${file} holds another state`);
        const count = db.prepare(`SELECT count(*) FROM "${records}"`).pluck().get();
        if (count !== made.length) throw new Error(`${file} has ${count} ${records} and lists ${made.length}`);
      }
      return rows.map(({ state }) => state).join(" ") || undefined;
    })();
  } finally {
    db.close();
  }
}
