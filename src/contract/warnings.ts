/** Warnings: values that are published although they were never observed before. */
import type { User } from "./user.js";

export interface Counted {
  off_chain: Pick<User["off_chain"], "mining_events" | "pending_events" | "tokens" | "withdrawn_events">;
}

/** Each kind of warning: its text, and whether it applies to a user. Kinds are the keys of `warnings` in snapshot.json. */
export const WARNINGS = {
  circles_not_empty: { text: "circles are not empty", applies: (user) => user.circles.length > 0 },
  liveness_config_unobserved: {
    text: "off_chain.liveness_config differs from 2 samples, 1 blink, no head movement, warm-up 2",
    applies: ({ off_chain: { liveness_config: config } }) =>
      config.required_samples !== 2 ||
      config.min_blinks !== 1 ||
      config.require_head_movement ||
      config.warmup_duration !== 2,
  },
  liveness_tier_unobserved: {
    text: 'off_chain.liveness_tier is not "normal"',
    applies: (user) => user.off_chain.liveness_tier !== "normal",
  },
  pending_events_do_not_add_up: {
    text: "off_chain.pending_events is not mining_events - withdrawn_events",
    applies: ({ off_chain }: Counted) =>
      off_chain.pending_events !== off_chain.mining_events - off_chain.withdrawn_events,
  },
  tokens_do_not_add_up: {
    text: "off_chain.tokens is not 2 x pending_events",
    applies: ({ off_chain }: Counted) => off_chain.tokens !== 2 * off_chain.pending_events,
  },
  wac_status_unobserved: { text: "wac_status is not 0", applies: (user) => user.wac_status !== 0 },
} satisfies Record<string, { text: string; applies: (user: User) => boolean }>;

export type WarningKind = keyof typeof WARNINGS;

/** How many users each kind of warning applies to; kinds that apply to none are absent. */
export type WarningCounts = Partial<Record<WarningKind, number>>;

const KINDS = Object.entries(WARNINGS) as [WarningKind, (typeof WARNINGS)[WarningKind]][];

export function countWarnings(user: User, counts: WarningCounts): void {
  for (const [kind, { applies }] of KINDS) if (applies(user)) counts[kind] = (counts[kind] ?? 0) + 1;
}

/** Adds the warnings about counters, for a user to whom no other warning applies. */
export function countCounterWarnings(user: Counted, counts: WarningCounts): void {
  for (const kind of ["pending_events_do_not_add_up", "tokens_do_not_add_up"] as const) {
    if (WARNINGS[kind].applies(user)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
}
