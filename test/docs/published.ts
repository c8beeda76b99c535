/** The sample users as a signed release with bulk parts and a step from the release before it, on a host: what readers of the documentation read. */
import { cpSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { Page, User } from "../../src/index.js";
import { SERVERS, serveWith } from "../host/servers.js";
import { run, start } from "../support/command.js";
import { runSql } from "../support/database.js";
import { scratch } from "../support/files.js";
import { generateKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";

const SAMPLE = fileURLToPath(new URL("../../data/users.sqlite", import.meta.url));

/** Some texts that are hard on programs that read lines. */
const HARD = `UPDATE users SET bio = '"' || char(9, 10, 13, 0, 8232, 65279, 128512) || '\\u0041''' WHERE id < '2'`;

export interface Published {
  dist: string;
  db: string;
  url: string;
  key: string;
  /** Makes another release of the source. */
  build(): Promise<void>;
}

async function publish(url: string): Promise<Published> {
  const dist = scratch();
  const db = join(dist, "users.sqlite");
  cpSync(SAMPLE, db);
  const { secret, line: key } = generateKey(dist, "publisher");
  const readers = ["--bulk", "--csv", "--parquet", "--lookup", "--changes", "3", "--feed", "--sign-key", secret];
  const args = ["build", "--db", db, "--base-url", url, "--dist", dist, ...readers, "--quiet"];
  const build = async () => expect(await run(args)).toMatchObject({ code: 0, stderr: "" });
  await build();
  runSql(db, HARD);
  await build();
  return { dist, db, url, key, build };
}

/** All records of the current release, in order, from its pages. */
export function recordsOf({ dist }: Published): User[] {
  const pages: Page[] = [];
  const file = () => join(dist, "current/api/users/pages", `${pages.length + 1}.json`);
  while (existsSync(file())) pages.push(JSON.parse(readFileSync(file(), "utf8")));
  return pages.flatMap(({ results }) => results);
}

export async function byServe(): Promise<Published> {
  const port = await freePort();
  const published = await publish(`http://127.0.0.1:${port}`);
  const { child, ended } = start(["serve", published.dist, "--port", String(port)]);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await eventually(() => fetch(`${published.url}/snapshot.json`));
  return published;
}

export async function byNginx(): Promise<Published> {
  const port = await freePort();
  const published = await publish(`http://127.0.0.1:${port}`);
  const [nginx] = SERVERS;
  if (nginx?.name !== "nginx") throw new Error("nginx is not the first of the servers.");
  await serveWith(nginx, { release: realpathSync(join(published.dist, "current")), folder: scratch(), port });
  return published;
}
