/** Verifies damaged views on disk: each damage is a finding that names its file. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SUMS, VIEWS } from "../../src/core/release/layout.js";
import { openRelease } from "../../src/core/release/open.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { build } from "../../src/index.js";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { scratch } from "../support/files.js";
import { PLACE_VIEWS, PLACES, places, writePlaces } from "../support/places.js";

const FOLDER = mkdtempSync(join(tmpdir(), "rollcall-test-"));
let made = "";
let other = "";

afterAll(() => rmSync(FOLDER, { recursive: true }));

beforeAll(async () => {
  const buildPlaces = async (count: number) => {
    const folder = join(FOLDER, String(count));
    mkdirSync(folder);
    const db = writePlaces(join(folder, "places.sqlite"), places(count));
    const options = { db, table: "places", contract: PLACES, baseUrl: "https://data.example.com", pageSize: 10 };
    return (await build({ ...options, dist: join(folder, "dist"), workers: 0, views: PLACE_VIEWS, compress: ["br"] }))
      .folder;
  };
  made = await buildPlaces(230);
  other = await buildPlaces(240);
});

/** A copy of the release in which a damage was done. */
function damaged(damage: (folder: string) => void): string {
  const folder = join(scratch(), "release");
  cpSync(made, folder, { recursive: true });
  damage(folder);
  return folder;
}

async function findingsIn(folder: string): Promise<string[]> {
  const { rows } = await verifyRelease({ folder, workers: 0 });
  return rows.flatMap(({ name, findings }) => findings.map(({ path }) => `${name} ${path}`));
}

function edit(folder: string, path: string, change: (text: string) => string): void {
  const text = readFileSync(join(folder, path), "utf8");
  const after = change(text);
  expect(after).not.toBe(text);
  writeFileSync(join(folder, path), after);
}

/** Changes a file, and its digest in a list of digests. */
function forge(folder: string, path: string, sums: string, change: (text: string) => string): void {
  const before = sha256(readFileSync(join(folder, path)));
  edit(folder, path, change);
  edit(folder, sums, (text) => text.replace(before, sha256(readFileSync(join(folder, path)))));
}

const PAGE = "views/tag/de/pages/1.json";
const OF_TAG = "views/tag.sha256";

describe("verify", () => {
  test("passes views of every form", async () => {
    const { rows } = await verifyRelease({ folder: made, workers: 0 });
    expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
    expect(rows.find(({ name }) => name === "views")).toMatchObject({ outcome: "passed", request: "7 views" });
    expect((await openRelease(made)).views).toHaveLength(7);
  });

  test("names a page that was changed", async () => {
    const folder = damaged((folder) => edit(folder, PAGE, (text) => text.replace("ruin", "fort")));
    expect(await findingsIn(folder)).toEqual([`digests ${PAGE}`, `compressed ${PAGE}.br`, `views ${PAGE}`]);
  });

  test("names a page that was forged with its digests", async () => {
    const folder = damaged((folder) => {
      const before = sha256(readFileSync(join(folder, OF_TAG)));
      forge(folder, PAGE, OF_TAG, (text) => text.replace(/"count":\d+/, '"count":1'));
      edit(folder, SUMS, (text) => text.replace(before, sha256(readFileSync(join(folder, OF_TAG)))));
    });
    expect(await findingsIn(folder)).toEqual([`compressed ${PAGE}.br`, `views ${PAGE}`]);
  });

  test("names a page of another value in its place", async () => {
    const folder = damaged((folder) => cpSync(join(folder, "views/tag/DE/pages/1.json"), join(folder, PAGE)));
    expect(await findingsIn(folder)).toContain(`views ${PAGE}`);
  });

  test("names an index that lacks a value", async () => {
    const drop = (text: string) => text.replace('["de",10],', "");
    const isCaught = async (folder: string) => {
      expect(await findingsIn(folder)).toContain("views views/tag.json");
      await expect(openRelease(folder)).rejects.toThrow("views/tag.json");
    };
    await isCaught(damaged((folder) => forge(folder, "views/tag.json", SUMS, drop)));
  });

  test("names digests of another release", async () => {
    const folder = damaged((folder) => cpSync(join(other, OF_TAG), join(folder, OF_TAG)));
    expect(await findingsIn(folder)).toContain(`digests ${OF_TAG}`);
    await expect(openRelease(folder)).rejects.toThrow(OF_TAG);
  });

  test("names views of another state", async () => {
    const folder = damaged((folder) =>
      forge(folder, VIEWS, SUMS, (text) => text.replace(/"state":"\w+"/, `"state":"${"0".repeat(64)}"`)),
    );
    expect(await findingsIn(folder)).toContain(`views ${VIEWS}`);
  });

  test("names a page that is missing, and one that is too many", async () => {
    const folder = damaged((folder) => {
      rmSync(join(folder, PAGE));
      writeFileSync(join(folder, "views/tag/de/pages/9.json"), "{}\n");
    });
    expect(await findingsIn(folder)).toEqual([`files ${PAGE}`, "files views/tag/de/pages/9.json"]);
  });

  test("names records in another order", async () => {
    const page = "views/-height/pages/2.json";
    const folder = damaged((folder) =>
      edit(folder, page, (text) => {
        const [head = "", one = "", two = "", ...rest] = text.split("\n");
        return [head, two, one, ...rest].join("\n");
      }),
    );
    expect(await findingsIn(folder)).toContain(`views ${page}`);
  });
});
