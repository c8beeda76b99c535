/** Each common host satisfies the contract, with a release with all options. shapes.nightly.test.ts has all hosts. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { isPublic } from "../../src/core/release/layout.js";
import { build, createServer } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { generateKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { checkHost, checkSite } from "./host.js";
import { COMMON_SERVERS } from "./servers.js";

test.for(COMMON_SERVERS)("$name", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  await checkHost(server, { base: "/people/directory" });
});

test.for(COMMON_SERVERS)("$name, with several listings", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  await checkSite(server, "/shop");
});

const PROGRAMS = ["curl", "minisign", "signify-openbsd", "sha256sum"];

// The tests above compare the bytes of other hosts with those of this one.
test.skipIf(isMissing(...PROGRAMS))("Debian's programs accept what curl fetches of a signed release", async () => {
  const [folder, cwd, port] = [scratch(), scratch(), await freePort()];
  const key = generateKey(folder, "ours");
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(7));
  const [dist, baseUrl] = [join(folder, "dist"), `http://127.0.0.1:${port}`];
  const built = await build({ db, dist, baseUrl, pageSize: 3, compress: ["gzip"], signKey: key.secret });
  const host = await createServer({ dist });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });
  // The host answers from this process, so nothing may block it.
  const run = async (program: string, ...args: string[]) => (await promisify(execFile)(program, args, { cwd })).stdout;
  const sums = readFileSync(join(built.folder, "SHA256SUMS"), "utf8").trim().split("\n");
  const listed = sums.map((line) => line.slice(66)).filter((path) => isPublic(path) && !/\.gz$|^[._]/.test(path));
  for (const path of ["SHA256SUMS", "SHA256SUMS.minisig", ...listed]) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    await run("curl", "--silent", "--fail", "--output", path, `${baseUrl}/${path}`);
  }
  const comment = new RegExp(`Trusted comment: rollcall id:[0-9a-f]{12} base_url:${baseUrl} time:\\S+Z\n`);
  expect(await run("minisign", "-Vm", "SHA256SUMS", "-P", key.line)).toMatch(comment);
  expect(await run("minisign", "-Vm", "SHA256SUMS", "-p", key.public)).toMatch(comment);
  const files = ["-p", key.public, "-x", "SHA256SUMS.minisig", "-m", "SHA256SUMS"];
  expect(await run("signify-openbsd", "-V", ...files)).toContain("Signature Verified");
  expect(await run("sha256sum", "-c", "--ignore-missing", "SHA256SUMS")).toMatch(/^api\/users\/pages\/3\.json: OK$/m);
  const head = await run("curl", "-sI", `${baseUrl}/SHA256SUMS.minisig`);
  expect(head).toMatch(/^content-type: text\/plain/im);
  expect(head).toMatch(/^cache-control: no-cache\r$/im);
});
