/** A host whose SHA256SUMS is larger than the limit of other files. */
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openListing } from "../../src/client/listing.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { MAX_BYTES } from "../../src/verify/url/ask.js";
import { run, start } from "../support/command.js";
import { scratch } from "../support/files.js";
import { runMeasured } from "../support/memory.js";
import { freePort } from "../support/ports.js";
import { until } from "../support/until.js";

const USERS = 120_000;
/** The longest allowed path, to make SHA256SUMS large. */
const PATH = `/${"long".repeat(49)}/`;
/** Maximum peak memory, most of which is Node itself. The list in memory would exceed it. */
const MOST_MB = 220;

test("verifies a large host in bounded memory, and the client reads it", { timeout: 600_000 }, async () => {
  const folder = scratch();
  const [db, dist] = [join(folder, "users.sqlite"), join(folder, "dist")];
  execFileSync("npm", ["run", "-s", "sample", "--", "--users", String(USERS), "--out", db]);
  const contract = join(folder, "contract.json");
  const { file } = USERS_CONTRACT;
  writeFileSync(contract, JSON.stringify({ ...file, "x-listing": { ...file["x-listing"], path: PATH } }));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const built = ["--contract", contract, "--db", db, "--dist", dist, "--base-url", baseUrl];
  expect(await run(["build", ...built, "--page-size", "1", "--compress", "gzip"])).toMatchObject({ code: 0 });
  const { size } = statSync(join(dist, "current", "SHA256SUMS"));
  expect(size).toBeGreaterThan(MAX_BYTES);

  const host = start(["serve", dist, "--port", String(port)]);
  onTestFinished(async () => {
    host.child.kill();
    await host.ended;
  });
  await until(() =>
    fetch(baseUrl).then(
      () => true,
      () => false,
    ),
  );

  const program = `
    const { verify } = await import(${JSON.stringify(new URL("../../lib/index.js", import.meta.url).href)});
    const { passed, rows } = await verify({ what: "${baseUrl}", against: "none", sample: 20 });
    const differing = rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
    const compared = rows.find(({ name }) => name === "same-bytes")?.outcome;
    answer({ passed, differing, compared });`;
  const { answer: found, peak } = await runMeasured(program);
  console.log(`verified with ${Math.round(size / 1e6)} MB of SHA256SUMS: ${Math.round(peak)} MB`);
  expect(found).toEqual({ passed: true, differing: [], compared: "passed" });
  expect(peak).toBeLessThan(MOST_MB);

  const listing = openListing(baseUrl);
  expect((await listing.page(USERS)).results).toHaveLength(1);
  expect(listing.proof).toBe("digests");
});
