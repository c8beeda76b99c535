/** Copies of a listing, and what they hold by the judgement of others than themselves. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import stringify from "fast-json-stable-stringify";
import { createMemoryStore, openListing, type SyncResult } from "../../../src/client/index.js";
import type { Held } from "../../../src/client/sync/store.js";
import type { AnyRecord } from "../../../src/contract/contract.js";
import { build } from "../../../src/index.js";
import { createSqliteStore } from "../../../src/mirror/store.js";
import type { Random } from "../../support/random.js";

export interface Copy {
  name: string;
  sync(): Promise<SyncResult>;
  held(): Promise<Held | undefined>;
  /** The digest of each record's text, in order, as far as that is told at once. */
  digests(): Promise<string[]>;
  /** The same, made from the records alone. */
  madeDigests(): Promise<string[]>;
}

/** What a copy is of. */
export interface Origin {
  baseUrl: string;
  publicKey: string | undefined;
}

/** Long enough to see a host come back from a switch, and short enough for a host that is gone. */
const PAUSES_MS = [20, 60, 120];

/** One in memory. Now and then, its reader is one that has never read anything. */
export function memoryCopy(name: string, origin: Origin, random: Random): Copy {
  const store = createMemoryStore<AnyRecord>();
  const open = openerOf(origin);
  let listing = open();
  const digests = async () => [...store].map((record) => sha256(stringify(record)).slice(0, 32));
  return {
    name,
    async sync() {
      if (random.chance(0.3)) listing = open();
      return listing.sync(store);
    },
    held: async () => store.held(),
    digests,
    madeDigests: digests,
  };
}

/** One in a SQLite file, which is opened anew each time. What it holds is what a build publishes of it. */
export function sqliteCopy(name: string, origin: Origin, folder: string): Copy {
  const file = join(folder, `${name}.sqlite`);
  const open = openerOf(origin);
  const using = async <T>(step: (store: ReturnType<typeof createSqliteStore>) => T | Promise<T>) => {
    const store = createSqliteStore(file, origin.baseUrl);
    try {
      return await step(store);
    } finally {
      store.close();
    }
  };
  const select = (sql: string) => {
    if (!existsSync(file)) return [];
    const db = new Database(file, { readonly: true });
    try {
      return db.prepare<[], string>(sql).pluck().all();
    } finally {
      db.close();
    }
  };
  const has = () => select("SELECT 1 FROM sqlite_schema WHERE name = 'rollcall_records'").length > 0;
  return {
    name,
    sync: () => using((store) => open().sync(store)),
    held: () => using((store) => store.held()),
    digests: async () => (has() ? select("SELECT digest FROM rollcall_records ORDER BY place") : []),
    async madeDigests() {
      const contract = JSON.parse(select("SELECT contract FROM rollcall_mirror")[0] ?? "");
      const out = join(folder, `${name}-dist`);
      const built = await build({ db: file, out, baseUrl: origin.baseUrl, contract, keep: 0, workers: 0 });
      return digestsIn(readFileSync(join(built.folder, "records.sha256"), "utf8"));
    },
  };
}

function openerOf({ baseUrl, publicKey }: Origin) {
  return () => openListing<AnyRecord>(baseUrl, { pausesMs: PAUSES_MS, ...(publicKey && { publicKey }) });
}

function digestsIn(records: string): string[] {
  return [...records.matchAll(/^([0-9a-f]{32}) {2}/gm)].map(([, digest = ""]) => digest);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
