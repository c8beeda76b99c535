// As `rollcall schema` prints it of data/users.contract.json. A type only, so that browsers can import it.
/** A user's public profile. */
// biome-ignore format: the test compares it with what `rollcall schema` prints
export type User = {
  /** Free text, may be empty. */
  bio: string;
  /** Empty in all that has been observed. */
  circles: unknown[];
  /** Two uppercase letters, XX when unknown. */
  country: string;
  /** Two uppercase letters, XX when unknown. */
  current_location: string;
  /** UTC, always with six fraction digits and Z. */
  date_joined: string;
  /** 0x and 40 hexadecimal digits of mixed case. */
  default_wallet: string | null;
  /** The name to show: without one of its own, first and last name joined by a space, or the id; may be empty. */
  display_name: string;
  /** May be empty, any script. */
  first_name: string;
  /** A UUID in lowercase 8-4-4-4-12 form, unique. */
  id: string;
  /** Absolute http(s) URL of the avatar; a shared default image when the user has none. */
  image_url: string;
  /** How far the check of who the user is has come. */
  kyc_status: "NONE" | "JUST_JOIN" | "NEED_SELFIE_IMAGES" | "NEED_SELFIE_VIDEO" | "NEED_TO_COMPLETE" | "NEED_P2P_VERIFICATION" | "PENDING" | "CONFIRMED" | "VERIFIED" | "unknown";
  /** Uppercase language codes; may be empty. */
  languages: string[];
  /** May be empty, any script. */
  last_name: string;
  /** What is counted outside the chain. */
  off_chain: {
    /** UTC, in the form of date_joined. */
    created_at: string;
    /** UTC, in the form of date_joined. */
    last_withdrawn_at: string | null;
    /** How it is checked that the user is alive. */
    liveness_config: {
      /** 1 in all that has been observed. */
      min_blinks: number;
      /** false in all that has been observed. */
      require_head_movement: boolean;
      /** 2 in all that has been observed. */
      required_samples: number;
      /** 2 in all that has been observed. */
      warmup_duration: number;
    };
    /** normal in all that has been observed. */
    liveness_tier: string;
    /** 0 or more. */
    mining_events: number;
    /** A time like date_joined, or exactly 1970-01-01T00:00:00 when nothing is scheduled. */
    next_mining_at: "1970-01-01T00:00:00" | string;
    /** 0 or more; mining_events - withdrawn_events in all that has been observed, which is not promised. */
    pending_events: number;
    /** 0 or more; 2 x pending_events in all that has been observed, which is not promised. */
    tokens: number;
    /** 0 or more. */
    withdrawn_events: number;
  };
  /** 0 or more. */
  referrals_count: number;
  /** The login-style name; the id for users who never chose one; may be empty. */
  username: string;
  /** 0 in all that has been observed. */
  wac_status: number;
};
