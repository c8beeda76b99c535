/** Small releases by the release format, and a `dist` whose `current` can be switched. */
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../../src/core/contract/contract.js";
import type { Encoding } from "../../src/core/contract/headers.js";
import type { LinkStyle } from "../../src/core/contract/links.js";
import { USERS_CONTRACT, type User } from "../../src/core/contract/users.js";
import { CURRENT, RELEASE_NAME, RELEASES } from "../../src/core/release/layout.js";
import { folderName } from "../../src/core/release/name.js";
import { filesOf } from "../support/release-files.js";
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
  /** Path -> content of additional files, such as an avatar. */
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

let clock = Date.UTC(2026, 0, 1);

export async function writeRelease(dist: string, shape: Shape = {}): Promise<string> {
  const { count = 5, pageSize = 2, baseUrl = "https://directory.example.com" } = shape;
  const { links = "query", encodings = [], bio = "", contract = USERS_CONTRACT, others = {} } = shape;
  const texts =
    contract === USERS_CONTRACT
      ? Array.from({ length: count }, (_, at) => record(at, bio))
      : stations(count).map(stationText);
  const { id, files } = filesOf({
    ...{ texts, keys: texts.map((text) => JSON.parse(text)[contract.listing.key]), contract: contract.text },
    ...{ path: contract.listing.path, pageSize, baseUrl, links, encodings, more: () => Object.entries(others) },
  });
  clock += 1000;
  const folder = join(dist, RELEASES, folderName(new Date(clock), id));
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  await writeFile(join(folder, RELEASE_NAME), `${basename(folder)}\n`);
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
