/** Whatever goes wrong between a host and the client, a wrong record is never handed out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ListingError, type ListingOptions, openListing } from "../../src/client/index.js";
import { listReleases } from "../../src/release/list.js";
import { fetchReply } from "../support/front.js";
import { isMissing } from "../support/installed.js";
import { drawSeed, seeded } from "../support/random.js";
import { markOf } from "./cases.mjs";
import { FAULTS, type Fault } from "./faults.js";
import { type Front, type Station, stationOf } from "./hosts.js";

const random = seeded(drawSeed());

/** How often the answer is wrong: at first, or each time it is asked for. */
const TIMES = [1, Number.POSITIVE_INFINITY] as const;

interface Broken {
  station: Station;
  /** The file whose answers are wrong. */
  file: string;
  /** Begins again to count how often it was asked for. */
  begin(times: number): void;
}

/** What a listing in which answers go wrong is opened with. */
const HURRIED: ListingOptions = { timeoutMs: 2_000 };

describe.skipIf(isMissing("minisign"))("never handed out:", () => {
  test.each(FAULTS)("$name", async (fault) => {
    const { station, file, begin } = await broken(fault);
    const { host } = station;
    for (const times of TIMES) {
      begin(times);
      const listing = openListing(host.baseUrl, { ...HURRIED, publicKey: host.publicKey });
      const { marks, error } = await outcome(listing.records());
      const what = `${fault.name} in ${file}, ${times} times`;
      expect(marks, what).toEqual(host.releases.first.marks.slice(0, marks.length));
      if (error === undefined) {
        expect(marks.length, what).toBe(host.releases.first.count);
        continue;
      }
      // Once is what any network does.
      expect([error, times], what).toEqual([
        expect.objectContaining({ name: expect.stringMatching(/^(ListingError|SnapshotChangedError)$/) }),
        Number.POSITIVE_INFINITY,
      ]);
      expect(error.url.startsWith(`${host.baseUrl}/`), what).toBe(true);
      expect(error.message, what).toContain(error.url);
      expect([typeof error.expected, typeof error.received], `${what}: ${error.message}`).toEqual(["string", "string"]);
    }
  });
});

async function outcome(walk: AsyncIterable<unknown>): Promise<{ marks: number[]; error?: ListingError }> {
  const marks: number[] = [];
  try {
    for await (const record of walk) marks.push(markOf(JSON.stringify(record)));
    return { marks };
  } catch (error) {
    return { marks, error: error as ListingError };
  }
}

/** A host in front of which something answers wrongly for one file. */
async function broken(fault: Fault): Promise<Broken> {
  const file = random.of(fault.files);
  let [asked, most] = [0, 0];
  let folders: { first: string; second: string } | undefined;
  const front: Front = (behind, baseUrl) => async (req, res) => {
    const path = pathOf(req.url ?? "");
    if (path !== file || asked++ >= most || !folders) {
      const { status, headers, body } = await fetchReply(`${behind}`, req);
      return res.writeHead(status, headers.flat()).end(body);
    }
    const read = (folder: string, name: string) => readFileSync(join(folder, name));
    const earlier = path.replace(/\d+(?=\.json$)/, (number) => `${Math.max(1, Number(number) - 1)}`);
    fault.answer({
      ...{ req, res, baseUrl, random, body: read(folders.first, path), other: read(folders.second, path) },
      before: read(folders.first, earlier),
    });
  };
  const station = await stationOf("serve", front);
  const { first, second } = station.host.releases;
  await station.switchTo("first");
  const releases = await listReleases(station.dist);
  const folderOf = (id: string) => releases.find((release) => release.id === id)?.folder ?? "";
  folders = { first: folderOf(first.id), second: folderOf(second.id) };
  onTestFinished(() => {
    most = 0;
  });
  const begin = (times: number) => {
    [asked, most] = [0, times];
  };
  return { station, file, begin };
}

/** The file that is asked for, however a reader asks for it. */
function pathOf(target: string): string {
  const { pathname, searchParams } = new URL(target, "http://host");
  if (pathname !== "/api/users/") return pathname.slice(1);
  return `api/users/pages/${searchParams.get("page") ?? 1}.json`;
}
