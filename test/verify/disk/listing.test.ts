import { chmodSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BuildOptions } from "../../../src/build/options.js";
import { USERS } from "../../../src/core/contract/users.js";
import { RECORDS, RELEASE_NAME, SNAPSHOT } from "../../../src/core/release/layout.js";
import { verifyRelease } from "../../../src/verify/disk/listing.js";
import { passed, type Verdict } from "../../../src/verify/verdict.js";
import { edit, FULL, page, plainRelease, readSnapshot, reseal } from "../../support/damage.js";
import { plainRows } from "../../support/database.js";
import { scratch } from "../../support/files.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);

const setSnapshot = (change: object) => (folder: string) =>
  writeFileSync(join(folder, SNAPSHOT), `${JSON.stringify({ ...readSnapshot(folder), ...change })}\n`);

const AT_BASE = { ...USERS, "x-listing": { ...USERS["x-listing"], path: "/" } };

describe("an intact release", () => {
  const SHAPES: [string, Partial<BuildOptions>][] = [
    ["with compressed pages", {}],
    ["linked by path, without compressed pages", { links: "path", compress: [] }],
    [
      "below a path, with an image of its own",
      { baseUrl: "http://127.0.0.1:8080/people", defaultAvatar: "https://münchen.example/a_b.png" },
    ],
    ["at its base URL itself", { contract: AT_BASE, explorer: true, bulk: true, adapt: ["github-pages"] }],
    ["of one page", { pageSize: 1000 }],
    ["whose last page is full", { pageSize: 7 }],
  ];
  test.each(SHAPES)(
    "%s has no finding",
    async (_name, { compress = ["br", "gzip"], ...options }: Partial<BuildOptions>) => {
      const folder = await plainRelease({ ...options, compress });
      const verdict = await verifyRelease({ folder });
      expect(differing(verdict)).toEqual([]);
      expect(passed(verdict)).toBe(true);
      expect(row(verdict, "records")).toMatchObject({ request: "7 users", outcome: "passed" });
      expect(row(verdict, "compressed")?.outcome).toBe(compress.length > 0 ? "passed" : "skipped");
    },
  );

  test("without users, and by its link", async () => {
    const folder = await plainRelease({}, []);
    symlinkSync(folder, join(folder, "..", "current"));
    const verdict = await verifyRelease({ folder: join(folder, "..", "current") });
    expect(differing(verdict)).toEqual([]);
    expect(verdict.subject).toBe("release release");
  });

  test("except records.sha256", async () => {
    const folder = await plainRelease();
    rmSync(join(folder, RECORDS));
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["record-list"]);
  });

  test("a copy needs no files that hosts do not serve, but its pages make the listed list of records", async () => {
    const folder = await plainRelease(FULL);
    rmSync(join(folder, RECORDS));
    const verdict = await verifyRelease({ folder, isCopy: true });
    expect(differing(verdict)).toEqual([]);
    for (const name of ["record-list", "bulk", "csv", "lookup", "explorer"])
      expect(row(verdict, name)).toMatchObject({ outcome: "passed" });
    edit(folder, page(2), (text) => text.replace('"bio":"Notes."', '"bio":"other"'));
    const others = ["digests", "record-list", "bulk", "csv"];
    expect(differing(await verifyRelease({ folder, isCopy: true }))).toEqual(others);
  });

  test("with files for hosts, and its own name", async () => {
    const folder = await plainRelease({ adapt: ["htaccess", "cloudflare"], explorer: true, bulk: true });
    writeFileSync(join(folder, RELEASE_NAME), "release\n");
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
  });

  test.each([
    ["a folder above", "..", 0o750, (folder: string) => `chmod o+x ${dirname(folder)}`],
    ["itself", ".", 0o700, (folder: string) => `chmod -R o+rX ${folder}`],
    ["a folder inside", "api/users", 0o754, (folder: string) => `chmod -R o+rX ${folder}`],
    ["a page", page(2), 0o640, (folder: string) => `chmod -R o+rX ${folder}`],
  ])("that other users cannot read because of %s is noted, not a finding", async (_what, path, mode, mend) => {
    const folder = await plainRelease();
    chmodSync(dirname(folder), 0o755);
    expect(row(await verifyRelease({ folder }), "readable")).toMatchObject({ outcome: "passed" });
    chmodSync(join(folder, path), mode);
    const verdict = await verifyRelease({ folder });
    expect(passed(verdict)).toBe(true);
    expect(row(verdict, "readable")).toMatchObject({
      outcome: "noted",
      note: `other users cannot read ${join(folder, path)}, so a web server that runs as another user answers 500; to fix it: ${mend(folder)}`,
    });
  });
});

const ROOT = process.getuid?.() === 0;
if (ROOT) process.stderr.write("Skipped one test: root can read every file.\n");

describe("what is no release, or cannot be read", () => {
  test.skipIf(ROOT)("a file without read permission is an error, not a finding", async () => {
    const folder = await plainRelease();
    chmodSync(join(folder, page(1)), 0);
    await expect(verifyRelease({ folder })).rejects.toThrow(/1\.json cannot be read \(EACCES\)/);
  });

  test("refuses a folder that is not a release", async () => {
    const folder = scratch();
    await expect(verifyRelease({ folder })).rejects.toThrow(
      /is not a release: it has neither snapshot.json nor SHA256SUMS/,
    );
    await expect(verifyRelease({ folder: join(folder, "none") })).rejects.toThrow(/There is no release at .*none;/);
    writeFileSync(join(folder, "file"), "");
    await expect(verifyRelease({ folder: join(folder, "file") })).rejects.toThrow(/is a file, not a release's folder/);
  });
});

describe("known by its digest, id or name", () => {
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
    expect(differing(verdict)).toEqual(["files", "snapshot"]);
    expect(row(verdict, "snapshot")?.findings[0]?.expected).toBe("1f6a9c0d2b7e, which the folder's name says");
    const expected = "the folder's name, 20261121T034000Z-1f6a9c0d2b7e";
    expect(row(verdict, "files")?.findings).toMatchObject([{ path: ".release", expected }]);
  });
});

describe("no check passes that did not read a file:", () => {
  const passedIn = async (folder: string) => {
    const { rows } = await verifyRelease({ folder });
    return rows.filter(({ outcome }) => outcome === "passed").map(({ name }) => name);
  };
  const NONE_OF_PAGES = ["sums", "files", "snapshot", "contract", "readable"];

  test.each<[what: string, make: (path: string) => void, passed: readonly string[]]>([
    ["a page of a terabyte", (path) => truncateSync(path, 2 ** 40), NONE_OF_PAGES],
    ["no page", (path) => rmSync(path), NONE_OF_PAGES.filter((name) => name !== "files")],
    ["a page that is not one", (path) => writeFileSync(path, "x\n"), NONE_OF_PAGES],
  ])("%s", async (_what, make, passed) => {
    const folder = await plainRelease({ ...FULL, compress: ["gzip"] });
    chmodSync(dirname(folder), 0o755);
    make(join(folder, page(2)));
    expect(await passedIn(folder)).toEqual(passed);
  });

  test("a compressed page of a terabyte, which is named", async () => {
    const folder = await plainRelease({ compress: ["gzip"] });
    truncateSync(join(folder, `${page(2)}.gz`), 2 ** 40);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["pages"]);
    for (const name of ["digests", "compressed"])
      expect(row(verdict, name)).toMatchObject({ outcome: "skipped", note: "1 file of pages could not be read" });
  });

  test("an image that is gone", async () => {
    const folder = await plainRelease();
    rmSync(join(folder, "avatar.svg"));
    expect(row(await verifyRelease({ folder }), "digests")).toMatchObject({ outcome: "skipped" });
  });
});

test("counts all findings of a check, and keeps the first 20 by page", async () => {
  const folder = await plainRelease({ pageSize: 1, compress: [] }, plainRows(50));
  for (let number = 50; number >= 1; number--)
    edit(folder, page(number), (text) => text.replace('"country":"GB"', '"country":"gb"'));
  const verdict = await verifyRelease({ folder });
  for (const name of ["digests", "records"]) {
    expect(row(verdict, name)).toMatchObject({ count: 50 });
    expect(row(verdict, name)?.findings.map(({ page }) => page)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  }
});
