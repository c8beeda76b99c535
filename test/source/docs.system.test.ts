/** Compares docs/source.md with the code: runs its tables, its examples and its query for Django. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { CREATE_INDEX, CREATE_USERS } from "../../scripts/sample/schema.js";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { type BuildResult, build, InvalidRecordsError, type User } from "../../src/index.js";
import { expectTable } from "../support/docs.js";
import { columnTable } from "../support/fields.js";
import { readTree, scratch } from "../support/files.js";

const DOC = readFileSync(new URL("../../docs/source.md", import.meta.url), "utf8");
const SAMPLE = new URL("../../data/users.sqlite", import.meta.url).pathname;
const BASE_URL = "https://directory.example.com";

const HEADING = "## The table";

/** Each column's content, its rule for NULL and its form, from the table in the text. */
const DESCRIBED = new Map(
  [...DOC.matchAll(/^\| (\w+) \| (TEXT|INTEGER) \| (.+?) \| (.+) \|$/gm)].map(
    ([, name = "", holds = "", onNull = "", form = ""]) => [name, { holds, onNull, form }] as const,
  ),
);

let folder: string;
let out: string;
let db: string;

beforeEach(() => {
  folder = scratch();
  out = join(folder, "dist");
  db = join(folder, "users.sqlite");
});

describe("the table", () => {
  test("is the sample's, and so is the index", () => {
    const [table, , index, ...more] = blocks("sql");
    expect([table, index, more]).toEqual([CREATE_USERS, CREATE_INDEX, []]);
  });

  test("has a line for each column that is read, in the table's order, as the contract says", () => {
    const declared = [...CREATE_USERS.matchAll(/^ {2}(\w+) (TEXT|INTEGER)/gm)].map(([, name = "", type]) => [
      name,
      type,
    ]);
    expect(declared.map(([name]) => name).sort()).toEqual(USERS_CONTRACT.fields.map(({ column }) => column).sort());
    expectTable("docs/source.md", HEADING, columnTable(declared.map(([name = ""]) => name)));
    expect([...DESCRIBED].map(([name, { holds }]) => [name, holds])).toEqual(declared);
  });

  test.each([...DESCRIBED])("says what becomes of NULL in %s", async (column, { onNull }) => {
    const before = await publishedUser();
    const after = await publishedUser(`UPDATE users SET ${column} = NULL`);
    if (onNull === "no") return expect(after).toBeUndefined();
    const becomes: Record<string, Partial<User>> = {
      username: { username: before?.id ?? "" },
      display_name: { display_name: `${before?.first_name} ${before?.last_name}` },
      default_wallet: { default_wallet: null },
      image_url: { image_url: `${BASE_URL}/avatar.svg` },
      off_chain_next_mining_at: { off_chain: { ...offChain(before), next_mining_at: "1970-01-01T00:00:00" } },
      off_chain_last_withdrawn_at: { off_chain: { ...offChain(before), last_withdrawn_at: null } },
    };
    expect(becomes[column]).toBeDefined();
    expect(after).toEqual({ ...before, ...becomes[column] });
  });

  test.each([...DESCRIBED])("says which storage class %s must hold", async (column, { holds }) => {
    const others = holds === "INTEGER" ? ["3.0", "'3'", "x'33'"] : ["3", "3.0", "x'33'"];
    for (const other of others) {
      expect(await publishedUser(`UPDATE users SET ${column} = ${other}`), other).toBeUndefined();
    }
  });

  test("has integer columns that turn 3.0 and '3' into 3", () => {
    const source = new Database(db);
    source.exec(CREATE_USERS.replaceAll(" NOT NULL", ""));
    source.exec("INSERT INTO users (id, wac_status) VALUES ('a', 3.0), ('b', '3')");
    expect(source.prepare("SELECT typeof(wac_status) || wac_status FROM users").pluck().all()).toEqual([
      "integer3",
      "integer3",
    ]);
    source.close();
  });

  test.each([...DESCRIBED].filter(([, { form }]) => form.startsWith("0 or more")))("takes 0 for %s", async (column) => {
    expect(await publishedUser(`UPDATE users SET ${column} = 0`)).toBeDefined();
    expect(await publishedUser(`UPDATE users SET ${column} = -1`)).toBeUndefined();
  });

  test.each([...DESCRIBED].filter(([, { form }]) => /^(?:UTC|A time) /.test(form.replace(",", ""))))(
    "takes one form of time for %s",
    async (column) => {
      expect(await publishedUser(`UPDATE users SET ${column} = '2026-01-31T18:00:00.123456Z'`)).toBeDefined();
      for (const time of ["2026-01-31T18:00:00Z", "2026-01-31 18:00:00.123456", "2026-02-30T18:00:00.123456Z"])
        expect(await publishedUser(`UPDATE users SET ${column} = '${time}'`), time).toBeUndefined();
    },
  );

  test.each(["first_name", "last_name", "bio", "username", "display_name"])(
    "takes empty text for %s",
    async (column) => {
      expect(await publishedUser(`UPDATE users SET ${column} = ''`)).toMatchObject({ [column]: "" });
    },
  );
});

describe("problems", () => {
  test("look as in the text", async () => {
    copyUsers(4);
    change(`UPDATE users SET id = printf('00000000-0000-4000-8000-%012d', rowid);
      UPDATE users SET off_chain_tokens = -1 WHERE rowid = 1;
      UPDATE users SET languages = '["EN","Klingon"]' WHERE rowid = 2;
      UPDATE users SET date_joined = '2024-02-30T09:00:00.000000Z' WHERE rowid = 3;
      UPDATE users SET wac_status = '3' WHERE rowid = 4;`);
    const [example = ""] = blocks("json");
    expect((await problems()).sort()).toEqual(example.split("\n").sort());
  });

  test("show what JSON cannot say as in the text", async () => {
    const shown: [string, unknown][] = [
      ["3.0", { real: 3 }],
      ["9007199254740993", { integer: "9007199254740993" }],
      ["x'00ff'", { blob: "00ff" }],
      ["CAST(x'636166ff' AS TEXT)", { invalid_utf8: "caf\ufffd" }],
    ];
    for (const [value, kind] of shown) {
      copyUsers(1);
      change(`UPDATE users SET wac_status = ${value}`);
      expect((await problems()).map((line) => JSON.parse(line).value)).toEqual([kind]);
      expect(DOC).toContain(JSON.stringify(kind));
    }
  });
});

describe("the query for Django", () => {
  const [, query = ""] = blocks("sql");

  beforeEach(() => {
    createDjango();
    writeFileSync(join(folder, "django.sql"), query);
  });

  test("yields the columns under their names", () => {
    const source = new Database(db, { readonly: true });
    const columns = source
      .prepare(query)
      .columns()
      .map(({ name }) => name);
    source.close();
    expect(columns).toEqual([...DESCRIBED.keys()]);
  });

  test("publishes every active user in order, times and ids in form", async () => {
    const result = await buildDjango();
    expect(result.warnings).toEqual({ "off_chain.liveness_config.require_head_movement": 1 });
    const users = publishedUsers(result);
    expect(users.map(({ id, date_joined }) => [id, date_joined])).toEqual([
      ["11111111-2222-4333-8444-555555555555", "2026-01-02T03:04:05.500000Z"],
      ["00000000-0000-4000-8000-000000000001", "2026-01-02T03:04:05.000000Z"],
      ["ffffffff-0000-4000-8000-0000000000aa", "2026-01-02T03:04:05.000000Z"],
      ["0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "2025-03-04T05:06:07.000089Z"],
    ]);
    expect(users.map(({ username }) => username)).toEqual(["noa", users[1]?.id, users[2]?.id, "ada"]);
    expect(users.map(({ display_name }) => display_name)).toEqual(["נועה", "ကျော်", users[2]?.id, "Ada Okafor"]);
    expect(users.map(({ languages }) => languages)).toEqual([["HE"], ["MY"], [], ["EN", "YO", "PT-BR"]]);
    expect(users.map(({ country }) => country)).toEqual(["IL", "MM", "XX", "NG"]);
    expect(users.map(({ image_url }) => image_url)).toEqual([
      "https://media.example.com/avatars/noa.png",
      `${BASE_URL}/avatar.svg`,
      `${BASE_URL}/avatar.svg`,
      "https://media.example.com/avatars/ada_x7Yz.jpg",
    ]);
    expect(users[0]?.off_chain.liveness_config.require_head_movement).toBe(true);
  });

  test("publishes all of one user", async () => {
    expect(publishedUsers(await buildDjango()).at(-1)).toEqual({
      bio: 'Likes "quotes", and\nnew lines.',
      circles: [],
      country: "NG",
      current_location: "GB",
      date_joined: "2025-03-04T05:06:07.000089Z",
      default_wallet: "0x52908400098527886E0F7030069857D2E4169eE7",
      display_name: "Ada Okafor",
      first_name: "Ada",
      id: "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
      image_url: "https://media.example.com/avatars/ada_x7Yz.jpg",
      kyc_status: "VERIFIED",
      languages: ["EN", "YO", "PT-BR"],
      last_name: "Okafor",
      off_chain: {
        created_at: "2025-03-04T05:06:08.000000Z",
        last_withdrawn_at: "2026-01-15T10:20:30.400500Z",
        liveness_config: {
          min_blinks: 1,
          require_head_movement: false,
          required_samples: 2,
          warmup_duration: 2,
        },
        liveness_tier: "normal",
        mining_events: 25,
        next_mining_at: "2026-02-01T00:00:00.000000Z",
        pending_events: 10,
        tokens: 20,
        withdrawn_events: 15,
      },
      referrals_count: 12,
      username: "ada",
      wac_status: 0,
    });
  });

  test("leaks no password, email, session or deactivated user", async () => {
    await buildDjango();
    expect(readFileSync(db).includes("SECRET")).toBe(true);
    // Everything that the build has written, not only what is served.
    const files = readTree(join(out, "releases"));
    expect([...files.keys()].some((file) => file.endsWith("pages/1.json"))).toBe(true);
    for (const [file, bytes] of files) {
      for (const secret of ["SECRET", "pbkdf2", "argon2", "@example.com", "deactivated", "password", "email"])
        expect(bytes.includes(secret), `${secret} in ${file}`).toBe(false);
    }
  });

  test("names users without an off-chain profile instead of dropping them", async () => {
    change("DELETE FROM accounts_offchainprofile WHERE id = 2");
    await expect(buildDjango()).rejects.toMatchObject({ problems: { records: 1 } });
  });

  test("refuses times with an offset rather than reading them as UTC", async () => {
    change("UPDATE accounts_user SET date_joined = '2026-01-02 03:04:05.123456+02:00' WHERE username = 'ada'");
    await expect(buildDjango()).rejects.toMatchObject({ problems: { records: 1, count: 1 } });
  });

  function buildDjango(): Promise<BuildResult> {
    return build({ db, baseUrl: BASE_URL, out, query: join(folder, "django.sql") });
  }

  function createDjango(): void {
    const source = new Database(db);
    source.exec(readFileSync(new URL("django.sql", import.meta.url), "utf8"));
    source.close();
  }
});

/** The fenced blocks of a language in the text. */
function blocks(language: string): string[] {
  const fenced = new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "gs");
  return [...DOC.matchAll(fenced)].map(([, text = ""]) => text);
}

/** A source of sample users in which every column is used, in a table without types, so that no value is converted. */
function copyUsers(count: number): void {
  rmSync(db, { force: true });
  const source = new Database(db);
  source.exec(`CREATE TABLE users (${[...DESCRIBED.keys()].join(", ")})`);
  source.prepare("ATTACH ? AS sample").run(SAMPLE);
  const used = [...DESCRIBED.keys()].map((column) => `${column} IS NOT NULL AND ${column} <> ''`).join(" AND ");
  source.prepare(`INSERT INTO users SELECT * FROM sample.users WHERE ${used} ORDER BY id LIMIT ?`).run(count);
  source.close();
}

function change(sql: string): void {
  const source = new Database(db);
  source.exec(sql);
  source.close();
}

/** The one user of a source as published after a change, or undefined when the build refuses it. */
async function publishedUser(sql = ""): Promise<User | undefined> {
  copyUsers(1);
  change(sql);
  try {
    const [user] = publishedUsers(await build({ db, baseUrl: BASE_URL, out }));
    return user;
  } catch (error) {
    if (error instanceof InvalidRecordsError) return undefined;
    throw error;
  }
}

function offChain(user: User | undefined): User["off_chain"] {
  if (!user) throw new Error("the sample's first user was refused");
  return user.off_chain;
}

/** The lines that `--problems` writes. */
async function problems(): Promise<string[]> {
  const problemsFile = join(folder, "problems.ndjson");
  await expect(build({ db, baseUrl: BASE_URL, out, problemsFile })).rejects.toThrow(InvalidRecordsError);
  return readFileSync(problemsFile, "utf8").trimEnd().split("\n");
}

function publishedUsers({ folder: release, pages }: BuildResult): User[] {
  const files = Array.from({ length: pages }, (_, i) => join(release, `api/users/pages/${i + 1}.json`));
  return files.flatMap((file) => (JSON.parse(readFileSync(file, "utf8")) as { results: User[] }).results);
}
