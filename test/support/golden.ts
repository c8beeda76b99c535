/** The site of all browser tests that only read. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, createServer } from "../../src/index.js";
import { plainRows, type Row, writeUsers } from "./database.js";
import { freePort } from "./ports.js";

const NAMES: Record<number, string> = { 7: "Anna Berg", 120: "Jörg Annas", 201: "Anna-Lena Öström", 230: "\u202eEve" };

/** 240 users, newest first. Every fourth is verified. */
export function goldenRows(bio: string): Row[] {
  return plainRows(240).map((row, at) => ({
    ...row,
    bio,
    display_name: NAMES[at] ?? `Person ${at}`,
    kyc_status: at % 4 === 0 ? "VERIFIED" : "NONE",
  }));
}

const sites = new Map<number, Promise<string>>();

/** The URL of the site, which is built at first use and served until the process ends. */
export function goldenSite(pageSize = 50): Promise<string> {
  const site = sites.get(pageSize) ?? serve(pageSize);
  sites.set(pageSize, site);
  return site;
}

async function serve(pageSize: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-golden-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const db = writeUsers(join(folder, "users.sqlite"), goldenRows("first"));
  const dist = join(folder, "dist");
  const port = await freePort();
  await build({ db, dist, baseUrl: `http://127.0.0.1:${port}`, explorer: true, pageSize });
  const host = await createServer({ dist });
  const { url } = await host.listen({ port, host: "127.0.0.1" });
  return `${url}/`;
}
