/** `rollcall verify` on each real host: every check holds but those that the table of shortfalls names. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapterOf } from "../../src/adapters/adapters.js";
import { LIMITATIONS } from "../../src/adapters/limitations.js";
import { openRelease } from "../../src/release/open.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { ALL_SERVERS, LESSER, serveWith } from "./servers.js";
import { isOfClient } from "./shortfalls.js";

describe.each([...ALL_SERVERS, ...LESSER])("$name", (server) => {
  test.skipIf(isMissing(...server.needs))("holds to the contract", { timeout: 60_000 }, async () => {
    const [folder, port] = [scratch(), await freePort()];
    const baseUrl = `http://127.0.0.1:${port}/people/directory`;
    const db = writeUsers(join(folder, "users.sqlite"), plainRows(30));
    // In what the host can choose among, as builds for it are advised.
    const { siblings } = adapterOf(server.target);
    const flags = ["--db", db, "--base-url", baseUrl, "--page-size", "10"];
    if (siblings.length > 0) flags.push("--compress", siblings.join(","));
    if (server.links) flags.push("--links", server.links);
    if (server.built) flags.push("--adapt", server.target);
    await rollcall(["build", ...flags], fakeIo(folder));
    const { folder: release } = await openRelease(join(folder, "dist/current"));
    await serveWith(server, { release, folder, port });
    const { stdout } = await rollcall(["verify", baseUrl, "--against", release, "--json"], fakeIo(folder));
    const { rows }: { rows: { name: string; outcome: string }[] } = JSON.parse(stdout);
    const differing = rows.filter(({ outcome }) => !["holds", "skipped"].includes(outcome)).map(({ name }) => name);
    expect(rows.length).toBeGreaterThan(70);
    const allowed = Object.keys(LIMITATIONS[server.name] ?? {});
    expect(differing.filter((name) => !allowed.includes(name))).toEqual([]);
    // What the client does not see has to be seen here, or its row lets nothing pass.
    expect(allowed.filter((name) => !isOfClient(name) && !differing.includes(name))).toEqual([]);
  });
});
