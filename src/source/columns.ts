/** The columns of the source, and how a row becomes the candidate for a user. */
import { FIELD_PATHS } from "../contract/fields.js";
import { NOTHING_SCHEDULED } from "../contract/user.js";
import { boolean, integer, jsonValue, parsedJson, type SqlValue } from "./values.js";

/** Every column that is ever selected, such as `off_chain_liveness_min_blinks`, in published order. */
export const SOURCE_COLUMNS: readonly string[] = FIELD_PATHS.map((path) =>
  path.replace("liveness_config.", "liveness_").replaceAll(".", "_"),
);

const POSITIONS = Object.fromEntries(SOURCE_COLUMNS.map((column, at) => [column, at]));

/** Contract part 2 says what stands for NULL. Wrong values are left for the schema to find. */
export function toCandidate(row: readonly SqlValue[], defaultAvatar: string) {
  const cell = (column: string) => row[POSITIONS[column] ?? -1];
  return {
    bio: jsonValue(cell("bio")),
    circles: parsedJson(cell("circles")),
    country: jsonValue(cell("country")),
    current_location: jsonValue(cell("current_location")),
    date_joined: jsonValue(cell("date_joined")),
    default_wallet: jsonValue(cell("default_wallet")),
    display_name:
      cell("display_name") === null
        ? joinedNames(cell("first_name"), cell("last_name"), cell("id"))
        : jsonValue(cell("display_name")),
    first_name: jsonValue(cell("first_name")),
    id: jsonValue(cell("id")),
    image_url: cell("image_url") === null ? defaultAvatar : jsonValue(cell("image_url")),
    kyc_status: jsonValue(cell("kyc_status")),
    languages: parsedJson(cell("languages")),
    last_name: jsonValue(cell("last_name")),
    off_chain: {
      created_at: jsonValue(cell("off_chain_created_at")),
      last_withdrawn_at: jsonValue(cell("off_chain_last_withdrawn_at")),
      liveness_config: {
        min_blinks: integer(cell("off_chain_liveness_min_blinks")),
        require_head_movement: boolean(cell("off_chain_liveness_require_head_movement")),
        required_samples: integer(cell("off_chain_liveness_required_samples")),
        warmup_duration: integer(cell("off_chain_liveness_warmup_duration")),
      },
      liveness_tier: jsonValue(cell("off_chain_liveness_tier")),
      mining_events: integer(cell("off_chain_mining_events")),
      next_mining_at:
        cell("off_chain_next_mining_at") === null ? NOTHING_SCHEDULED : jsonValue(cell("off_chain_next_mining_at")),
      pending_events: integer(cell("off_chain_pending_events")),
      tokens: integer(cell("off_chain_tokens")),
      withdrawn_events: integer(cell("off_chain_withdrawn_events")),
    },
    referrals_count: integer(cell("referrals_count")),
    username: cell("username") === null ? nameFrom(cell("id")) : jsonValue(cell("username")),
    wac_status: integer(cell("wac_status")),
  };
}

/** Contract part 2, `display_name`: both names, trimmed, or the id where both are empty. */
function joinedNames(first: SqlValue | undefined, last: SqlValue | undefined, id: SqlValue | undefined): string {
  const areNames = typeof first === "string" && typeof last === "string" && (first !== "" || last !== "");
  return areNames ? `${first} ${last}`.trim() : nameFrom(id);
}

/** An id that is not text is a problem already, and need not be three. */
function nameFrom(id: SqlValue | undefined): string {
  return typeof id === "string" ? id : "";
}
