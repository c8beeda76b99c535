/** The schema of a published user, from which its type, its checks and the order of its keys come. */
import { z } from "zod";
import { MAX_JSON_DEPTH } from "./json.js";
import { isPublishableUrl } from "./links.js";

export const KYC_STATUSES = [
  "NONE",
  "JUST_JOIN",
  "NEED_SELFIE_IMAGES",
  "NEED_SELFIE_VIDEO",
  "NEED_TO_COMPLETE",
  "NEED_P2P_VERIFICATION",
  "PENDING",
  "CONFIRMED",
  "VERIFIED",
  "unknown",
] as const;

/** Changes with the rules for valid users, so that pages checked by an older version are checked again. */
export const CONTRACT_VERSION = 1;

/** `next_mining_at` when nothing is scheduled: no fraction, no `Z`. */
export const NOTHING_SCHEDULED = "1970-01-01T00:00:00";

/** The message of a field's check, which names NULL where the value is NULL. */
function must(message: string) {
  return ({ input }: { input?: unknown }) => (input === null ? "must not be NULL" : `must ${message}`);
}

const INTEGER = must("be an integer within +-(2^53 - 1)");
const TIME = "be a real UTC time like 2026-01-31T23:59:59.123456Z";

const text = z.string({ error: must("be text in valid UTF-8") });
const integer = z.int({ error: INTEGER });
const counter = z.int({ error: INTEGER }).min(0, { error: "must not be negative" });
const timestamp = z.iso.datetime({ precision: 6, error: must(TIME), abort: true });
const country = text.regex(/^[A-Z]{2}$/, { error: "must be two uppercase letters, XX when unknown" });

/** Any JSON value that every reader can hold exactly: no numbers that would be rounded, no deep nesting. */
const json = z.unknown().superRefine((value, context) => {
  const message = whyNotExactJson(value, MAX_JSON_DEPTH);
  if (message) context.addIssue({ code: "custom", message });
});

/** Contract part 1, with part 2's forms. Keys stand in published order. The schema never changes a value. */
export const userSchema = z.strictObject({
  bio: text,
  circles: z.array(json, { error: must("be a JSON array") }),
  country,
  current_location: country,
  date_joined: timestamp,
  default_wallet: text
    .regex(/^0x[0-9a-fA-F]{40}$/, { error: "must be 0x and 40 hexadecimal digits, or NULL" })
    .nullable(),
  display_name: text,
  first_name: text,
  id: text.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, {
    error: "must be a UUID in lowercase 8-4-4-4-12 form",
  }),
  image_url: text.refine(isPublishableUrl, { error: "must be an absolute http(s) URL" }),
  kyc_status: z.enum(KYC_STATUSES, { error: must(`be one of ${KYC_STATUSES.join(", ")}`) }),
  languages: z.array(
    text.regex(/^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$/, { error: "must be an uppercase language code like EN or PT-BR" }),
    { error: must("be a JSON array of language codes") },
  ),
  last_name: text,
  off_chain: z.strictObject({
    created_at: timestamp,
    last_withdrawn_at: z.nullable(timestamp),
    liveness_config: z.strictObject({
      min_blinks: integer,
      require_head_movement: z.boolean({ error: must("be 0 or 1") }),
      required_samples: integer,
      warmup_duration: integer,
    }),
    liveness_tier: text,
    mining_events: counter,
    next_mining_at: z.union([z.literal(NOTHING_SCHEDULED), timestamp], {
      error: must(`${TIME}, or exactly ${NOTHING_SCHEDULED}`),
    }),
    pending_events: counter,
    tokens: counter,
    withdrawn_events: counter,
  }),
  referrals_count: counter,
  username: text,
  wac_status: integer,
});

export type User = z.infer<typeof userSchema>;

/** A reason not to publish: the user, the field, its value, and what it must be. */
export interface Problem {
  /** As the source has it, so not always a UUID; null where the source has NULL. */
  id: unknown;
  /** Dotted, as in `off_chain.liveness_config.min_blinks` or `languages.0`. */
  path: string;
  value: unknown;
  message: string;
}

function whyNotExactJson(value: unknown, depth: number): string | undefined {
  if (typeof value === "number") {
    const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return exact ? undefined : "must not hold numbers beyond +-(2^53 - 1)";
  }
  if (typeof value === "string") return LONE_SURROGATE.test(value) ? "must not hold half a surrogate pair" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === 0) return `must not be nested deeper than ${MAX_JSON_DEPTH} levels`;
  for (const [key, item] of Object.entries(value)) {
    const message = whyNotExactJson(key, 0) ?? whyNotExactJson(item, depth - 1);
    if (message) return message;
  }
  return undefined;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
