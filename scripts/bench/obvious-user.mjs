/** The zod schema of a user for the simple build. */
import { z } from "zod";

const text = z.string();
const integer = z.int();
const counter = z.int().min(0);
const time = z.iso.datetime({ precision: 6 });
const country = z.string().regex(/^[A-Z]{2}$/);
const status = "NONE JUST_JOIN NEED_SELFIE_IMAGES NEED_SELFIE_VIDEO NEED_TO_COMPLETE NEED_P2P_VERIFICATION";

const livenessConfig = z.strictObject({
  min_blinks: integer,
  require_head_movement: z.boolean(),
  required_samples: integer,
  warmup_duration: integer,
});

const offChain = z.strictObject({
  created_at: time,
  last_withdrawn_at: time.nullable(),
  liveness_config: livenessConfig,
  liveness_tier: text,
  mining_events: counter,
  next_mining_at: z.union([z.literal("1970-01-01T00:00:00"), time]),
  pending_events: counter,
  tokens: counter,
  withdrawn_events: counter,
});

export const userSchema = z.strictObject({
  bio: text,
  circles: z.array(z.json()),
  country,
  current_location: country,
  date_joined: time,
  default_wallet: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .nullable(),
  display_name: text,
  first_name: text,
  id: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  image_url: z.url({ protocol: /^https?$/ }),
  kyc_status: z.enum([...status.split(" "), "PENDING", "CONFIRMED", "VERIFIED", "unknown"]),
  languages: z.array(z.string().regex(/^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$/)),
  last_name: text,
  off_chain: offChain,
  referrals_count: counter,
  username: text,
  wac_status: integer,
});
