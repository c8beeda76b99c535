/** What curl fetches of a signed release from each host is accepted by the programs of Debian that check it. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { build, createServer, verify } from "../../src/index.js";
import { isPublic, SUMS } from "../../src/release/layout.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { generateKey, type Key } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { SERVERS, serveWith } from "./servers.js";

const PROGRAMS = ["curl", "minisign", "signify-openbsd", "sha256sum"];

/** A signed release of a base URL on this port. */
async function signed(folder: string, port: number) {
  const key = generateKey(folder, "ours");
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(7));
  const [out, baseUrl] = [join(folder, "dist"), `http://127.0.0.1:${port}`];
  const built = await build({ db, out, baseUrl, pageSize: 3, encodings: ["gzip"], signKey: key.secret });
  return { out, key, baseUrl, release: built.folder };
}

/** Fetches all files for readers, and has them checked. */
async function check(baseUrl: string, release: string, key: Key, compared: readonly string[]) {
  const cwd = scratch();
  // Not in a blocking way, since Rollcall's own host answers from this process.
  const run = async (program: string, ...args: string[]) => (await promisify(execFile)(program, args, { cwd })).stdout;
  const fetched = async (path: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    await run("curl", "--silent", "--fail", "--output", path, `${baseUrl}/${path}`);
  };
  for (const path of [SUMS, "SHA256SUMS.minisig"]) await fetched(path);
  const listed = readFileSync(join(release, SUMS), "utf8").trim().split("\n");
  for (const line of listed) {
    const path = line.slice(66);
    if (isPublic(path) && !/\.gz$|^[._]/.test(path)) await fetched(path);
  }
  const comment = new RegExp(`Trusted comment: rollcall id:[0-9a-f]{12} base_url:${baseUrl} time:\\S+Z\n`);
  expect(await run("minisign", "-Vm", SUMS, "-P", key.line)).toMatch(comment);
  expect(await run("minisign", "-Vm", SUMS, "-p", key.public)).toMatch(comment);
  const files = ["-p", key.public, "-x", "SHA256SUMS.minisig", "-m", SUMS];
  expect(await run("signify-openbsd", "-V", ...files)).toContain("Signature Verified");
  expect(await run("sha256sum", "-c", "--ignore-missing", SUMS)).toMatch(/^api\/users\/pages\/3\.json: OK$/m);
  expect(await run("curl", "-sI", `${baseUrl}/SHA256SUMS.minisig`)).toMatch(/^content-type: text\/plain/im);
  expect(await run("curl", "-sI", `${baseUrl}/SHA256SUMS.minisig`)).toMatch(/^cache-control: no-cache\r$/im);
  const { rows } = await verify({ what: baseUrl, against: release, key: [key.line], maxAge: "1h" });
  const outcomes = rows.filter(({ name }) => compared.includes(name)).map(({ name, outcome }) => `${name} ${outcome}`);
  expect(outcomes.sort()).toEqual(compared.map((name) => `${name} passed`).sort());
}

const COMPARED = ["signature", "files", "same-bytes"];

test.skipIf(isMissing(...PROGRAMS))("rollcall serve", { timeout: 300_000 }, async () => {
  const port = await freePort();
  const { out, key, baseUrl, release } = await signed(scratch(), port);
  const host = await createServer({ folder: out });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });
  await check(baseUrl, release, key, COMPARED);
});

describe.each(
  SERVERS.filter(({ name }) => ["nginx", "apache", "htaccess", "caddy", "lighttpd", "haproxy"].includes(name)),
)("$name", (server) => {
  test.skipIf(isMissing(...server.needs, ...PROGRAMS))("sends what they accept", { timeout: 300_000 }, async () => {
    const [folder, port] = [scratch(), await freePort()];
    const { key, baseUrl, release } = await signed(folder, port);
    await serveWith(server, { release, folder, port });
    await check(baseUrl, release, key, COMPARED);
  });
});
