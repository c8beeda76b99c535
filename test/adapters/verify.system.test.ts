/** `rollcall verify` on each real host: every check holds except the limitations of its adapter. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapterOf } from "../../src/adapters/adapters.js";
import { isPart, isStep } from "../../src/release/layout.js";
import { openRelease } from "../../src/release/open.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { stations, stationsAt, writeStations } from "../support/stations.js";
import { ALL_SERVERS, BY_PATH, limitationsOf, serveWith } from "./servers.js";

/**
 * Writes a source of some records into a folder, and returns the flags of a build that reads it. Hosts send parts and steps
 * alike, so releases of users are asked for parts, and those of stations, which have none, for steps. Users can be looked at
 * and looked up, and stations cannot.
 */
const SOURCES = {
  users: (folder: string, count: number) => [
    ...["--db", writeUsers(join(folder, `users-${count}.sqlite`), plainRows(count)), "--bulk", "--explorer"],
  ],
  stations(folder: string, count: number) {
    const rows = stations(count).map(({ row }) => row);
    const contract = join(folder, "stations.json");
    writeFileSync(contract, stationsAt("/~v1.0-b/").text);
    return ["--db", writeStations(join(folder, `stations-${count}.sqlite`), rows), "--contract", contract];
  },
};

/** Each request takes long where an engine starts anew for it, and other paths are only other texts there. */
const SLOW = ["cloudflare", "netlify"];

const CASES = [...ALL_SERVERS, ...BY_PATH].flatMap((server) =>
  (["users", "stations"] as const)
    .filter((words) => words === "users" || !SLOW.includes(server.name))
    .map((words) => ({ words, server, name: server.name })),
);

describe.each(CASES)("$name, with $words", ({ server, words }) => {
  test.skipIf(isMissing(...server.needs))("holds to the contract", { timeout: 600_000 }, async () => {
    const [folder, port] = [scratch(), await freePort()];
    const baseUrl = `http://127.0.0.1:${port}/people/directory`;
    const { compression } = adapterOf(server.adapter);
    const flags = ["--base-url", baseUrl, "--page-size", "10", "--changes", "3"];
    if (compression === "files") flags.push("--compress", "br,gzip");
    if (server.links) flags.push("--links", server.links);
    if (server.built) flags.push("--adapt", server.adapter);
    for (const count of [29, 30]) await rollcall(["build", ...SOURCES[words](folder, count), ...flags], fakeIo(folder));
    const { folder: release, sums } = await openRelease(join(folder, "dist/current"));
    expect([...sums.others.keys()].some(words === "users" ? isPart : isStep)).toBe(true);
    await serveWith(server, { release, folder, port });
    const { stdout } = await rollcall(["verify", baseUrl, "--against", release, "--json"], fakeIo(folder));
    const { rows }: { rows: { name: string; outcome: string }[] } = JSON.parse(stdout);
    const differing = rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
    expect(rows.length).toBeGreaterThan(70);
    expect(differing.sort()).toEqual(Object.keys(limitationsOf(server)).sort());
    if (server.name !== server.adapter) return;
    const adapted = await rollcall(
      ["verify", baseUrl, "--adapt", server.adapter, "--out", dirname(dirname(release))],
      fakeIo(folder),
    );
    expect(adapted).toMatchObject({ code: 0, stderr: "" });
  });
});
