/** SQL that writes the text of a page's records, so that rows need not become JavaScript values one by one. */
import { RECORD_SEPARATOR } from "../contract/record-text.js";
import { NOTHING_SCHEDULED } from "../contract/user.js";

// Values of known forms stand in quotes without any escaping. Whatever a row holds, this text is the canonical text of its
// user, or `recordPattern` does not match it, or the check below is not 1.

/** What JavaScript's `trim` removes: white space and line terminators of Unicode, and U+FEFF. */
const WHITE_SPACE =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

const DISPLAY_NAME = `coalesce(display_name,
  CASE WHEN first_name = '' AND last_name = '' THEN id ELSE trim(first_name || ' ' || last_name, @whiteSpace) END)`;

/** A record as a text in which SQL stands between two NULs; all else is the same in every record. */
const plain = (sql: string) => `\0${sql}\0`;
const quoted = (sql: string) => `"${plain(sql)}"`;
const escaped = (sql: string) => plain(`json_quote(${sql})`);
const nullable = (sql: string) => plain(`coalesce('"' || ${sql} || '"', 'null')`);

const RECORD = object({
  bio: escaped("bio"),
  circles: plain("circles"),
  country: quoted("country"),
  current_location: quoted("current_location"),
  date_joined: quoted("date_joined"),
  default_wallet: nullable("default_wallet"),
  display_name: escaped(DISPLAY_NAME),
  first_name: escaped("first_name"),
  id: quoted("id"),
  image_url: quoted("coalesce(image_url, @defaultAvatar)"),
  kyc_status: quoted("kyc_status"),
  // Other programs put a space behind commas. In a list of codes, `", "` stands only between two codes.
  languages: plain(`replace(languages, '", "', '","')`),
  last_name: escaped("last_name"),
  off_chain: object({
    created_at: quoted("off_chain_created_at"),
    last_withdrawn_at: nullable("off_chain_last_withdrawn_at"),
    liveness_config: object({
      min_blinks: plain("off_chain_liveness_min_blinks"),
      require_head_movement: plain(
        "CASE concat(off_chain_liveness_require_head_movement) WHEN '0' THEN 'false' ELSE 'true' END",
      ),
      required_samples: plain("off_chain_liveness_required_samples"),
      warmup_duration: plain("off_chain_liveness_warmup_duration"),
    }),
    liveness_tier: quoted("off_chain_liveness_tier"),
    mining_events: plain("off_chain_mining_events"),
    next_mining_at: quoted(`coalesce(off_chain_next_mining_at, '${NOTHING_SCHEDULED}')`),
    pending_events: plain("off_chain_pending_events"),
    tokens: plain("off_chain_tokens"),
    withdrawn_events: plain("off_chain_withdrawn_events"),
  }),
  referrals_count: plain("referrals_count"),
  username: escaped("coalesce(username, id)"),
  wac_status: plain("wac_status"),
});

function object(members: Record<string, string>): string {
  const parts = Object.entries(members).map(([name, value]) => `"${name}":${value}`);
  return `{${parts.join(",")}}`;
}

/** The arguments of `concat`: literals and SQL in turn, since each argument costs time for every row. */
const CONCATENATED = RECORD.split("\0").map((part, at) => (at % 2 === 0 ? `'${part}'` : part));

/** 1 when integers are no text (which SQLite sorts behind), text is no BLOB (likewise), and counters add up. */
const CHECK = `
  max(off_chain_liveness_min_blinks, off_chain_liveness_require_head_movement, off_chain_liveness_required_samples,
    off_chain_liveness_warmup_duration, off_chain_mining_events, off_chain_pending_events, off_chain_tokens,
    off_chain_withdrawn_events, referrals_count, wac_status) < ''
  AND max(circles, country, current_location, date_joined, id, kyc_status, languages, off_chain_created_at,
    off_chain_liveness_tier, coalesce(default_wallet, ''), coalesce(image_url, ''),
    coalesce(off_chain_last_withdrawn_at, ''), coalesce(off_chain_next_mining_at, '')) < x''
  AND off_chain_pending_events = off_chain_mining_events - off_chain_withdrawn_events
  AND off_chain_tokens = 2 * off_chain_pending_events`;

export function pageTextParameters(defaultAvatar: string) {
  return { defaultAvatar, whiteSpace: WHITE_SPACE };
}

/** SQL for one row: all records of a page as bytes, whether the check holds for all of them, and how many there are. */
export function pageTextSql(rows: string): string {
  return `SELECT CAST(group_concat(record, '${RECORD_SEPARATOR}') AS BLOB) AS records, min(checked) AS checked, count(*) AS rows
    FROM (SELECT concat(${CONCATENATED.join(", ")}) AS record, (${CHECK}) AS checked ${rows})`;
}
