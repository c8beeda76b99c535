/** The most difficult users that a source can hold, and what readers must see of them. */
import { createHash } from "node:crypto";
import type { Row } from "../support/database.js";

const TEXTS = [
  "",
  " ",
  "Ada",
  "\"quoted\" and 'single' and back\\slash",
  "\u0000\u0001\b\t\n\v\f\r\u001f\u007f\u0085",
  "line\u2028paragraph\u2029",
  "😀 𝒳 👩‍👩‍👧‍👦 \u{10FFFF}",
  "שלום \u202eabc\u202c مرحبا",
  "e\u0301 \u00e9 Z\u0351\u036b\u0343",
  `</script><!-- {{x}} \${y} %s \\u0000 \\\\n`,
  "\ufeff\ufffd\u200b\u00a0\u3000",
  '}],\n{"id":1}, [{',
];
const KYC = [
  ...["NONE", "JUST_JOIN", "NEED_SELFIE_IMAGES", "NEED_SELFIE_VIDEO", "NEED_TO_COMPLETE"],
  ...["NEED_P2P_VERIFICATION", "PENDING", "CONFIRMED", "VERIFIED", "unknown"],
];
const LANGUAGES = ["[]", '["EN"]', '[ "EN", "ZH-HANT" , "DE" ]', '["EN-GB-1996"]', '["ABCDEFGH"]'];
// Leap days, the ends of years, and the first and last microsecond.
const DATES = [
  ...["2024-02-29T23:59:59.999999Z", "2024-03-01T00:00:00.000000Z", "2000-02-29T12:00:00.000001Z"],
  ...["1999-12-31T23:59:59.999999Z", "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000001Z"],
];

function pick<T>(list: readonly T[], at: number): T {
  const value = list[at % list.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** `count` rows in no order. Runs of 50 share one date_joined, so that ties lie across the edges of pages. */
export function population(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const hex = createHash("md5").update(`user ${at}`).digest("hex");
    const tie = Math.floor(at / 50);
    return {
      id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
      username: at % 5 === 0 ? null : at % 5 === 1 ? "" : `${pick(TEXTS, at)}${at}`,
      first_name: pick(TEXTS, at),
      last_name: pick(TEXTS, Math.floor(at / TEXTS.length)),
      display_name: at % 3 === 0 ? null : pick(TEXTS, at + 1),
      bio: at % 500 === 7 ? pick(TEXTS, at).concat('ü\n"').repeat(25_000) : TEXTS.join("").slice(at % 60),
      country: at % 7 === 0 ? "XX" : "GB",
      current_location: at % 4 === 0 ? "XX" : "ZA",
      languages: pick(LANGUAGES, at),
      default_wallet: at % 2 === 0 ? null : `0x${hex}AbCdEf01`,
      image_url: at % 6 === 0 ? null : `https://media.example.com/${hex}.jpg?a=1&b=%22`,
      kyc_status: pick(KYC, at),
      referrals_count: at % 9 === 0 ? Number.MAX_SAFE_INTEGER : at,
      date_joined:
        tie < DATES.length
          ? pick(DATES, tie)
          : `20${10 + (tie % 16)}-11-30T0${tie % 10}:30:00.${String(tie).padStart(6, "0")}Z`,
      off_chain_next_mining_at: at % 3 === 1 ? null : pick(DATES, at),
      off_chain_last_withdrawn_at: at % 4 === 2 ? null : pick(DATES, at + 1),
      off_chain_liveness_require_head_movement: at % 2,
    };
  });
}

type Published = Record<string, string | number | null>;

/** The fields whose values the rules for NULL and for order decide, as the whole collection has to list them. */
export function promised(rows: readonly Row[], avatar: string): Published[] {
  const published = rows.map((row) => {
    const text = (name: string) => String(row[name]);
    const both = `${text("first_name")} ${text("last_name")}`;
    const nameless = text("first_name") === "" && text("last_name") === "";
    return {
      id: text("id"),
      username: row["username"] === null ? text("id") : text("username"),
      display_name: row["display_name"] !== null ? text("display_name") : nameless ? text("id") : both.trim(),
      first_name: text("first_name"),
      last_name: text("last_name"),
      bio: text("bio"),
      image_url: row["image_url"] === null ? avatar : text("image_url"),
      default_wallet: row["default_wallet"] === null ? null : text("default_wallet"),
      kyc_status: text("kyc_status"),
      referrals_count: Number(row["referrals_count"]),
      date_joined: text("date_joined"),
    };
  });
  const before = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return published.sort((a, b) => before(b.date_joined, a.date_joined) || before(a.id, b.id));
}
