/** Releases of three contracts are byte for byte what golden.json has digests of, with everything and without. */
import { createHash, type Hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { type BuildOptions, build } from "rollcall";
import { expect, test } from "vitest";
import { runSql, variedUsers, writeUsers } from "../support/database.js";
import { ENTRIES, entries, writeEntries } from "../support/entries.js";
import { scratch } from "../support/files.js";
import { STATIONS, stations, writeStations } from "../support/stations.js";

const RECORDS = 1010;

interface Source {
  make(folder: string): Pick<BuildOptions, "db" | "contract">;
  /** SQL that changes some records and removes others, so that there is a step. */
  edit: string;
}

const SOURCES: Record<string, Source> = {
  users: {
    make: (folder) => ({ db: writeUsers(join(folder, "users.sqlite"), variedUsers(RECORDS)) }),
    edit: "UPDATE users SET last_name = 'Changed' WHERE rowid % 9 = 0; DELETE FROM users WHERE rowid % 100 = 7",
  },
  stations: {
    make(folder) {
      const rows = stations(RECORDS).map(({ row }) => row);
      return { db: writeStations(join(folder, "stations.sqlite"), rows), contract: STATIONS };
    },
    edit: "UPDATE stations SET name = 'Changed' WHERE rowid % 9 = 0; DELETE FROM stations WHERE rowid % 100 = 7",
  },
  entries: {
    make: (folder) => ({ db: writeEntries(join(folder, "log.sqlite"), entries(RECORDS)), contract: ENTRIES }),
    edit: "UPDATE entries SET title = 'Changed' WHERE rowid % 9 = 0; DELETE FROM entries WHERE rowid % 100 = 7",
  },
};

const EVERYTHING = {
  ...({ compress: ["gzip"], bulk: true, lookup: true, explorer: true, changes: 3 } as const),
  signKey: new URL("./signature/test.key", import.meta.url).pathname,
};

/** Files that name the id, files whose wording may change, and Brotli, whose bytes depend on its version. */
const UNSTABLE = /^(snapshot\.json|SHA256SUMS(\.minisig)?|openapi\.json|index\.html|explorer\/[^/]+\.(js|css)|.*\.br)$/;

/** For each folder of a release and each file at its root, a digest of names and bytes; gzip counts as what it holds. */
function digests(release: string): Record<string, string> {
  const hashes = new Map<string, Hash>();
  const files = readdirSync(release, { recursive: true, withFileTypes: true }).filter(
    // It names the folder, and so the time.
    (entry) => entry.isFile() && entry.name !== ".release",
  );
  const paths = files.map(({ parentPath, name }) => relative(release, join(parentPath, name))).sort();
  for (const path of paths.filter((path) => !UNSTABLE.test(path))) {
    const bytes = readFileSync(join(release, path));
    const plain = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    const folder = path.replace(/[^/]*$/, "") || path;
    const hash = hashes.get(folder) ?? createHash("sha256");
    hashes.set(folder, hash.update(`${path} ${plain.length} `).update(plain));
  }
  return Object.fromEntries([...hashes].map(([folder, hash]) => [folder, hash.digest("hex").slice(0, 16)]));
}

const golden = JSON.parse(readFileSync(new URL("golden.json", import.meta.url), "utf8"));

test.each(Object.entries(SOURCES))("releases of %s have the bytes that they had", async (name, { make, edit }) => {
  const source = make(scratch());
  const shape = { ...source, baseUrl: "https://directory.example.com", dist: join(scratch(), "dist"), pageSize: 37 };
  const plain = digests((await build(shape)).folder);
  await build({ ...shape, ...EVERYTHING });
  runSql(String(source.db), edit);
  const everything = digests((await build({ ...shape, ...EVERYTHING })).folder);
  expect({ plain, everything }).toEqual(golden[name]);
});
