/** Any valid user with difficult text, and its row in the source. */
import fc from "fast-check";
import { recordEncoder } from "../../src/core/contract/record/encode.js";
import { recordCheck } from "../../src/core/contract/record/schema.js";
import { USERS, USERS_CONTRACT, type User } from "../../src/core/contract/users.js";
import type { Row } from "./database.js";

export const KYC_STATUSES = (USERS.properties["kyc_status"]?.enum ?? []) as readonly User["kyc_status"][];
/** The time that NULL publishes. */
const NOTHING_SCHEDULED = "1970-01-01T00:00:00";

/** The exact check of a user, and its canonical text. */
export const checkUser = recordCheck(USERS_CONTRACT);
export const encodeUser = recordEncoder(USERS_CONTRACT);

const HARD = [
  '"',
  "\\",
  "\u0000",
  "\u001F",
  "\n",
  "\r\n",
  "\u2028",
  "\u2029",
  "\uFEFF",
  "\uFFFD",
  "😀",
  "👩‍👩‍👧‍👦",
  "e\u0301",
  "\u202Eabc",
  "שלום",
  "مرحبا",
  "</script>",
  "'; DROP TABLE users; --",
  "x".repeat(2000),
];

/** Well-formed text: SQLite stores UTF-8, which has no lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.constantFrom(...HARD), { maxLength: 6 }).map((parts) => parts.join("")),
);
const counter = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const integer = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const country = fc.stringMatching(/^[A-Z]{2}$/);

const timestamp = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fc.integer({ min: 0, max: 999_999 }),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}.${String(fraction).padStart(6, "0")}Z`);

/** Few times, so that users tie. */
const joined = fc.oneof(timestamp, fc.constantFrom("2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000001Z"));

const circles = fc.oneof(
  { weight: 4, arbitrary: fc.constant<unknown[]>([]) },
  fc.array(fc.jsonValue({ maxDepth: 3 }).map(exactly), { maxLength: 3 }),
);

/** Keys in published order, as the source gives them. */
export const anyUser: fc.Arbitrary<User> = fc.record({
  bio: text,
  circles,
  country,
  current_location: country,
  date_joined: joined,
  default_wallet: fc.option(fc.stringMatching(/^0x[0-9a-fA-F]{40}$/)),
  display_name: text,
  first_name: text,
  id: fc.uuid(),
  image_url: fc.webUrl({ withQueryParameters: true }),
  kyc_status: fc.constantFrom(...KYC_STATUSES),
  languages: fc.array(fc.stringMatching(/^[A-Z]{2,8}(-[A-Z0-9]{1,8}){0,2}$/), { maxLength: 4 }),
  last_name: text,
  off_chain: fc.record({
    created_at: timestamp,
    last_withdrawn_at: fc.option(timestamp),
    liveness_config: fc.record({
      min_blinks: integer,
      require_head_movement: fc.boolean(),
      required_samples: integer,
      warmup_duration: integer,
    }),
    liveness_tier: text,
    mining_events: counter,
    next_mining_at: fc.oneof(timestamp, fc.constant(NOTHING_SCHEDULED)),
    pending_events: counter,
    tokens: counter,
    withdrawn_events: counter,
  }),
  referrals_count: counter,
  username: text,
  wac_status: integer,
});

/** The row of a user in the source table. */
export function toRow({ off_chain: { liveness_config: config, ...offChain }, ...user }: User): Row {
  const row: Row = {
    ...user,
    languages: JSON.stringify(user.languages),
    circles: JSON.stringify(user.circles),
  };
  for (const [name, value] of Object.entries({ ...offChain })) row[`off_chain_${name}`] = whole(value);
  for (const [name, value] of Object.entries(config)) row[`off_chain_liveness_${name}`] = whole(Number(value));
  return { ...row, wac_status: whole(user.wac_status), referrals_count: whole(user.referrals_count) };
}

/** better-sqlite3 binds numbers as REAL, which columns convert back only up to a limit; a bigint is an INTEGER. */
function whole<T>(value: T): T | bigint {
  return typeof value === "number" ? BigInt(value) : value;
}

/** The nearest JSON value that all readers parse the same. */
function exactly(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === "number" && Number.isInteger(item) && !Number.isSafeInteger(item) ? 0 : item,
  );
}
