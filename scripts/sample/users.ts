/** Generates sample users: valid, without warnings, and reproducible. */
import { USERS } from "../../src/core/contract/users.js";
import { HARD_TEXT } from "./hard-text.js";
import { makeLogins, makePlaces, type Place } from "./places.js";
import { type Random, seededRandom } from "./random.js";
import type { UserRow } from "./schema.js";
import { DAY, datesByRank, formatTime, NOW } from "./times.js";

const OTHER_LANGUAGES = ["EN", "ES", "FR", "DE", "AR", "ZH-HANT", "SW", "HI", "PT"];

const KYC_STATUSES = (USERS.properties["kyc_status"]?.enum ?? []) as readonly UserRow["kyc_status"][];

/** Statuses, with common ones repeated. */
const STATUS_POOL: readonly UserRow["kyc_status"][] = [
  ...KYC_STATUSES,
  ...KYC_STATUSES,
  ...Array<"NONE">(10).fill("NONE"),
  ...Array<"JUST_JOIN">(15).fill("JUST_JOIN"),
  ...Array<"PENDING">(5).fill("PENDING"),
  ...Array<"VERIFIED">(20).fill("VERIFIED"),
];

/** One of this number of bios is hard text, each kind in turn. */
const HARD_EVERY = 25;

/** Generates `count` users, not in order of time, so that neighbours in the file are far apart in the listing. */
export function* sampleUsers(count: number, seed: number): Generator<UserRow> {
  const random = seededRandom(seed);
  const places = makePlaces(seed);
  const logins = makeLogins(seed);
  const dateOf = datesByRank(count, seed);
  // A prime, so that each rank occurs once.
  const stride = 2_654_435_761 % count;
  for (let i = 0; i < count; i++) {
    const user = sampleUser(random, random.pick(places), logins, dateOf((i * stride) % count));
    yield i % HARD_EVERY === 0 ? { ...user, bio: HARD_TEXT[(i / HARD_EVERY) % HARD_TEXT.length] ?? "" } : user;
  }
}

function sampleUser(random: Random, place: Place, logins: readonly string[], joined: number): UserRow {
  const id = uuid(random);
  const country = random.chance(4) ? "XX" : random.pick(place.countries);
  return {
    id,
    username: username(random, id, logins),
    ...names(random, id, place),
    bio: bio(random, place),
    country,
    current_location: random.chance(80) ? country : random.pick(["XX", "GB", "US", "AE", "DE", "JP"]),
    languages: JSON.stringify(languages(random, place)),
    circles: "[]",
    default_wallet: random.chance(30) ? null : wallet(random),
    image_url: random.chance(45) ? null : `https://media.example.com/avatars/${random.hex(16)}.jpg`,
    kyc_status: random.pick(STATUS_POOL),
    wac_status: 0,
    referrals_count: random.chance(60) ? 0 : random.below(random.chance(5) ? 5_000 : 12),
    date_joined: formatTime(joined),
    ...offChain(random, joined),
  };
}

/** Makes a UUID of version 4. */
function uuid(random: Random): string {
  const variant = random.pick(["8", "9", "a", "b"]);
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${variant}${random.hex(3)}-${random.hex(12)}`;
}

/** Sources express a missing username as NULL or as the id. */
function username(random: Random, id: string, logins: readonly string[]): string | null {
  if (random.chance(15)) return random.chance(70) ? null : id;
  return random.pick(logins) + random.below(10_000);
}

/** The display name: NULL, or the value that would replace NULL. */
function names(random: Random, id: string, place: Place) {
  const first_name = random.chance(7) ? "" : random.pick(place.firstNames);
  const last_name = random.chance(first_name ? 6 : 60) ? "" : random.pick(place.lastNames);
  const display_name = random.chance(40) ? null : `${first_name} ${last_name}`.trim() || id;
  return { first_name, last_name, display_name };
}

function bio(random: Random, place: Place): string {
  if (random.chance(30)) return "";
  const sentences = Array.from({ length: 1 + random.below(3) }, () => random.pick(place.sentences));
  return random.chance(25) ? `${sentences.join(" ")} (${random.pick(place.cities)})` : sentences.join(" ");
}

function languages(random: Random, place: Place): string[] {
  if (random.chance(10)) return [];
  const spoken = new Set([random.pick(place.languages)]);
  while (random.chance(40)) spoken.add(random.pick(OTHER_LANGUAGES));
  return [...spoken];
}

/** A wallet address, in mixed case (checksum) or in lower case. */
function wallet(random: Random): string {
  const digits = random.hex(40);
  if (random.chance(15)) return `0x${digits}`;
  return `0x${digits.replace(/[a-f]/g, (digit) => (random.chance(50) ? digit.toUpperCase() : digit))}`;
}

function offChain(random: Random, joined: number) {
  const mining = random.chance(30) ? 0 : random.below(900);
  const withdrawn = mining === 0 || random.chance(40) ? 0 : 1 + random.below(mining);
  const pending = mining - withdrawn;
  return {
    off_chain_tokens: 2 * pending,
    off_chain_mining_events: mining,
    off_chain_withdrawn_events: withdrawn,
    off_chain_pending_events: pending,
    off_chain_next_mining_at: mining === 0 ? null : formatTime(NOW + random.below(DAY)),
    off_chain_last_withdrawn_at: withdrawn === 0 ? null : formatTime(joined + random.below(NOW - joined)),
    off_chain_created_at: formatTime(joined + random.below(DAY)),
    off_chain_liveness_tier: "normal",
    off_chain_liveness_required_samples: 2,
    off_chain_liveness_min_blinks: 1,
    off_chain_liveness_require_head_movement: 0,
    off_chain_liveness_warmup_duration: 2,
  } as const;
}
