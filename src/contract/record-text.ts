/** A fast check of canonical records by a regular expression. It passes only records that the user schema would pass without a warning. */
import { KYC_STATUSES, NOTHING_SCHEDULED } from "./user.js";

// Every pattern matches a part of what `userSchema` accepts without a warning, and never more. A property test compares the
// two. A record that does not match may still be valid: then the schema itself checks it.

/** Any text, with the escapes that JSON.stringify uses and no others. Each byte is a character here, also beyond ASCII. */
const PLAIN = '[^"\\\\\\x00-\\x1f]*';
const TEXT = `"${PLAIN}(?:\\\\(?:["\\\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))${PLAIN})*"`;
/** At most 15 digits: far from 2^53. */
const COUNTER = "(?:0|[1-9]\\d{0,14})";
const DATE = [
  "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])",
  "\\d{4}-(?:0[13-9]|1[0-2])-(?:29|30)",
  "\\d{4}-(?:0[13578]|1[02])-31",
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29",
].join("|");
const TIMESTAMP = `"(?:${DATE})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{6}Z"`;
const COUNTRY = '"[A-Z]{2}"';
const LANGUAGE = '"[A-Z]{2,8}(?:-[A-Z0-9]{1,8})*"';
/** URLs whose host has no Punycode, and whose other parts have only common characters. */
const IMAGE_URL =
  "https?://(?:(?!xn--)[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.)*[a-z]+(?::[1-9]\\d{0,3})?(?:/[\\w.~!$&'()*+,;=:@/?-]*)?";

const record = (defaultAvatar: string) =>
  object({
    bio: TEXT,
    circles: "\\[\\]",
    country: COUNTRY,
    current_location: COUNTRY,
    date_joined: TIMESTAMP,
    default_wallet: '(?:null|"0x[0-9a-fA-F]{40}")',
    display_name: TEXT,
    first_name: TEXT,
    id: '"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"',
    image_url: `"(?:${literally(defaultAvatar)}|${IMAGE_URL})"`,
    kyc_status: `"(?:${KYC_STATUSES.join("|")})"`,
    languages: `\\[(?:${LANGUAGE}(?:,${LANGUAGE})*)?\\]`,
    last_name: TEXT,
    off_chain: object({
      created_at: TIMESTAMP,
      last_withdrawn_at: `(?:null|${TIMESTAMP})`,
      liveness_config: object({
        min_blinks: "1",
        require_head_movement: "false",
        required_samples: "2",
        warmup_duration: "2",
      }),
      liveness_tier: '"normal"',
      mining_events: COUNTER,
      next_mining_at: `(?:"${NOTHING_SCHEDULED}"|${TIMESTAMP})`,
      pending_events: COUNTER,
      tokens: COUNTER,
      withdrawn_events: COUNTER,
    }),
    referrals_count: COUNTER,
    username: TEXT,
    wac_status: "0",
  });

function object(fields: Record<string, string>): string {
  const members = Object.entries(fields).map(([name, pattern]) => `"${name}":${pattern}`);
  return `\\{${members.join(",")}\\}`;
}

export const RECORD_SEPARATOR = ",\n";

/** A pattern that matches only this text, with each byte of its UTF-8 as a character. */
function literally(text: string): string {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1)).toString("latin1");
  return bytes.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

export type RecordPattern = ReturnType<typeof recordPattern>;

/** @param defaultAvatar an image URL that is known to be valid. */
export function recordPattern(defaultAvatar: string) {
  const pattern = new RegExp(record(defaultAvatar), "y");
  return {
    /** Whether a text, a character a byte, is so many valid records without warnings; ids and counters aside. */
    takes(text: string, count: number): boolean {
      let at = 0;
      for (let found = 0; found < count; found++) {
        if (found > 0 && !text.startsWith(RECORD_SEPARATOR, at)) return false;
        pattern.lastIndex = found > 0 ? at + RECORD_SEPARATOR.length : 0;
        if (!pattern.test(text)) return false;
        at = pattern.lastIndex;
      }
      return at === text.length;
    },
  };
}
