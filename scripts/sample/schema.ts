/** The sample's table, as in docs/guides/your-data.md, and the type of its rows. */
import type { User } from "../../src/core/contract/users.js";

export const CREATE_USERS = `CREATE TABLE users (
  id TEXT NOT NULL PRIMARY KEY,
  username TEXT,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  display_name TEXT,
  bio TEXT NOT NULL,
  country TEXT NOT NULL,
  current_location TEXT NOT NULL,
  languages TEXT NOT NULL,
  circles TEXT NOT NULL,
  default_wallet TEXT,
  image_url TEXT,
  kyc_status TEXT NOT NULL,
  wac_status INTEGER NOT NULL,
  referrals_count INTEGER NOT NULL,
  date_joined TEXT NOT NULL,
  off_chain_tokens INTEGER NOT NULL,
  off_chain_mining_events INTEGER NOT NULL,
  off_chain_withdrawn_events INTEGER NOT NULL,
  off_chain_pending_events INTEGER NOT NULL,
  off_chain_next_mining_at TEXT,
  off_chain_last_withdrawn_at TEXT,
  off_chain_created_at TEXT NOT NULL,
  off_chain_liveness_tier TEXT NOT NULL,
  off_chain_liveness_required_samples INTEGER NOT NULL,
  off_chain_liveness_min_blinks INTEGER NOT NULL,
  off_chain_liveness_require_head_movement INTEGER NOT NULL,
  off_chain_liveness_warmup_duration INTEGER NOT NULL
);`;

export const CREATE_INDEX = "CREATE INDEX users_in_order ON users (date_joined DESC, id);";

/** One row of the table, keys in the order of its columns. */
export interface UserRow {
  id: string;
  username: string | null;
  first_name: string;
  last_name: string;
  display_name: string | null;
  bio: string;
  country: string;
  current_location: string;
  languages: string;
  circles: "[]";
  default_wallet: string | null;
  image_url: string | null;
  kyc_status: User["kyc_status"];
  wac_status: 0;
  referrals_count: number;
  date_joined: string;
  off_chain_tokens: number;
  off_chain_mining_events: number;
  off_chain_withdrawn_events: number;
  off_chain_pending_events: number;
  off_chain_next_mining_at: string | null;
  off_chain_last_withdrawn_at: string | null;
  off_chain_created_at: string;
  off_chain_liveness_tier: "normal";
  off_chain_liveness_required_samples: 2;
  off_chain_liveness_min_blinks: 1;
  off_chain_liveness_require_head_movement: 0;
  off_chain_liveness_warmup_duration: 2;
}
