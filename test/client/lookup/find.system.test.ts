/** Lookups on a real server find what SQLite finds in the source, folded by Python. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openListing } from "../../../src/client/index.js";
import { type BuildOptions, build, createServer } from "../../../src/index.js";
import { whenEnded } from "../../support/command.js";
import { type Row, userId, usersFile } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { isMissing } from "../../support/installed.js";
import { freePort } from "../../support/ports.js";
import { draws, type Random, seeded } from "../../support/random.js";

const PYTHON = "/usr/bin/python3";
const REFERENCE = new URL("reference.py", import.meta.url).pathname;
const COUNT = 5_000;
const QUERIES = draws(1500);
/** Maximum number of compared results of one lookup. */
const MOST = 150;

/** Names of many kinds of writing: dotless and dotted i, sharp s, ligatures, wide letters, marks, no spaces, right to left, pictures. */
const NAMES = [
  ...["Ada", "Ann", "Anna", "Anna-Lena", "Annabel", "Ana María", "Ñusta", "Zoë", "Zoe\u0308", "José", "Jose\u0301"],
  ...["Işık", "IŞIK", "İpek", "Iris", "ışıl", "Straße", "STRASSE", "Strauß", "Æsa", "Łukasz", "Đặng", "ﬁnn", "Ａnna"],
  ...[
    "王小明",
    "王明",
    "小林さくら",
    "สมชาย",
    "김민준",
    "김",
    "नीरज",
    "أحمد",
    "محمّد",
    "שלום",
    "Σωκράτης",
    "ΣΩΣ",
    "Ольга",
  ],
  ...[
    "👩‍👩‍👧‍👦",
    "🕊",
    "😀😀",
    "x²",
    "Ⅻ",
    "O'Brien",
    "d’Arc",
    "van der Berg",
    "--",
    "",
    "  ",
    "007",
    "٣٤",
    "\u202Eabc\u202C",
  ],
];

function person(random: Random, at: number): Row {
  const name = () => (random.chance(0.5) ? random.of(NAMES) : `${random.of(NAMES)}${random.below(3000)}`);
  const [first, last] = [name(), name()];
  return {
    id: random.chance(0.5)
      ? userId(at)
      : `${hex(random, 8)}-${hex(random, 4)}-4000-8000-${String(at).padStart(12, "0")}`,
    username: random.chance(0.8) ? `user${random.below(COUNT)}` : name(),
    first_name: first,
    last_name: last,
    display_name: random.chance(0.2)
      ? null
      : random.chance(0.5)
        ? `${first} ${last}`
        : `${name()}, ${name()} & ${name()}`,
    date_joined: new Date(Date.UTC(2026, 0, 1) - random.below(5000) * 1000).toISOString().replace("Z", "000Z"),
    country: random.of(["AT", "DE", "DE", "JP"]),
  };
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join("");
}

/** Queries: prefixes, existing keys and names, and near misses. */
function queriesOf(random: Random, rows: readonly Row[]): [kind: "get" | "key" | "names", text: string][] {
  const cut = (text: string, most: number) =>
    Array.from(text)
      .slice(0, 1 + random.below(most))
      .join("");
  return Array.from({ length: QUERIES }, (_, at) => {
    const { id = "", first_name = "", last_name = "", display_name, username } = random.of(rows);
    const names = [first_name, last_name, display_name, username].map((one) => `${one ?? ""}`);
    if (at % 4 === 0) return ["get", random.chance(0.8) ? `${id}` : `${id}`.replace(/.$/, "x")];
    if (at % 4 === 1) return ["key", cut(`${id}`, 36)];
    if (at % 4 === 2) return ["names", [random.of(names), random.of(names)].join(" ")];
    return ["names", [...names.filter(() => random.chance(0.2)), cut(random.of(names), 5)].join(" ")];
  });
}

async function serve(options: Omit<BuildOptions, "dist" | "baseUrl">) {
  const folder = scratch();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  await build({ ...options, workers: 0, lookup: true, dist: join(folder, "dist"), baseUrl } as BuildOptions);
  const host = await createServer({ dist: join(folder, "dist") });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });
  return { baseUrl };
}

/** The first of a walk, and one more than are compared, so that too many are told. */
async function first<R>(walk: AsyncIterable<R>, most = MOST + 1): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) if (found.push(one) === most) break;
  return found;
}

test.skipIf(isMissing(PYTHON))("keys, names and beginnings find what SQLite finds", { timeout: 300_000 }, async () => {
  const random = seeded();
  const rows = Array.from({ length: COUNT }, (_, at) => person(random, at));
  const db = usersFile(rows);
  const { baseUrl } = await serve({ db, pageSize: 100 });
  const queries = queriesOf(random, rows);
  const child = spawn(PYTHON, [REFERENCE, db]);
  child.stdin.end(JSON.stringify(queries));
  const { code, stdout, stderr } = await whenEnded(child);
  expect([code, stderr]).toEqual([0, ""]);
  const listing = openListing(baseUrl);
  let [found, some] = [0, 0];
  for (const [at, wanted] of (JSON.parse(stdout) as string[][]).entries()) {
    const [kind, text] = queries[at] as (typeof queries)[number];
    const records =
      kind === "get"
        ? [await listing.get(text)].filter((one) => one !== undefined)
        : await first(listing.find(text, { by: kind }));
    const ids = records.map(({ id }) => id);
    expect([text, ids]).toEqual([text, wanted.slice(0, MOST + 1)]);
    found += ids.length;
    some += ids.length > 0 ? 1 : 0;
  }
  expect([some > QUERIES / 2, found > 5 * QUERIES]).toEqual([true, true]);
});
