/** Whatever goes wrong between a host and the client, a wrong record is never handed out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ListingError, type ListingOptions, openListing } from "../../src/client/index.js";
import { listReleases } from "../../src/release/list.js";
import { fetchReply } from "../support/front.js";
import { isMissing } from "../support/installed.js";
import { markOf } from "./cases.mjs";
import { FAULTS, type Fault } from "./faults.js";
import { type Front, type Host, stationOf, type Turn } from "./hosts.js";

/** How often the answer is wrong: at first, or each time it is asked for. */
const TIMES = [1, Number.POSITIVE_INFINITY] as const;
const HURRIED: ListingOptions = { timeoutMs: 1_000, pausesMs: [10, 20, 40] };

test.skipIf(isMissing("minisign"))(`${FAULTS.length} faults are never handed out`, async () => {
  const { host, begin } = await breakable();
  const seen = new Map<string, string>();
  for (const [at, fault] of FAULTS.entries()) {
    const file = fault.files[at % fault.files.length] ?? "";
    for (const times of TIMES) {
      begin({ fault, file, times });
      const listing = openListing(host.baseUrl, { ...HURRIED, publicKey: host.publicKey });
      const { marks, error } = await outcome(listing.records());
      const what = `${fault.name} in ${file}${times === 1 ? ", once" : ""}`;
      expect(marks, what).toEqual(host.releases.first.marks.slice(0, marks.length));
      seen.set(what, error?.code ?? "right");
      if (error === undefined) {
        expect(marks.length, what).toBe(host.releases.first.count);
        continue;
      }
      expect(error.name, `${what}: ${error.stack}`).toBe("ListingError");
      expect(error.url.startsWith(`${host.baseUrl}/`), what).toBe(true);
      expect(error.message, what).toContain(error.url);
      const isSaid = typeof error.expected === "string" && typeof error.received === "string";
      expect(isSaid, error.message).toBe(true);
    }
  }
  // What is wrong once is mended by asking again, but for what no other try may mend.
  const lasting = [...seen].filter(([what, code]) => what.endsWith(", once") && code !== "right").map(([what]) => what);
  expect(lasting.filter((what) => !/^(?:a redirect|404|503 that is never over)/.test(what))).toEqual([]);
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

interface Broken {
  fault: Fault;
  /** The file whose answers are wrong. */
  file: string;
  /** How many of them. */
  times: number;
}

/** A host in front of which something answers wrongly for one file. */
async function breakable(): Promise<{ host: Host; begin(broken: Broken): void }> {
  let broken: Broken | undefined;
  let folders = { first: "", second: "" };
  const front: Front = (behind, baseUrl) => async (req, res) => {
    const path = pathOf(req.url ?? "");
    if (path !== broken?.file || broken.times-- <= 0) {
      const { status, headers, body } = await fetchReply(`${behind}`, req);
      return res.writeHead(status, headers.flat()).end(body);
    }
    const read = (folder: string, name: string) => readFileSync(join(folder, name));
    broken.fault.answer({
      ...{ req, res, baseUrl, body: read(folders.first, path), other: read(folders.second, path) },
    });
  };
  const { host, dist, switchTo } = await stationOf("serve", front);
  await switchTo("first");
  const releases = await listReleases(dist);
  const folderOf = (turn: Turn) => releases.find(({ id }) => id === host.releases[turn].id)?.folder ?? "";
  folders = { first: folderOf("first"), second: folderOf("second") };
  return {
    host,
    begin(next) {
      broken = next;
    },
  };
}

/** The file that is asked for, however a reader asks for it. */
function pathOf(target: string): string {
  const { pathname, searchParams } = new URL(target, "http://host");
  if (pathname !== "/api/users/") return pathname.slice(1);
  return `api/users/pages/${searchParams.get("page") ?? 1}.json`;
}
