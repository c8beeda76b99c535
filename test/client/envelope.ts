import { isRecord, json, type Session } from "./session.js";
import { checkText } from "./text.js";

export interface Row {
  id: string;
  date: string;
  image: string;
}

export interface Page {
  count: number;
  next: string | null;
  previous: string | null;
  rows: Row[];
}

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === "string";
const form =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const integer: Rule = Number.isSafeInteger;
const counter: Rule = (value) => typeof value === "number" && integer(value) && value >= 0;
const or =
  (...rules: Rule[]): Rule =>
  (value) =>
    rules.some((rule) => rule(value));
const nothing: Rule = (value) => value === null;
const list =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);
const link: Rule = (value) => typeof value === "string" && URL.canParse(value);

const timestamp: Rule = (value) => {
  if (typeof value !== "string") return false;
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/.exec(value);
  const time = Date.parse(`${parts?.[1]}Z`);
  // A day or an hour that does not exist is either refused or moved to another one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(parts?.[1] ?? "-");
};

const LIVENESS: Record<string, Rule> = {
  min_blinks: integer,
  require_head_movement: (value) => typeof value === "boolean",
  required_samples: integer,
  warmup_duration: integer,
};

const OFF_CHAIN: Record<string, Rule> = {
  created_at: timestamp,
  last_withdrawn_at: or(timestamp, nothing),
  liveness_config: (value) => faults(value, LIVENESS).length === 0,
  liveness_tier: text,
  mining_events: counter,
  next_mining_at: or(timestamp, form(/^1970-01-01T00:00:00$/)),
  pending_events: counter,
  tokens: counter,
  withdrawn_events: counter,
};

const KYC =
  /^(NONE|JUST_JOIN|NEED_(SELFIE_IMAGES|SELFIE_VIDEO|TO_COMPLETE|P2P_VERIFICATION)|PENDING|CONFIRMED|VERIFIED|unknown)$/;

const USER: Record<string, Rule> = {
  bio: text,
  circles: Array.isArray,
  country: form(/^[A-Z]{2}$/),
  current_location: form(/^[A-Z]{2}$/),
  date_joined: timestamp,
  default_wallet: or(form(/^0x[0-9a-fA-F]{40}$/), nothing),
  display_name: text,
  first_name: text,
  id: form(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  image_url: link,
  kyc_status: form(KYC),
  languages: list(form(/^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$/)),
  last_name: text,
  off_chain: (value) => faults(value, OFF_CHAIN).length === 0,
  referrals_count: counter,
  username: text,
  wac_status: integer,
};

const ENVELOPE: Record<string, Rule> = {
  count: counter,
  next: or(link, nothing),
  previous: or(link, nothing),
  results: Array.isArray,
};

/** What an object has wrong, missing or beyond the rules. */
function faults(value: unknown, rules: Record<string, Rule>): string[] {
  if (!isRecord(value)) return ["not an object"];
  const wrong = Object.entries(rules).flatMap(([key, rule]) =>
    !(key in value) ? [`no ${key}`] : rule(value[key]) ? [] : [`${key} ${shown(value[key])}`],
  );
  return [...wrong, ...Object.keys(value).flatMap((key) => (key in rules ? [] : [`unknown ${key}`]))];
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 100);
}

/** The page in a body; undefined when it cannot be walked on from. */
export function readPage(session: Session, name: string, body: Buffer): Page | undefined {
  const content = body.toString("utf8");
  session.check(Buffer.from(content).equals(body), "UTF-8", `${name}: the body is not UTF-8`);
  const value = json(content);
  for (const fault of faults(value, ENVELOPE)) session.note("envelope", `${name}: ${fault}`);
  if (!isRecord(value) || !Array.isArray(value["results"])) return undefined;
  const results: unknown[] = value["results"];
  checkText(session, name, content, value, results.length);
  results.forEach((user, at) => {
    for (const fault of faults(user, USER)) session.note("user", `${name}: result ${at}: ${fault}`);
  });
  const string = (key: string) => (typeof value[key] === "string" ? value[key] : null);
  const rows = results.filter(isRecord).map((user) => ({
    id: String(user["id"]),
    date: String(user["date_joined"]),
    image: String(user["image_url"]),
  }));
  return { count: Number(value["count"]), next: string("next"), previous: string("previous"), rows };
}
