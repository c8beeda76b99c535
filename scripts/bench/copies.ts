/** Those who keep a copy of a listing: how each of them brings it up to date, and which state it then has. */
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { isInstalled } from "./machine.js";
import { type Measured, measure } from "./measure.js";
import { CLI, rollcall } from "./programs.js";

export interface Keeper {
  name: string;
  /** Brings the copy at a path, which is a file or a folder, to what the host has; makes it if there is none. */
  update(path: string): Promise<Measured>;
  /** The SHA-256 of records.sha256, made of what the copy holds. */
  state(path: string): Promise<string>;
  /** Bytes on the way in the last update, where the host's log does not tell. */
  bytes?(): number;
}

/** A host of a release: by HTTP, and its pages by rsync, where that is there. */
export interface Origin {
  baseUrl: string;
  rsync: string;
  /** A folder for what is in between. */
  scratch: string;
}

export const MIRROR = "rollcall mirror";
const WALK = "a walk with ETags";
const RSYNC = "rsync -az of the plain pages";
const RELOAD = "bulk into a new table, by curl, zcat and sqlite3";
const PYTHON = "the Python of docs/consuming.md";

const ETAGS = fileURLToPath(new URL("etags.mjs", import.meta.url));
const DOC = fileURLToPath(new URL("../../docs/consuming.md", import.meta.url));

/** What this machine can run of them, and what it lacks. */
export function keepersOf(origin: Origin): { keepers: Keeper[]; missing: string[] } {
  const needs: [Keeper, ...string[]][] = [
    [byMirror(origin)],
    [byWalk(origin)],
    [byRsync(origin), "rsync"],
    [byReload(origin), "curl", "jq", "zcat", "sqlite3"],
    [byPython(origin), "python3"],
  ];
  const lacking = needs.map(([keeper, ...programs]) => ({
    keeper,
    programs: programs.filter((one) => !isInstalled(one)),
  }));
  return {
    keepers: lacking.flatMap(({ keeper, programs }) => (programs.length === 0 ? [keeper] : [])),
    missing: lacking.flatMap(({ keeper, programs }) =>
      programs.length === 0 ? [] : [`${keeper.name}: install ${programs.join(", ")}`],
    ),
  };
}

/** Its state is that of a release which is built of it: nothing is lost on the way there and back. */
function byMirror({ baseUrl, scratch }: Origin): Keeper {
  return {
    name: MIRROR,
    update: (file) => measure(process.execPath, [CLI, "mirror", baseUrl, file, "--quiet"]),
    async state(file) {
      const dist = join(scratch, "rebuilt");
      await rollcall(file, dist);
      const { state } = JSON.parse(readFileSync(join(dist, "current/snapshot.json"), "utf8"));
      rmSync(dist, { recursive: true });
      return state;
    },
  };
}

function byWalk({ baseUrl }: Origin): Keeper {
  return {
    name: WALK,
    update(folder) {
      mkdirSync(folder, { recursive: true });
      return measure(process.execPath, [ETAGS, baseUrl, folder]);
    },
    state: async (folder) => stateOf(linesOfPages(folder)),
  };
}

function byRsync({ rsync, scratch }: Origin): Keeper {
  const said = join(scratch, "rsync.log");
  const command = 'rsync -az --delete --stats --exclude="*.gz" "$0" "$1/" > "$2"';
  return {
    name: RSYNC,
    update: (folder) => measure("sh", ["-c", command, rsync, folder, said]),
    state: async (folder) => stateOf(linesOfPages(folder)),
    bytes() {
      const sums = readFileSync(said, "utf8").matchAll(/^Total bytes (?:sent|received): ([\d,]+)$/gm);
      return [...sums].reduce((sum, [, bytes = ""]) => sum + Number(bytes.replaceAll(",", "")), 0);
    },
  };
}

/** As docs/consuming.md has it: the table is made anew each time. */
function byReload({ baseUrl }: Origin): Keeper {
  const command = `rm -f "$1"; curl -fsS "$0/bulk.json" | jq -r '.parts[].file' |
    while read -r file; do curl -fsS "$0/$file"; done | zcat | sqlite3 "$1" '.mode tabs' \\
    'CREATE TABLE lines (record TEXT)' '.import /dev/stdin lines' \\
    "CREATE TABLE users AS SELECT record ->> 'id' AS id, record FROM lines ORDER BY rowid" \\
    'DROP TABLE lines' 'CREATE UNIQUE INDEX users_id ON users (id)'`;
  return {
    name: RELOAD,
    update: (file) => measure("sh", ["-c", command, baseUrl, file]),
    state: async (file) => stateOf(recordsIn(file, "SELECT record FROM users ORDER BY rowid")),
  };
}

function byPython({ baseUrl, scratch }: Origin): Keeper {
  const program = join(scratch, "mirror.py");
  const [, text = ""] = /^```python\n("""python3 mirror\.py.*?)^```$/ms.exec(readFileSync(DOC, "utf8")) ?? [];
  writeFileSync(program, text);
  return {
    name: PYTHON,
    update: (file) => measure("python3", [program, baseUrl, file]),
    state: async (file) => stateOf(recordsIn(file, "SELECT record FROM records ORDER BY place0 DESC, place1")),
  };
}

function* linesOfPages(folder: string): Generator<string> {
  const file = (page: number) => join(folder, `${page}.json`);
  for (let page = 1; existsSync(file(page)); page++) {
    for (const line of readFileSync(file(page), "utf8").split("\n").slice(1, -2)) yield line.replace(/,$/, "");
  }
}

function* recordsIn(file: string, query: string): Generator<string> {
  const db = new Database(file, { readonly: true });
  yield* db.prepare<[], string>(query).pluck().iterate();
  db.close();
}

/** The ids of users stand in records.sha256 as they are. */
function stateOf(texts: Iterable<string>): string {
  let lines: string[] = [];
  const batches: string[] = [];
  for (const text of texts) {
    lines.push(`${hash("sha256", text, "hex").slice(0, 32)}  ${JSON.parse(text).id}\n`);
    if (lines.length === 100_000) [batches[batches.length], lines] = [lines.join(""), []];
  }
  return hash("sha256", [...batches, ...lines].join(""), "hex");
}
