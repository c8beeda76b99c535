/** What the writer keeps true in every state that it commits, and what releases are checked against. */
import { userId } from "../support/database.js";

/** The users at the two ends of the order, who are never removed. */
export const NEWEST = userId(1);
export const OLDEST = userId(2);

/** The bio of both of them after a commit. */
export function ledger(commit: number, count: number): string {
  return `commit ${commit}, ${count} users`;
}

export function readLedger(bio: string): { commit: number; count: number } {
  const [, commit, count] = /^commit (\d+), (\d+) users$/.exec(bio) ?? [];
  return { commit: Number(commit), count: Number(count) };
}
