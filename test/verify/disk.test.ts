/** `rollcall verify` on disk: every kind of damage that it claims to find, made for real. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { BuildOptions } from "../../src/build/options.js";
import { OPENAPI, RECORDS, SNAPSHOT, SUMS } from "../../src/release/layout.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import { type Finding, passed, type Verdict } from "../../src/verify/verdict.js";
import { plainRows, userId } from "../support/database.js";
import { scratch } from "../support/files.js";
import { BASE_URL, edit, page, plainRelease, readSnapshot, remake, reseal } from "./damage.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);

type Damage = [what: string, make: (folder: string) => void, rows: string[], finding: Partial<Finding>];

/** Replaces text that stands once on a page. */
const replace = (number: number, from: string | RegExp, to: string) => (folder: string) =>
  edit(folder, page(number), (text) => text.replace(from, to));

const setSnapshot = (change: object) => (folder: string) =>
  writeFileSync(join(folder, SNAPSHOT), `${JSON.stringify({ ...readSnapshot(folder), ...change })}\n`);

describe("a whole release", () => {
  const SHAPES: [string, Partial<BuildOptions>][] = [
    ["with compressed pages", {}],
    ["linked by path, without compressed pages", { links: "path", encodings: [] }],
    [
      "below a path, with an image of its own",
      { baseUrl: "http://127.0.0.1:8080/people", defaultAvatar: "https://münchen.example/a_b.png" },
    ],
    ["of one page", { pageSize: 1000 }],
    ["whose last page is full", { pageSize: 7 }],
  ];
  test.each(SHAPES)(
    "%s has no finding",
    async (_name, { encodings = ["br", "gzip"], ...options }: Partial<BuildOptions>) => {
      const folder = await plainRelease({ ...options, encodings });
      const verdict = await verifyRelease({ folder });
      expect(differing(verdict)).toEqual([]);
      expect(passed(verdict)).toBe(true);
      expect(row(verdict, "records")).toMatchObject({ request: "7 users", outcome: "passed" });
      expect(row(verdict, "compressed")?.outcome).toBe(encodings.length > 0 ? "passed" : "skipped");
      execFileSync("sha256sum", ["--check", "--strict", "--status", SUMS], { cwd: folder });
    },
  );

  test("without users, and by its link", async () => {
    const folder = await plainRelease({}, []);
    symlinkSync(folder, join(folder, "..", "current"));
    const verdict = await verifyRelease({ folder: join(folder, "..", "current") });
    expect(differing(verdict)).toEqual([]);
    expect(verdict.subject).toBe("release release");
  });

  test("of an older version, without records.sha256", async () => {
    const folder = await plainRelease();
    rmSync(join(folder, RECORDS));
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual([]);
    expect(row(verdict, "record-list")).toMatchObject({ outcome: "skipped", note: "it has no records.sha256" });
  });

  test("with files for other hosts, or published without them", async () => {
    const folder = await plainRelease();
    mkdirSync(join(folder, "adapters"));
    writeFileSync(join(folder, "adapters/nginx.conf"), "map $uri $tag {}\n");
    reseal(folder);
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
    edit(folder, "adapters/nginx.conf", (text) => text.replace("tag", "gat"));
    expect(differing(await verifyRelease({ folder }))).toEqual(["digests"]);
    rmSync(join(folder, "adapters"), { recursive: true });
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
  });

  test.each([
    ["a folder above", "..", 0o750, (folder: string) => `chmod o+x ${dirname(folder)}`],
    ["itself", ".", 0o700, (folder: string) => `chmod -R o+rX ${folder}`],
    ["a folder inside", "api/users", 0o754, (folder: string) => `chmod -R o+rX ${folder}`],
    ["a page", page(2), 0o640, (folder: string) => `chmod -R o+rX ${folder}`],
  ])("that other users cannot read because of %s is no finding, but noted", async (_what, path, mode, mend) => {
    const folder = await plainRelease();
    chmodSync(dirname(folder), 0o755);
    expect(row(await verifyRelease({ folder }), "readable")).toMatchObject({ outcome: "passed" });
    chmodSync(join(folder, path), mode);
    const verdict = await verifyRelease({ folder });
    expect(passed(verdict)).toBe(true);
    expect(row(verdict, "readable")).toMatchObject({
      outcome: "noted",
      note: `other users cannot read ${join(folder, path)}, so a web server with a user of its own answers 500; to mend it: ${mend(folder)}`,
    });
  });

  test("with users that warnings apply to, whom snapshot.json counts", async () => {
    const rows = plainRows(7);
    Object.assign(rows[1] ?? {}, { off_chain_tokens: 5 });
    Object.assign(rows[2] ?? {}, { circles: '[{"id":"x","date_joined":"y","mining_events":3}]' });
    Object.assign(rows[4] ?? {}, { off_chain_pending_events: 1, off_chain_tokens: 2 });
    const folder = await plainRelease({}, rows);
    expect(readSnapshot(folder).warnings).toEqual({
      circles: 1,
      pending_events_do_not_add_up: 1,
      tokens_do_not_add_up: 1,
    });
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
  });
});

describe("damage to files", () => {
  const DAMAGES: Damage[] = [
    [
      "a page is gone",
      (f) => rmSync(join(f, page(2))),
      ["files", "count"],
      { check: "files", path: page(2), page: 2, found: "no such file" },
    ],
    [
      "a compressed page is gone",
      (f) => rmSync(join(f, `${page(2)}.br`)),
      ["files"],
      { path: `${page(2)}.br`, page: 2, found: "no such file" },
    ],
    ["records.sha256 is gone", (f) => rmSync(join(f, RECORDS)), ["files"], { path: RECORDS, found: "no such file" }],
    [
      "a file too many",
      (f) => writeFileSync(join(f, "notes.txt"), ""),
      ["files"],
      { path: "notes.txt", found: "a file", expected: "none, since SHA256SUMS does not list it" },
    ],
    [
      "a page too many",
      (f) => writeFileSync(join(f, page(4)), ""),
      ["files"],
      { path: page(4), page: 4, found: "a file" },
    ],
    [
      "a page that is no page's name",
      (f) => writeFileSync(join(f, "api/users/pages/01.json"), ""),
      ["files"],
      { path: "api/users/pages/01.json" },
    ],
    [
      "a file in a folder of its own",
      (f) => {
        mkdirSync(join(f, "a/b"), { recursive: true });
        writeFileSync(join(f, "a/b/c"), "");
      },
      ["files"],
      { path: "a/b/c" },
    ],
    ["a hidden file", (f) => writeFileSync(join(f, ".DS_Store"), ""), ["files"], { path: ".DS_Store" }],
    [
      "a link to the same bytes in place of a page",
      (f) => {
        renameSync(join(f, page(2)), join(f, "../2.json"));
        symlinkSync(join(f, "../2.json"), join(f, page(2)));
      },
      ["files", "count"],
      { path: page(2), found: "a symbolic link", expected: "a plain file" },
    ],
    [
      "a link in place of the pages' folder",
      (f) => {
        renameSync(join(f, "api"), join(f, "../api"));
        symlinkSync("../api", join(f, "api"));
      },
      ["files", "count"],
      { path: "api", found: "a symbolic link" },
    ],
    [
      "a pipe in place of a page",
      (f) => {
        rmSync(join(f, page(1)));
        execFileSync("mkfifo", [join(f, page(1))]);
      },
      ["files", "count"],
      { path: page(1), found: "no plain file" },
    ],
    [
      "one byte of a page",
      replace(2, "user4", "user5"),
      ["digests", "compressed", "record-list"],
      { check: "digests", path: page(2), page: 2 },
    ],
    [
      "a page cut short",
      (f) => truncateSync(join(f, page(2)), 300),
      ["digests", "pages", "count", "compressed"],
      { check: "digests", page: 2 },
    ],
    [
      "one byte of a compressed page",
      (f) => {
        const bytes = readFileSync(join(f, `${page(3)}.gz`));
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        writeFileSync(join(f, `${page(3)}.gz`), bytes);
      },
      ["digests", "compressed"],
      { check: "digests", path: `${page(3)}.gz`, page: 3 },
    ],
    ["the image", (f) => edit(f, "avatar.svg", (text) => `${text} `), ["digests"], { path: "avatar.svg" }],
    [
      "a line of records.sha256",
      (f) => edit(f, RECORDS, (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))),
      ["digests", "record-list"],
      { path: RECORDS },
    ],
    ["snapshot.json", setSnapshot({ skipped: 1 }), ["digests", "snapshot"], { check: "digests", path: SNAPSHOT }],
    [
      "a digest",
      (f) => edit(f, SUMS, (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))),
      ["digests", "snapshot"],
      { path: page(1), page: 1 },
    ],
    [
      "a line of SHA256SUMS is gone",
      (f) => edit(f, SUMS, (text) => text.replace(/.*pages\/2\.json\n/, "")),
      ["sums"],
      { path: page(2), found: "not listed" },
    ],
    [
      "a line of SHA256SUMS twice",
      (f) => edit(f, SUMS, (text) => text.replace(/.*avatar.svg\n/, "$&$&")),
      ["sums"],
      { path: "avatar.svg", found: "listed twice" },
    ],
    [
      "a page's line twice",
      (f) => edit(f, SUMS, (text) => text.replace(/.*1.json\n/, "$&$&")),
      ["sums"],
      { path: page(1), found: "listed twice" },
    ],
    [
      "a line that sha256sum would not read",
      (f) => edit(f, SUMS, (text) => text.replace("  avatar.svg", " avatar.svg")),
      ["sums", "files", "snapshot"],
      { check: "sums", path: SUMS, expected: "64 hexadecimal digits, two spaces and a path" },
    ],
    [
      "a path that leads out of the release",
      (f) => edit(f, SUMS, (text) => `${text}${"0".repeat(64)}  ../../../etc/passwd\n`),
      ["sums"],
      { check: "sums" },
    ],
    [
      "SHA256SUMS without its last newline",
      (f) => edit(f, SUMS, (text) => text.slice(0, -1)),
      ["sums"],
      { found: "no newline at its end" },
    ],
    [
      "SHA256SUMS is gone",
      (f) => rmSync(join(f, SUMS)),
      ["sums", "files"],
      { check: "sums", path: SUMS, found: "no file to read" },
    ],
    [
      "snapshot.json is gone",
      (f) => rmSync(join(f, SNAPSHOT)),
      ["files", "snapshot"],
      { check: "snapshot", path: SNAPSHOT, found: "no file to read" },
    ],
    [
      "snapshot.json is not JSON",
      (f) => writeFileSync(join(f, SNAPSHOT), "{"),
      ["digests", "snapshot"],
      { check: "snapshot", found: "{" },
    ],
    [
      "snapshot.json has no base URL",
      setSnapshot({ base_url: undefined }),
      ["digests", "snapshot"],
      { check: "snapshot" },
    ],
    [
      "snapshot.json speaks of pages without end",
      setSnapshot({ pages: 999_999_999 }),
      ["sums", "files", "digests", "snapshot", "links"],
      { check: "snapshot", found: "pages 999999999", expected: "3, for count 7, 3 a page" },
    ],
  ];
  const ABSURD: Damage[] = [
    [
      "more pages than have numbers",
      setSnapshot({ pages: Number.MAX_SAFE_INTEGER }),
      ["digests", "snapshot"],
      { check: "snapshot", path: SNAPSHOT },
    ],
    [
      "far more pages than there are",
      setSnapshot({ pages: 900_000_000 }),
      ["sums", "files", "digests", "snapshot", "links"],
      { check: "snapshot", found: "pages 900000000" },
    ],
    [
      "a coding a million times",
      setSnapshot({ encodings: Array(1_000_000).fill("br") }),
      ["digests", "snapshot"],
      { check: "snapshot", path: SNAPSHOT },
    ],
    [
      "snapshot.json that is nested too deep for any stack",
      (f) => edit(f, SNAPSHOT, (text) => text.replace(/"warnings":{}/, `"warnings":${"[".repeat(200_000)}`)),
      ["digests", "snapshot"],
      { check: "snapshot", path: SNAPSHOT },
    ],
    [
      "a page of a terabyte",
      (f) => truncateSync(join(f, page(2)), 2 ** 40),
      ["pages", "count"],
      { check: "pages", path: page(2), found: "a file that is too large" },
    ],
    [
      "SHA256SUMS of a terabyte",
      (f) => truncateSync(join(f, SUMS), 2 ** 40),
      ["sums"],
      { check: "sums", path: SUMS, found: "no newline at its end" },
    ],
  ];
  test.each([...DAMAGES, ...ABSURD])("%s", async (_what, make, rows, finding) => {
    const folder = await plainRelease();
    make(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(rows);
    expect(verdict.rows.flatMap(({ findings }) => findings)).toContainEqual(expect.objectContaining(finding));
    expect(passed(verdict)).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)("a file that may not be read is trouble, not damage", async () => {
    const folder = await plainRelease();
    chmodSync(join(folder, page(1)), 0);
    await expect(verifyRelease({ folder })).rejects.toThrow(/1\.json cannot be read \(EACCES\)/);
  });

  test("what is no release is refused", async () => {
    const folder = scratch();
    await expect(verifyRelease({ folder })).rejects.toThrow(
      /is no release: it has neither snapshot.json nor SHA256SUMS/,
    );
    await expect(verifyRelease({ folder: join(folder, "none") })).rejects.toThrow(
      /There is no release at .*none \(ENOENT\)/,
    );
    writeFileSync(join(folder, "file"), "");
    await expect(verifyRelease({ folder: join(folder, "file") })).rejects.toThrow(/ENOTDIR/);
  });
});

describe("damage that digests do not tell", () => {
  const WITH_INDEX = (make: (folder: string) => void) => (folder: string) => {
    make(folder);
    remake(folder);
  };
  const first = userId(0);
  const swap = (text: string) => text.replace(/\n([^\n]*),\n([^\n]*),\n/, "\n$2,\n$1,\n");
  const DAMAGES: Damage[] = [
    [
      "a status that nobody knows",
      WITH_INDEX(replace(1, '"kyc_status":"VERIFIED"', '"kyc_status":"none"')),
      ["records"],
      {
        page: 1,
        id: first,
        found: 'kyc_status "none"',
        expected: expect.stringContaining("must be one of NONE") as never,
      },
    ],
    [
      "a field too many",
      WITH_INDEX(replace(2, '"wac_status":0', '"wac_status":0,"x_password":"secret"')),
      ["records"],
      { page: 2, id: userId(3), expected: "must have no other fields than the contract's, got x_password" },
    ],
    ["a field too few", WITH_INDEX(replace(2, '"bio":"Notes.",', "")), ["records"], { page: 2, found: "bio nothing" }],
    [
      "a nested field",
      WITH_INDEX(replace(3, '"tokens":4', '"tokens":-1')),
      ["records"],
      { page: 3, id: userId(6), found: "off_chain.tokens -1", expected: "must not be negative" },
    ],
    [
      "a day that is none",
      WITH_INDEX(replace(1, /"created_at":"[^"]*"/, '"created_at":"2026-02-29T00:00:00.000000Z"')),
      ["records"],
      { found: 'off_chain.created_at "2026-02-29T00:00:00.000000Z"' },
    ],
    [
      "half a surrogate pair",
      WITH_INDEX(replace(1, '"bio":"Notes."', '"bio":"\\ud800"')),
      ["records"],
      { page: 1, found: 'bio "\\ud800"', expected: "must be text in valid UTF-8" },
    ],
    [
      "bytes that are no UTF-8",
      (f) => {
        const bytes = readFileSync(join(f, page(1)));
        const at = bytes.indexOf("user0");
        bytes[at] = 0xff;
        writeFileSync(join(f, page(1)), bytes);
        remake(f);
      },
      ["records"],
      { page: 1, expected: "one record as JSON in UTF-8" },
    ],
    [
      "a record that is no JSON",
      WITH_INDEX(replace(1, '"bio":"Notes."', '"bio":')),
      ["records"],
      { page: 1, expected: "one record as JSON in UTF-8" },
    ],
    [
      "a number beyond 2^53",
      WITH_INDEX(replace(1, '"referrals_count":0', '"referrals_count":9007199254740993')),
      ["records"],
      { page: 1, id: first },
    ],
    [
      "keys out of order",
      WITH_INDEX(replace(1, '"bio":"Notes.","circles":[]', '"circles":[],"bio":"Notes."')),
      ["canonical"],
      { page: 1, id: first },
    ],
    [
      "white space in a record",
      WITH_INDEX(replace(1, '"bio":"Notes."', '"bio": "Notes."')),
      ["canonical"],
      { page: 1, id: first, found: expect.stringContaining("bio") as never },
    ],
    [
      "an escape that need not be",
      WITH_INDEX(replace(1, '"username":"user0"', '"username":"\\u0075ser0"')),
      ["canonical"],
      { page: 1, id: first },
    ],
    ["an escape in capitals", WITH_INDEX(replace(1, '"bio":"Notes."', '"bio":"\\u001F"')), ["canonical"], { page: 1 }],
    [
      "a fraction that is none",
      WITH_INDEX(replace(1, '"wac_status":0', '"wac_status":0.0')),
      ["canonical"],
      { page: 1 },
    ],
    [
      "a key twice",
      WITH_INDEX(replace(1, '"wac_status":0', '"wac_status":0,"wac_status":0')),
      ["canonical"],
      { page: 1 },
    ],
    [
      "white space in the envelope",
      replace(1, '"count":7', '"count": 7'),
      ["pages", "compressed"],
      { check: "pages", page: 1 },
    ],
    ["no final newline", replace(2, /\n$/, ""), ["pages", "compressed"], { check: "pages", page: 2 }],
    [
      "two records in a line",
      replace(2, "},\n{", "},{"),
      ["records", "count", "page-size", "compressed"],
      { check: "records", page: 2 },
    ],
    [
      "a page that is HTML",
      (f) => writeFileSync(join(f, page(2)), "<!doctype html>"),
      ["pages", "count", "compressed"],
      { check: "pages", page: 2, found: "a file that is HTML", expected: "a page" },
    ],
    [
      "two users out of order",
      (f) => {
        edit(f, page(2), swap);
        remake(f);
      },
      ["order"],
      { page: 2, id: userId(3), expected: "-date_joined, id" },
    ],
    [
      "two pages out of order",
      (f) => {
        const [one, two] = [1, 2].map((number) => readFileSync(join(f, page(number)), "utf8").split("\n"));
        if (!one || !two) return;
        writeFileSync(join(f, page(1)), [one[0], ...two.slice(1)].join("\n"));
        writeFileSync(join(f, page(2)), [two[0], ...one.slice(1)].join("\n"));
        remake(f);
      },
      ["order"],
      { page: 2, id: first },
    ],
    [
      "ties by id, descending",
      WITH_INDEX((f) => {
        edit(f, page(1), (text) =>
          swap(text).replaceAll(/"date_joined":"[^"]*"/g, '"date_joined":"2026-01-01T00:00:00.000000Z"'),
        );
      }),
      ["order"],
      { page: 1, id: first, found: `id "${first}" after "${userId(1)}", of equal date_joined` },
    ],
    [
      "an id twice on a page",
      WITH_INDEX(replace(1, `"id":"${userId(1)}"`, `"id":"${first}"`)),
      ["unique-keys"],
      { page: 1, id: first, found: "2 times, on page 1", expected: "once" },
    ],
    [
      "an id on two pages",
      WITH_INDEX(replace(3, `"id":"${userId(6)}"`, `"id":"${first}"`)),
      ["unique-keys"],
      { page: 1, id: first, found: "2 times, on pages 1 to 3" },
    ],
    [
      "count on one page",
      (f) => {
        edit(f, page(2), (text) => text.replace('"count":7', '"count":8'));
        remake(f);
      },
      ["count"],
      { page: 2, found: "count 8", expected: "7, as in snapshot.json" },
    ],
    [
      "count in snapshot.json",
      setSnapshot({ count: 8 }),
      ["count", "page-size", "record-list"],
      { check: "count", found: "7 users on all pages", expected: "8, as in snapshot.json" },
    ],
    [
      "page_size in snapshot.json",
      setSnapshot({ page_size: 4 }),
      ["snapshot", "page-size", "record-list"],
      { check: "snapshot", found: "pages 3", expected: "2, for count 7, 4 a page" },
    ],
    [
      "a user too few on a page",
      (f) => {
        edit(f, page(2), (text) => text.replace(/\n[^\n]*,\n/, "\n"));
        remake(f);
      },
      ["count", "page-size", "record-list"],
      { check: "page-size", page: 2, found: "records 2", expected: "3" },
    ],
    [
      "next leads elsewhere",
      (f) => {
        edit(f, page(1), (text) => text.replace("page=2", "page=3"));
        remake(f);
      },
      ["links"],
      { page: 1, found: `next "${BASE_URL}/api/users/?format=api&page=3"` },
    ],
    [
      "previous of page 1",
      (f) => {
        edit(f, page(1), (text) => text.replace('"previous":null', '"previous":"https://x.example/"'));
        remake(f);
      },
      ["links"],
      { page: 1, found: 'previous "https://x.example/"', expected: "null" },
    ],
    [
      "no end of the chain",
      (f) => {
        edit(f, page(3), (text) => text.replace('"next":null', `"next":"${BASE_URL}/api/users/?format=api&page=4"`));
        remake(f);
      },
      ["links"],
      { page: 3, expected: "null" },
    ],
    [
      "parameters in another order",
      (f) => {
        edit(f, page(1), (text) => text.replace("format=api&page=2", "page=2&format=api"));
        remake(f);
      },
      ["links"],
      { page: 1 },
    ],
    [
      "links of another base URL",
      setSnapshot({ base_url: "https://other.example" }),
      ["description", "links"],
      { page: 1, found: `next "${BASE_URL}/api/users/?format=api&page=2"` },
    ],
    [
      "a base URL that is none",
      setSnapshot({ base_url: "ftp://x" }),
      ["snapshot", "description", "links"],
      { check: "snapshot", found: "base_url ftp://x" },
    ],
    [
      "another word in openapi.json",
      (f) => edit(f, OPENAPI, (text) => text.replace("All users, page by page.", "All users.")),
      ["description"],
      { path: OPENAPI, found: expect.stringMatching(/^in line \d+: "description": "All users."$/) as never },
    ],
    [
      "an openapi.json that ends too soon",
      (f) => edit(f, OPENAPI, (text) => text.slice(0, -3)),
      ["description"],
      { path: OPENAPI, found: expect.stringMatching(/^only \d+ lines$/) as never },
    ],
    [
      "an openapi.json that is none",
      (f) => writeFileSync(join(f, OPENAPI), "{}"),
      ["description"],
      { path: OPENAPI, found: "in line 1: {}" },
    ],
    ["no avatar where one is described", (f) => rmSync(join(f, "avatar.svg")), ["description"], { path: OPENAPI }],
    [
      "warnings that nobody gives",
      setSnapshot({ warnings: { circles: 2 } }),
      ["snapshot"],
      { found: "circles 2", expected: "0, as there are" },
    ],
    [
      "a user that is nested too deep for any stack",
      WITH_INDEX(replace(1, '"circles":[]', `"circles":[${"[".repeat(200_000)}${"]".repeat(200_000)}]`)),
      ["records"],
      { page: 1, found: expect.stringMatching(/^".*, which is nested deeper than 320 levels$/) },
    ],
    [
      "a warning by a name that every object has",
      setSnapshot({ warnings: { constructor: 2 } }),
      ["snapshot"],
      { found: "constructor 2", expected: "0, as there are" },
    ],
    [
      "a warning that is not counted",
      WITH_INDEX(replace(1, '"tokens":4', '"tokens":5')),
      ["snapshot"],
      { found: "tokens_do_not_add_up 0", expected: "1, as there are" },
    ],
    ["another version of the contract", setSnapshot({ contract: 99 }), ["snapshot"], { found: "contract 99" }],
    [
      "other bytes under gzip",
      (f) => writeFileSync(join(f, `${page(2)}.gz`), readFileSync(join(f, `${page(1)}.gz`))),
      ["compressed"],
      { path: `${page(2)}.gz`, page: 2 },
    ],
    [
      "what is no Brotli",
      (f) => writeFileSync(join(f, `${page(2)}.br`), "hello"),
      ["compressed"],
      { path: `${page(2)}.br`, found: expect.stringContaining("not br") as never },
    ],
    [
      "a bomb",
      (f) => writeFileSync(join(f, `${page(2)}.gz`), gzipSync(Buffer.alloc(50_000_000))),
      ["compressed"],
      { found: "more bytes" },
    ],
    [
      "a user's digest",
      (f) => edit(f, RECORDS, (text) => text.replace(/^./m, (digit) => (digit === "0" ? "1" : "0"))),
      ["record-list"],
      { page: 1, id: first },
    ],
    [
      "records.sha256 in another order",
      (f) => edit(f, RECORDS, (text) => text.replace(/(.*\n)(.*\n)/, "$2$1")),
      ["record-list"],
      { page: 1, id: first },
    ],
    [
      "records.sha256 is too short",
      (f) => edit(f, RECORDS, (text) => text.slice(0, -71)),
      ["record-list"],
      { page: 3, id: userId(6), found: "no line" },
    ],
    [
      "records.sha256 is too long",
      (f) => edit(f, RECORDS, (text) => `${text}x`),
      ["record-list"],
      { path: RECORDS, found: "7 lines and 1 bytes", expected: "7 lines, one a record" },
    ],
  ];
  test.each(DAMAGES)("%s", async (_what, make, rows, finding) => {
    const folder = await plainRelease();
    make(folder);
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(rows);
    expect(verdict.rows.flatMap(({ findings }) => findings)).toContainEqual(expect.objectContaining(finding));
    expect(passed(verdict)).toBe(false);
  });

  test("an openapi.json in the form of another version of Rollcall is known by its digest alone", async () => {
    const folder = await plainRelease();
    edit(folder, OPENAPI, (text) => text.replace('"x-form": 1', '"x-form": 99').replace("page by page", "one by one"));
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual([]);
    expect(row(verdict, "description")).toMatchObject({ outcome: "skipped", note: expect.stringContaining("version") });
  });

  test("the id", async () => {
    const folder = await plainRelease();
    const { id } = readSnapshot(folder);
    setSnapshot({ id: "0".repeat(12) })(folder);
    expect(row(await verifyRelease({ folder }), "snapshot")?.findings).toMatchObject([
      { found: "id 000000000000", expected: `${id}, which its content gives` },
    ]);
  });

  test("the folder of another release", async () => {
    const folder = await plainRelease();
    const named = join(folder, "..", "20261121T034000Z-1f6a9c0d2b7e");
    renameSync(folder, named);
    const verdict = await verifyRelease({ folder: named });
    expect(differing(verdict)).toEqual(["snapshot"]);
    expect(row(verdict, "snapshot")?.findings[0]?.expected).toBe("1f6a9c0d2b7e, which the folder's name says");
  });
});

test("all findings of a kind are counted, and the first 20 kept, first pages first", async () => {
  const folder = await plainRelease({ pageSize: 1, encodings: [] }, plainRows(50));
  for (let number = 50; number >= 1; number--) replace(number, '"country":"GB"', '"country":"gb"')(folder);
  const verdict = await verifyRelease({ folder });
  for (const name of ["digests", "records"]) {
    expect(row(verdict, name)).toMatchObject({ count: 50 });
    expect(row(verdict, name)?.findings.map(({ page }) => page)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  }
});
