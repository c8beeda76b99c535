/** The built-in contract: a directory of users. No other file in `src` names a field of it. */
import type { ContractFile, FieldSchema, RecordOf } from "./file/form.js";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const counter = { type: "integer", minimum: 0 } as const;
const time = {
  type: "string",
  format: "date-time",
  pattern: "\\.[0-9]{6}Z$",
  examples: ["2026-01-31T23:59:59.123456Z"],
} as const;
const country = { type: "string", pattern: "^[A-Z]{2}$", examples: ["DE"] } as const;

/** A field that has only ever had one value. */
function always<const Schema extends FieldSchema>(schema: Schema, value: unknown, column?: string) {
  return {
    ...schema,
    description: `${value} in all that has been observed.`,
    ...(column !== undefined && { "x-column": column }),
    "x-observed": { const: value },
  };
}

/** The properties of an object, all of them required. */
function members<const Properties extends ContractFile["properties"]>(properties: Properties) {
  return { properties, required: Object.keys(properties), additionalProperties: false } as const;
}

export const USERS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "User",
  description: "A user's public profile.",
  type: "object",
  "x-listing": {
    path: "/api/users/",
    words: ["user", "users"],
    key: "id",
    order: ["-date_joined", "id"],
    label: "display_name",
    version: 1,
  },
  ...members({
    bio: { ...text, description: "Free text, may be empty." },
    circles: {
      type: "array",
      items: { "x-json": true },
      description: "Empty in all that has been observed.",
      "x-observed": { maxItems: 0 },
    },
    country: { ...country, description: "Two uppercase letters, XX when unknown." },
    current_location: { ...country, description: "Two uppercase letters, XX when unknown." },
    date_joined: { ...time, description: "UTC, always with six fraction digits and Z." },
    default_wallet: {
      type: ["string", "null"],
      pattern: "^0x[0-9a-fA-F]{40}$",
      description: "0x and 40 hexadecimal digits of mixed case.",
    },
    display_name: {
      ...text,
      description:
        "The name to show: without one of its own, first and last name joined by a space, or the id; may be empty.",
      "x-null": { join: ["first_name", "last_name"], empty: { field: "id" } },
    },
    first_name: { ...text, description: "May be empty, any script." },
    id: {
      type: "string",
      pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
      description: "A UUID in lowercase 8-4-4-4-12 form, unique.",
      examples: ["7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53"],
    },
    image_url: {
      type: "string",
      format: "uri",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]",
      description: "Absolute http(s) URL of the avatar; a shared default image when the user has none.",
      "x-null": { setting: "defaultAvatar" },
    },
    kyc_status: {
      enum: [
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
      ],
      description: "How far the check of who the user is has come.",
      "x-facet": true,
    },
    languages: {
      type: "array",
      items: { type: "string", pattern: "^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$", examples: ["PT-BR"] },
      description: "Uppercase language codes; may be empty.",
    },
    last_name: { ...text, description: "May be empty, any script." },
    off_chain: {
      type: "object",
      description: "What is counted outside the chain.",
      ...members({
        created_at: { ...time, description: "UTC, in the form of date_joined." },
        last_withdrawn_at: { ...time, type: ["string", "null"], description: "UTC, in the form of date_joined." },
        liveness_config: {
          type: "object",
          description: "How it is checked that the user is alive.",
          ...members({
            min_blinks: always(integer, 1, "off_chain_liveness_min_blinks"),
            require_head_movement: always({ type: "boolean" }, false, "off_chain_liveness_require_head_movement"),
            required_samples: always(integer, 2, "off_chain_liveness_required_samples"),
            warmup_duration: always(integer, 2, "off_chain_liveness_warmup_duration"),
          }),
        },
        liveness_tier: always(text, "normal"),
        mining_events: { ...counter, description: "0 or more." },
        next_mining_at: {
          anyOf: [{ const: "1970-01-01T00:00:00" }, time],
          description: "A time like date_joined, or exactly 1970-01-01T00:00:00 when nothing is scheduled.",
          "x-null": { const: "1970-01-01T00:00:00" },
        },
        pending_events: {
          ...counter,
          description:
            "0 or more; mining_events - withdrawn_events in all that has been observed, which is not promised.",
        },
        tokens: {
          ...counter,
          description: "0 or more; 2 x pending_events in all that has been observed, which is not promised.",
        },
        withdrawn_events: { ...counter, description: "0 or more." },
      }),
    },
    referrals_count: { ...counter, description: "0 or more." },
    username: {
      ...text,
      description: "The login-style name; the id for users who never chose one; may be empty.",
      "x-null": { field: "id" },
    },
    wac_status: always(integer, 0),
  }),
  "x-observed": [
    {
      name: "pending_events_do_not_add_up",
      sql: "off_chain_pending_events = off_chain_mining_events - off_chain_withdrawn_events",
    },
    { name: "tokens_do_not_add_up", sql: "off_chain_tokens = 2 * off_chain_pending_events" },
  ],
} as const satisfies ContractFile;

/** A user of the directory. */
export type User = RecordOf<typeof USERS>;
