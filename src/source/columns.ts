/** The source table: its columns, and how one row becomes the candidate for a user. */
import { NOTHING_SCHEDULED } from "../contract/user.js";
import { boolean, integer, parsedJson, type SqlValue, sayable } from "./values.js";

/** Every column that is ever selected, in the order in which `toCandidate` takes them. */
export const SOURCE_COLUMNS = [
  "bio",
  "circles",
  "country",
  "current_location",
  "date_joined",
  "default_wallet",
  "display_name",
  "first_name",
  "id",
  "image_url",
  "kyc_status",
  "languages",
  "last_name",
  "off_chain_created_at",
  "off_chain_last_withdrawn_at",
  "off_chain_liveness_min_blinks",
  "off_chain_liveness_require_head_movement",
  "off_chain_liveness_required_samples",
  "off_chain_liveness_warmup_duration",
  "off_chain_liveness_tier",
  "off_chain_mining_events",
  "off_chain_next_mining_at",
  "off_chain_pending_events",
  "off_chain_tokens",
  "off_chain_withdrawn_events",
  "referrals_count",
  "username",
  "wac_status",
] as const;

/**
 * The user that a row stands for, with contract part 2's rules for NULL applied and its keys in published order.
 * It is not checked: whatever is wrong with the row is left in place for the schema to find.
 */
export function toCandidate(row: readonly SqlValue[], defaultAvatar: string) {
  const [
    bio,
    circles,
    country,
    currentLocation,
    dateJoined,
    defaultWallet,
    displayName,
    firstName,
    id,
    imageUrl,
    kycStatus,
    languages,
    lastName,
    createdAt,
    lastWithdrawnAt,
    minBlinks,
    requireHeadMovement,
    requiredSamples,
    warmupDuration,
    livenessTier,
    miningEvents,
    nextMiningAt,
    pendingEvents,
    tokens,
    withdrawnEvents,
    referralsCount,
    username,
    wacStatus,
  ] = row;
  return {
    bio: sayable(bio),
    circles: parsedJson(circles),
    country: sayable(country),
    current_location: sayable(currentLocation),
    date_joined: sayable(dateJoined),
    default_wallet: sayable(defaultWallet),
    display_name: displayName === null ? joinedNames(firstName, lastName, id) : sayable(displayName),
    first_name: sayable(firstName),
    id: sayable(id),
    image_url: imageUrl === null ? defaultAvatar : sayable(imageUrl),
    kyc_status: sayable(kycStatus),
    languages: parsedJson(languages),
    last_name: sayable(lastName),
    off_chain: {
      created_at: sayable(createdAt),
      last_withdrawn_at: sayable(lastWithdrawnAt),
      liveness_config: {
        min_blinks: integer(minBlinks),
        require_head_movement: boolean(requireHeadMovement),
        required_samples: integer(requiredSamples),
        warmup_duration: integer(warmupDuration),
      },
      liveness_tier: sayable(livenessTier),
      mining_events: integer(miningEvents),
      next_mining_at: nextMiningAt === null ? NOTHING_SCHEDULED : sayable(nextMiningAt),
      pending_events: integer(pendingEvents),
      tokens: integer(tokens),
      withdrawn_events: integer(withdrawnEvents),
    },
    referrals_count: integer(referralsCount),
    username: username === null ? nameFrom(id) : sayable(username),
    wac_status: integer(wacStatus),
  };
}

/** Contract part 2, `display_name`: only two empty names make it the id; white space around the joined ones goes. */
function joinedNames(first: SqlValue | undefined, last: SqlValue | undefined, id: SqlValue | undefined): unknown {
  const areNames = typeof first === "string" && typeof last === "string" && (first !== "" || last !== "");
  return areNames ? `${first} ${last}`.trim() : nameFrom(id);
}

/** The id in the place of a name. An id that is no text is a problem of its own, and need not be one thrice. */
function nameFrom(id: SqlValue | undefined): string {
  return typeof id === "string" ? id : "";
}
