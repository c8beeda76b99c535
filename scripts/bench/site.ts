/** A listing on rollcall serve, and its pages by rsync, of a source that is changed and published again. */
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { start } from "./child.js";
import type { Origin } from "./copies.js";
import { type LoggedServer, startLogged } from "./logged.js";
import { isInstalled } from "./machine.js";
import { rollcall } from "./programs.js";
import { freePort } from "./serve/servers.js";

export interface Edit {
  name: string;
  /** The most that a mirror may move, in % of all pages in gzip. */
  most: number;
  /** Given all columns, and the same with the ids of others. */
  sql(columns: string, copied: string): string;
}

export const EDITS: readonly Edit[] = [
  {
    name: "1 % changed",
    most: 2,
    // Spread over the listing: of 2,000 users 18 are changed, one is gone, and one is new.
    sql: (columns, copied) => `
      UPDATE users SET bio = bio || '!', referrals_count = referrals_count + 1 WHERE rowid % 1000 BETWEEN 10 AND 18;
      DELETE FROM users WHERE rowid % 2000 = 5;
      INSERT INTO users (${columns}) SELECT ${copied} FROM users WHERE rowid % 2000 = 7`,
  },
  {
    name: "one user added",
    most: 0.1,
    // At the top, so that everybody else moves by one place.
    sql: (columns, copied) =>
      `INSERT INTO users (${columns}) SELECT ${copied} FROM users ORDER BY date_joined DESC LIMIT 1`,
  },
];

export interface Site extends Origin {
  server: LoggedServer;
  /** Changes the source, and returns when the host has the new release. */
  publish(edit: Edit): Promise<void>;
  /** The digest of records.sha256. */
  state(): string;
  bytesOfPages(): number;
  end(): Promise<void>;
}

export async function openSite(source: string, folder: string): Promise<Site> {
  const [db, dist, scratch] = [join(folder, "source.sqlite"), join(folder, "dist"), folder];
  cpSync(source, db);
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const build = () =>
    rollcall(db, dist, "--base-url", baseUrl, "--compress", "gzip", "--bulk", "--changes", "8", "--keep", "1");
  await build();
  const server = await startLogged(dist, baseUrl, join(folder, "requests.log"));
  const pages = join(dist, "current/api/users/pages");
  const rsync = isInstalled("rsync") ? await startRsync(pages, folder) : undefined;
  const snapshot = () => readFileSync(join(dist, "current/snapshot.json"), "utf8");
  return {
    ...{ baseUrl, scratch, server, rsync: rsync?.url ?? "" },
    async publish({ sql }) {
      change(db, sql);
      await build();
      while ((await (await fetch(`${baseUrl}/snapshot.json`)).text()) !== snapshot()) await sleep(20);
    },
    state() {
      const sums = readFileSync(join(dist, "current/SHA256SUMS"), "utf8");
      return /^(\w+) {2}records\.sha256$/m.exec(sums)?.[1] ?? "";
    },
    bytesOfPages() {
      const names = readdirSync(pages).filter((name) => name.endsWith(".gz"));
      return names.reduce((sum, name) => sum + statSync(join(pages, name)).size, 0);
    },
    async end() {
      rsync?.end();
      await server.end();
    },
  };
}

let edits = 0;

function change(file: string, sql: Edit["sql"]): void {
  const db = new Database(file);
  const columns = (db.pragma("table_info(users)") as { name: string }[]).map(({ name }) => name);
  const prefix = String(edits++).padStart(8, "0");
  const copied = columns.map((name) => (name === "id" ? `'${prefix}' || substr(id, 9)` : name));
  db.exec(sql(`${columns}`, `${copied}`));
  db.close();
}

/** rsync's own server of a folder, which may be another at each connection. */
async function startRsync(folder: string, scratch: string) {
  const [config, port] = [join(scratch, "rsyncd.conf"), await freePort()];
  const owner = `uid = ${process.getuid?.()}\ngid = ${process.getgid?.()}`;
  writeFileSync(config, `use chroot = no\n${owner}\n[pages]\npath = ${folder}\nread only = yes\n`);
  const child = start([
    "rsync",
    "--daemon",
    "--no-detach",
    "--address=127.0.0.1",
    `--port=${port}`,
    `--config=${config}`,
  ]);
  const url = `rsync://127.0.0.1:${port}/pages/`;
  for (;;) {
    const [code] = await once(start(["rsync", url]), "exit");
    if (code === 0) return { url, end: () => void child.kill() };
    if (child.exitCode !== null) throw new Error(`rsync --daemon ended with ${child.exitCode}`);
    await sleep(50);
  }
}
