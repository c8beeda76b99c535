/** A build with views that is killed. */
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build, verify } from "../../src/index.js";
import { readTree, scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { PLACES, places, writePlaces } from "../support/places.js";
import { listCalls, runWith } from "../support/strace.js";

const BASE_URL = "https://data.example.com";
const VIEWS = ["tag", "-height"];

test.skipIf(isMissing("strace"))(
  "a build that is killed while it writes views changes nothing, and the next one completes",
  {
    timeout: 600_000,
  },
  async () => {
    const folder = scratch();
    const [dist, contract] = [join(folder, "dist"), join(folder, "places.json")];
    writeFileSync(contract, JSON.stringify(PLACES));
    const options = { table: "places", contract, baseUrl: BASE_URL, dist, pageSize: 10, workers: 0, views: VIEWS };
    const db = writePlaces(join(folder, "places.sqlite"), places(60, ["de", "fr"]));
    const before = await build({ ...options, db });
    const tree = readTree(before.folder);
    writePlaces(db, places(60, ["de", "it"]));
    const args = ["build", `--db=${db}`, "--table=places", `--contract=${contract}`, `--base-url=${BASE_URL}`];
    args.push(`--dist=${dist}`, "--page-size=10", "--workers=0", `--views=${VIEWS}`, "--quiet");
    const copy = scratch();
    cpSync(dist, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const [ended, calls] = await listCalls(args, folder);
    expect(ended.code).toBe(0);
    const moments: [name: string, path: RegExp][] = [
      ["mkdir", /\/views$/],
      ["mkdir", /\/views\/tag\/it$/],
      ["writev", /\/views\/tag\/it\/pages\/1\.json$/],
      ["fsync", /\/views\/-height\/pages\/2\.json$/],
      ["openat", /\/views\/tag\.sha256$/],
      ["openat", /\/views\.json$/],
      ["fsync", /\/views\/tag\/it\/pages$/],
    ];
    for (const [name, path] of moments) {
      rmSync(dist, { recursive: true });
      cpSync(copy, dist, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      const call = calls.find((one) => one.name === name && path.test(one.path));
      expect([name, path, call?.name]).toEqual([name, path, name]);
      const killed = await runWith("signal=SIGKILL", call as (typeof calls)[number], args, folder);
      expect([call?.text, killed.code]).toEqual([call?.text, "SIGKILL"]);
      expect(readTree(join(dist, "current"))).toEqual(tree);
      const after = await build({ ...options, db });
      expect(after).toMatchObject({ new: true, switched: true });
      expect(await verify({ what: after.folder })).toMatchObject({ passed: true });
      expect(readdirSync(join(dist, "releases"))).toHaveLength(2);
    }
  },
);
