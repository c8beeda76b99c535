/** Diffs for tests of the HTML report: all kinds of changes, very many changes, and hostile texts. */
import type { Change, Diff, Flow } from "../../../../src/core/compare/change.js";
import type { User } from "../../../../src/core/contract/users.js";
import { added, changed, diffOf, person, removed } from "../../../support/diffs.js";
import { KYC_STATUSES } from "../../../support/users.js";

const FIRST = ["Amara", "Jürgen", "Mei", "Olu", "Sofía", "Tomasz", "Yuki", "Zainab", "דנה", "Anna"] as const;
const LAST = ["Okafor", "Müller", "Chen", "Adeyemi", "García", "Nowak", "Tanaka", "Hussein", "כהן", "Berg"] as const;
const COUNTRIES = ["NG", "DE", "CN", "ES", "PL", "JP", "EG", "IL", "XX", "BR"] as const;
const BIO = "I repair clocks, mostly the ones that nobody else will touch, and write down where each of them has been.";

/** How many users of each kind. */
export type Counts = Record<Change["kind"], number>;

/** A number of changes, generated one by one, the same each time. */
export function manyChanges(counts: Counts, unchanged = 0): Diff {
  const [fields, flow] = totals(counts);
  const side = (users: number) => ({ count: users, pages: Math.max(1, Math.ceil(users / 100)) });
  const diff = diffOf([], {
    old: side(unchanged + counts.changed + counts.removed),
    new: side(unchanged + counts.changed + counts.added),
  });
  return { ...diff, ...counts, unchanged, fields, flow, changes: (kind) => allChanges(counts, kind) };
}

async function* allChanges(counts: Counts, kind?: Change["kind"]): AsyncGenerator<Change> {
  const number = (one: Change["kind"]) => (kind === undefined || kind === one ? counts[one] : 0);
  for (let n = 0; n < number("added"); n++) yield added(member(n, dayAt(45 * mix(n, 1) ** 2)));
  for (let n = 0; n < number("removed"); n++) yield removed(member(1_000_000 + n, dayAt(400 * mix(n, 2))));
  for (let n = 0; n < number("changed"); n++) yield edited(2_000_000 + n);
}

function edited(n: number): Change {
  const old = member(n, dayAt(700 * mix(n, 3)));
  const stage = KYC_STATUSES.indexOf(old.kyc_status);
  const tokens = Math.floor(40 * mix(n, 4));
  const edits: readonly (Partial<User> | false)[] = [
    mix(n, 5) < 0.6 && { kyc_status: KYC_STATUSES[mix(n, 6) < 0.7 ? 8 : Math.min(8, stage + 1)] ?? "NONE" },
    mix(n, 7) < 0.4 && { off_chain: { ...old.off_chain, tokens, mining_events: tokens + 1 } },
    mix(n, 8) < 0.15 && { bio: BIO.replace("clocks", "watches and clocks") },
    mix(n, 9) < 0.1 && { current_location: "FR", country: "FR" },
    mix(n, 10) < 0.05 && { languages: ["FR", "EN"], default_wallet: `0x${"Ab12".repeat(10)}` },
    mix(n, 11) < 0.01 && {
      display_name: `${old.first_name} ${old.last_name}-Smith`,
      last_name: `${old.last_name}-Smith`,
    },
  ];
  const now = Object.assign({ ...old, referrals_count: 1 }, ...edits.filter((edit) => edit !== false));
  return changed({ ...old, referrals_count: mix(n, 12) < 0.9 && edits.some(Boolean) ? 1 : 0 }, now);
}

function member(n: number, date_joined: string): User {
  const [first_name, last_name] = [pick(FIRST, mix(n, 20)), pick(LAST, mix(n, 21))];
  return person(n, {
    ...{ first_name, last_name, display_name: `${first_name} ${last_name}`, date_joined, bio: BIO },
    country: pick(COUNTRIES, mix(n, 22)),
    kyc_status: pick(KYC_STATUSES, mix(n, 23) ** 1.5),
  });
}

/** A number of days before a day in November. */
function dayAt(days: number): string {
  return new Date(Date.UTC(2026, 10, 20) - days * 86_400_000).toISOString().replace("Z", "000Z");
}

function pick<Item>(items: readonly Item[], share: number): Item {
  const item = items[Math.floor(share * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** A pseudo-random number from 0 to 1 for two numbers. */
function mix(n: number, salt: number): number {
  let x = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

/** Counts the totals of the changes. */
function totals(counts: Counts): [fields: Map<string, number>, flow: Flow[]] {
  const [fields, flow] = [new Map<string, number>(), new Map<string, Flow>()];
  for (let n = 0; n < counts.changed; n++) {
    const change = edited(2_000_000 + n);
    if (change.kind !== "changed") continue;
    for (const { path } of change.fields) fields.set(path, (fields.get(path) ?? 0) + 1);
    const field = "kyc_status";
    const [from, to] = [change.old[field], change.new[field]];
    const key = `${from} ${to}`;
    if (from !== to) flow.set(key, { field, from, to, count: (flow.get(key)?.count ?? 0) + 1 });
  }
  return [new Map([...fields].sort(([, a], [, b]) => b - a)), [...flow.values()].sort((a, b) => b.count - a.count)];
}
