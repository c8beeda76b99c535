/** Small releases by the release format, and a `dist` whose `current` can be switched. */
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import stringify from "fast-json-stable-stringify";
import { type Contract, USERS_CONTRACT } from "../../src/contract/contract.js";
import type { Encoding } from "../../src/contract/headers.js";
import { type LinkStyle, pagesFor } from "../../src/contract/links.js";
import { encodePage } from "../../src/contract/page.js";
import { recordFinder } from "../../src/contract/record/locate.js";
import type { User } from "../../src/contract/users.js";
import { CONTRACT, CURRENT, PagePaths, RECORDS, RELEASES, SNAPSHOT, SUMS } from "../../src/release/layout.js";
import { folderName } from "../../src/release/name.js";
import { sha256 } from "../../src/release/plain-files.js";
import { recordLines } from "../../src/release/record-lines.js";
import { contentDigest, encodeSnapshot, snapshotId } from "../../src/release/snapshot-file.js";
import { encodeSums, PageDigests } from "../../src/release/sums.js";
import { stations, stationText } from "../support/stations.js";

export interface Shape {
  count?: number;
  pageSize?: number;
  baseUrl?: string;
  links?: LinkStyle;
  encodings?: Encoding[];
  /** Makes the users of two releases differ. */
  bio?: string;
  /** That of users unless given, or one of stations. */
  contract?: Contract;
  /** Path -> content of further files, such as an avatar. */
  others?: Record<string, string | Buffer>;
}

/** Writes a release into `dist` and switches `current` to it. Returns the release's folder. */
export async function publish(dist: string, shape: Shape = {}): Promise<string> {
  const folder = await writeRelease(dist, shape);
  await switchTo(dist, folder);
  return folder;
}

/** Points `current` at a folder of `releases` by one rename, as a build does. */
export async function switchTo(dist: string, folder: string): Promise<void> {
  const aside = join(dist, `.current-${Math.random().toString(36).slice(2)}`);
  await symlink(`${RELEASES}/${folder.split("/").at(-1)}`, aside);
  await rename(aside, join(dist, CURRENT));
}

const compressors = { br: brotliCompressSync, gzip: gzipSync } as const;
let clock = Date.UTC(2026, 0, 1);

export async function writeRelease(dist: string, shape: Shape = {}): Promise<string> {
  const { count = 5, pageSize = 2, baseUrl = "https://directory.example.com" } = shape;
  const { links = "query", encodings = [], bio = "", contract = USERS_CONTRACT } = shape;
  const pages = pagesFor(count, pageSize);
  const paths = new PagePaths(contract.listing.path);
  const texts =
    contract === USERS_CONTRACT
      ? Array.from({ length: count }, (_, at) => record(at, bio))
      : stations(count).map(stationText);
  const contents = new Map<string, Buffer>();
  const digests = new PageDigests(pages, ["identity", ...encodings]);
  for (let page = 1; page <= pages; page++) {
    const records = texts.slice((page - 1) * pageSize, page * pageSize);
    const position = { page, pages, count, baseUrl, path: paths.listing, links };
    const body = Buffer.from(encodePage(position, records).join(""));
    contents.set(paths.path(page), body);
    for (const coding of encodings) contents.set(paths.path(page, coding), compressors[coding](body));
    for (const variant of digests.variants)
      digests.set(page, variant, sha256(contents.get(paths.path(page, variant)) ?? ""));
  }
  const list = texts.map((text) => recordLines(recordFinder(contract), Buffer.from(text)));
  const further = { [CONTRACT]: contract.text, [RECORDS]: Buffer.concat(list as Buffer[]), ...shape.others };
  const facts = {
    contract: 1,
    count,
    pages,
    page_size: pageSize,
    base_url: baseUrl,
    links,
    encodings,
    skipped: 0,
    state: sha256(further[RECORDS] ?? ""),
    warnings: {},
  };
  for (const [path, content] of Object.entries(further)) contents.set(path, Buffer.from(content));
  const others = new Map(Object.entries(further).map(([path, content]) => [path, sha256(content)]));
  const id = snapshotId(contentDigest(facts, { paths, pages: digests, others }));
  const snapshot = Buffer.from(encodeSnapshot({ id, ...facts }));
  contents.set(SNAPSHOT, snapshot);
  contents.set(
    SUMS,
    Buffer.from(
      [...encodeSums({ paths, pages: digests, others: new Map([...others, [SNAPSHOT, sha256(snapshot)]]) })].join(""),
    ),
  );

  clock += 1000;
  const folder = join(dist, RELEASES, folderName(new Date(clock), id));
  for (const [path, bytes] of contents) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return folder;
}

function record(at: number, bio: string): string {
  const id = `00000000-0000-4000-8000-${at.toString(16).padStart(12, "0")}`;
  const date = `2026-01-01T00:00:00.${String(999_999 - (at % 1_000_000)).padStart(6, "0")}Z`;
  return stringify({
    bio: `${bio} – “quoted” \u2028 😀 ${at}`,
    circles: [],
    country: "XX",
    current_location: "DE",
    date_joined: date,
    default_wallet: null,
    display_name: id,
    first_name: "",
    id,
    image_url: "https://example.com/default.png",
    kyc_status: "NONE",
    languages: ["EN"],
    last_name: "",
    off_chain: {
      created_at: date,
      last_withdrawn_at: null,
      liveness_config: {
        min_blinks: 1,
        require_head_movement: false,
        required_samples: 2,
        warmup_duration: 2,
      },
      liveness_tier: "normal",
      mining_events: 0,
      next_mining_at: "1970-01-01T00:00:00",
      pending_events: 0,
      tokens: 0,
      withdrawn_events: 0,
    },
    referrals_count: 0,
    username: id,
    wac_status: 0,
  } satisfies User);
}
