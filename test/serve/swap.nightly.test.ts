/** Requests from 64 connections during 100 switches by real builds: no response mixes releases. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Variant } from "../../src/core/release/layout.js";
import { openRelease, type Release } from "../../src/core/release/open.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { listReleases } from "../../src/core/release/releases.js";
import { insertUsers, type Row, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { pause } from "../support/time.js";
import { complaintsIn, startServe } from "./process.js";
import { type Answer, ask } from "./running.js";

const BUILDS = 100;
/** Minimum responses between two builds; one of them is of the newest release. */
const ANSWERS = 100;
const CONNECTIONS = 64;
const USERS = 500;
/** Pause between two requests of a connection, so that builds, server and this test share two cores. */
const THINK_MS = 10;

test("a switch fails no response and mixes none", { timeout: 600_000 }, async () => {
  const folder = scratch();
  const dist = join(folder, "dist");
  const file = writeUsers(
    join(folder, "users.sqlite"),
    Array.from({ length: USERS }, (_, at) => user(at)),
  );
  const builder = startBuilder(file, dist);
  await builder.build();
  const { port, child, ended, err } = await startServe(dist);
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const claims = new Map<string, Claim>();
  const seen = new Set<string>();
  let answers = 0;
  let notModified = 0;
  try {
    let isOver = false;
    const reader = async (agent: Agent, seed: number) => {
      const tags = new Map<string, string>();
      for (let turn = seed; !isOver; turn++) {
        // Each page twice in a row, so that the second response is mostly of the same release.
        const step = turn >> 1;
        const page = 1 + (step % (USERS / 50));
        const variant: Variant = step % 3 === 0 ? "gzip" : "identity";
        const tag = turn % 2 === 1 ? tags.get(`${page} ${variant}`) : undefined;
        const headers = { "Accept-Encoding": variant, ...(tag && { "If-None-Match": tag }) };
        const answer = await ask(port, `/api/users/?format=api&page=${page}`, { agent, headers });
        const claim = readClaim(answer, { page, variant, ...(tag && { tag }) });
        claims.set(JSON.stringify(claim), claim);
        tags.set(`${page} ${variant}`, claim.etag);
        seen.add(claim.id);
        answers++;
        if (answer.status === 304) notModified++;
        await pause(THINK_MS);
      }
    };
    const builds = async () => {
      const db = new Database(file);
      try {
        for (let done = 0; done < BUILDS; done++) {
          insertUsers(db, [user(USERS + done)]);
          expect(await builder.build()).toBe(true);
          const [enough, current] = [answers + ANSWERS, readlinkSync(join(dist, "current"))];
          while (answers < enough || !seen.has(current.slice(-12))) await pause(THINK_MS);
        }
      } finally {
        isOver = true;
        db.close();
      }
    };
    await Promise.all([builds(), ...agents.map((agent, at) => reader(agent, at * 7))]);
  } finally {
    for (const agent of agents) agent.destroy();
    builder.end();
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  }

  expect(complaintsIn(err)).toEqual([]);
  const releases = new Map<string, Release>();
  for (const { id, folder } of await listReleases(dist)) releases.set(id, await openRelease(folder));
  expect(releases.size).toBe(BUILDS + 1);
  for (const claim of claims.values()) expect(contradictions(claim, releases.get(claim.id))).toEqual([]);
  expect(seen.size).toBe(BUILDS + 1);
  expect(notModified).toBeGreaterThan(0);
});

/** What a response tells about its release. */
interface Claim {
  id: string;
  page: number;
  variant: Variant;
  etag: string;
  /** Absent in a 304. */
  digest?: string;
  count?: number;
}

function readClaim(
  { status, headers, body }: Answer,
  { page, variant, tag }: { page: number; variant: Variant; tag?: string },
): Claim {
  const { etag = "", "snapshot-id": id } = headers;
  if (headers.connection !== "keep-alive") throw new Error("An answer that ends the connection");
  if (typeof id !== "string") throw new Error("An answer without Snapshot-Id");
  if ((headers["content-encoding"] ?? "identity") !== variant) throw new Error("An answer in another coding");
  if (status === 304 && etag === tag) return { id, page, variant, etag };
  if (status !== 200) throw new Error(`An answer with status ${status}`);
  const { count } = JSON.parse((variant === "gzip" ? gunzipSync(body) : body).toString());
  return { id, page, variant, etag, digest: sha256(body), count };
}

function contradictions({ page, variant, etag, digest, count }: Claim, release: Release | undefined): string[] {
  if (!release) return ["no such release"];
  const expected = release.sums.pages.get(page, variant);
  const found: string[] = [];
  if (etag !== `"${expected}"`) found.push("ETag");
  if (digest !== undefined && digest !== expected) found.push("bytes");
  if (count !== undefined && count !== release.snapshot.count) found.push("count");
  return found;
}

function startBuilder(file: string, dist: string) {
  const child = fork(new URL("builder.mjs", import.meta.url), [file, dist], { execArgv: [] });
  onTestFinished(() => void child.kill());
  return {
    /** Resolves to whether there was something new to publish. */
    async build(): Promise<boolean> {
      const ended = new AbortController();
      const died = once(child, "exit", { signal: ended.signal }).then(() => {
        throw new Error("The builder ended");
      });
      child.send("build");
      const [{ isNew }] = await Promise.race([once(child, "message"), died]);
      died.catch(() => {});
      ended.abort();
      return isNew;
    },
    end: () => child.disconnect(),
  };
}

/** Each user joined a second after the one before, so a new one moves all others. */
function user(at: number): Row {
  return {
    id: `00000000-0000-4000-8000-${at.toString(16).padStart(12, "0")}`,
    date_joined: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString().replace("Z", "000Z"),
    bio: `User ${at}. `.repeat(20),
  };
}
