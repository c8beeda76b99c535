/** docs/guides/read.md: its commands run against two hosts, and their output is compared with the pages on disk. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { isPublic } from "../../src/core/release/layout.js";
import type { User } from "../../src/index.js";
import { type Ended, whenEnded } from "../support/command.js";
import { docPage, readerEnvironment } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";
import { generateKey } from "../support/minisign.js";
import { byNginx, byServe, type Published, recordsOf } from "./published.js";

const { text: DOC, block: blockOf, expectShown } = docPage("docs/guides/read.md");
const block = (heading: string, at = 0, language = "sh") => blockOf(heading, language, at);

const PROGRAMS = ["curl", "jq", "zcat", "minisign", "signify-openbsd", "sha256sum", "sqlite3", "/usr/bin/python3"];

/** A folder where a reader types, with the two settings of the page. */
function reader({ url, key }: Pick<Published, "url" | "key">) {
  const [folder, env] = [scratch(), readerEnvironment()];
  symlinkSync(engine("."), join(folder, "node_modules"));
  return {
    folder,
    file: (name: string) => join(folder, name),
    /** Types the lines of a block. The listing and the key are those of the test. */
    type(command: string): Promise<Ended> {
      const typed = command.replace(/^KEY=.*$/m, `KEY=${key}`);
      const child = spawn("bash", ["-c", `set -o pipefail\nLISTING=${url} KEY=${key}\n${typed}`], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      return whenEnded(child);
    },
  };
}

/** A host that answers one path with these bytes, and all others as another host does, or not at all. @returns its address. */
async function standIn(behind: string | undefined, path: string, body: Buffer): Promise<string> {
  const server = createServer(async ({ url = "" }, res) => {
    if (url === path) return res.end(body);
    const answer = behind === undefined ? undefined : await fetch(behind + url);
    res.statusCode = answer?.status ?? 404;
    return res.end(answer && Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface DuckDb {
  DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>; closeSync(): void }>;
    }>;
  };
}

/** What a query of the files in a folder gives, row by row. */
async function inDuckDb(folder: string, sql: string): Promise<unknown[][]> {
  const { DuckDBInstance } = loadEngine<DuckDb>("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.runAndReadAll(`SET file_search_path = '${folder}'`);
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  return rows;
}

/** The countries with the most users: how many, and their tokens, as texts where DuckDB has more than a double holds. */
function largest(users: readonly User[], most: number): unknown[][] {
  const of = new Map<string, { users: number; tokens: number }>();
  for (const { country, off_chain } of users) {
    const sum = of.get(country) ?? { users: 0, tokens: 0 };
    of.set(country, { users: sum.users + 1, tokens: sum.tokens + off_chain.tokens });
  }
  return [...of]
    .sort(([one, { users: a }], [other, { users: b }]) => b - a || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([country, { users: count, tokens }]) => [country, String(count), String(tokens)]);
}

const fine = (stdout = "") => ({ code: 0, stdout, stderr: "" });
const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join("");

describe.skipIf(isMissing(...PROGRAMS, "nginx", engine("@duckdb/node-api"), engine("openapi-typescript")))(
  "docs/guides/read.md",
  () => {
    test.each([
      ["rollcall serve", byServe],
      ["nginx", byNginx],
    ])("every command works with %s", { timeout: 120_000 }, async (_host, serve) => {
      const published = await serve();
      const { folder, file, type } = reader(published);
      const users = recordsOf(published);
      expect(users).toHaveLength(1000);
      expect(users.filter(({ bio }) => bio.includes("\u0000")).length).toBeGreaterThan(10);

      const named = [...DOC.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name.replace("N", "1"));
      const there = readdirSync(join(published.dist, "current"), { recursive: true, encoding: "utf8" });
      const patterns = ["api/users/?format=api&page=1", "changes/FROM-TO.ndjson.gz"];
      expect(named.filter((name) => !there.includes(name))).toEqual(patterns);
      const listed = there.filter((name) => /\w\.\w|SHA/.test(name) && isPublic(name));
      const shown = (name: string) =>
        name.replace(/\d+(?=\.(?:json|txt)$)/, "1").replace(/[0-9a-f]{12}-[0-9a-f]{12}/, "FROM-TO");
      expect(listed.filter((name) => !named.includes(shown(name)))).toEqual([]);
      const { headers } = await fetch(`${published.url}/snapshot.json`);
      expect(headers.get("Link")).toBe('</openapi.json>; rel="service-desc"');
      const isChanged = block("Whether anything has changed");
      expect(await type(isChanged)).toEqual(fine("200\n"));
      expect(await type(isChanged)).toEqual(fine("304\n"));
      expect(JSON.parse(readFileSync(file("snapshot.json"), "utf8"))).toMatchObject({ count: 1000 });

      expect(await type(block("Page by page"))).toEqual(fine());
      const walked = readFileSync(file("users.ndjson"), "utf8").trim().split("\n");
      expect(walked.map((line) => JSON.parse(line))).toEqual(users);

      const germans = users.filter(({ country }) => country === "DE");
      const streamed = lines(germans.map(({ id, display_name }) => `${id}\t${display_name}`));
      expect(await type(block("Everything at once"))).toEqual(fine(streamed));
      expect(await type(block("Everything at once", 1))).toEqual(fine());
      const part = readFileSync(file("bulk/1.ndjson.gz"));
      truncateSync(file("bulk/1.ndjson.gz"), Math.floor(part.length / 3));
      expect(await type(block("Everything at once", 2))).toEqual(fine());
      expect(readFileSync(file("bulk/1.ndjson.gz")).equals(part)).toBe(true);

      expect(await type(block("Verify what you fetched"))).toEqual(fine());
      const { id } = JSON.parse(readFileSync(file("snapshot.json"), "utf8"));
      const signed = await type(block("Verify what you fetched", 1));
      expect(signed).toMatchObject({ code: 0, stderr: "" });
      expect(signed.stdout).toMatch(
        new RegExp(
          `^rollcall id:${id} base_url:${published.url} time:\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z\n$`,
        ),
      );
      expect(await type(block("Verify what you fetched", 2))).toEqual(fine("Signature Verified\n"));

      writeFileSync(file("lookup.py"), block("One record by its key", 0, "python"));
      // The page that is left of walking is the last one.
      expect(await type(block("One record by its key"))).toEqual(fine(lines([users.at(-93)?.display_name ?? ""])));
      for (const user of [users[0], users[517], users.at(-1)])
        expect(JSON.parse((await type(`python3 lookup.py "$LISTING" ${user?.id}`)).stdout)).toEqual(user);
      expect(await type('python3 lookup.py "$LISTING" nobody')).toMatchObject({ code: 1, stdout: "" });

      const mirrored = await type(block("Keep a copy"));
      expect(mirrored.code).toBe(0);
      expectShown("Keep a copy", "text", 0, mirrored.stderr.replaceAll(published.url, "https://directory.example.com"));
      writeFileSync(file("mirror.py"), block("A mirror in Python", 0, "python"));
      const names = germans.map(({ display_name }) => display_name);
      expect(await type(block("A mirror in Python"))).toEqual(fine(lines(names.slice(0, 3))));

      expect(await type(block("Into a database"))).toEqual(fine());
      const db = new Database(file("users.sqlite"), { readonly: true });
      const rows = db.prepare("SELECT id, country, tokens, record FROM users ORDER BY rowid").all() as {
        record: string;
      }[];
      db.close();
      expect(rows.map(({ record, ...row }) => ({ ...row, record: JSON.parse(record) }))).toEqual(
        users.map((user) => ({ id: user.id, country: user.country, tokens: user.off_chain.tokens, record: user })),
      );
      expect(await inDuckDb(folder, block("Into a database", 0, "sql"))).toEqual(largest(users, 3));

      expect(await type(block("Parquet"))).toEqual(fine());
      expect(await inDuckDb(folder, block("Parquet", 0, "sql"))).toEqual(largest(users, 3));

      expect(await type(block("Types from OpenAPI"))).toMatchObject({ code: 0 });
      expect(readFileSync(file("listing.d.ts"), "utf8")).toContain("kyc_status");
    });

    test("the commands report changed files and other signers", { timeout: 60_000 }, async () => {
      const published = await byServe();
      const { file, type } = reader(published);
      await type(block("Everything at once", 1));
      await type(block("Verify what you fetched", 1));
      const part = readFileSync(file("bulk/1.ndjson.gz"));
      truncateSync(file("bulk/1.ndjson.gz"), 1000);
      const withoutRanges = await standIn(published.url, "/none", Buffer.alloc(0));
      expect(await type(`LISTING=${withoutRanges}\n${block("Everything at once", 2)}`)).toMatchObject({ code: 33 });
      part[100] = (part[100] ?? 0) ^ 1;
      writeFileSync(file("bulk/1.ndjson.gz"), part);
      const { code, stdout } = await type(block("Verify what you fetched"));
      expect([code, stdout]).toEqual([1, "bulk/1.ndjson.gz: FAILED\n"]);

      const other = reader({ url: published.url, key: generateKey(scratch(), "other").line });
      await other.type(block("Everything at once", 1));
      expect(await other.type(block("Verify what you fetched", 1))).toMatchObject({ code: 1, stdout: "" });
      expect((await other.type(block("Verify what you fetched", 2))).code).not.toBe(0);
      writeFileSync(file("SHA256SUMS"), readFileSync(file("SHA256SUMS"), "utf8").replace(/^./, "x"));
      expect(await type(`minisign -VQm SHA256SUMS -P "$KEY"`)).toMatchObject({ code: 1, stdout: "" });
    });
  },
);
