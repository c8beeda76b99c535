/** Finds the records that were added, removed or changed between two snapshots, from their lists of records alone. */
import { hasOtherKey } from "../contract/changes.js";
import { KEY_AT, RecordLines } from "../release/record-lines.js";
import { createTurns } from "../workers/turns.js";
import { type Differing, openDiffering } from "./differing.js";
import { type Matches, type MatchSide, unmatched } from "./matches.js";

const RUN = 512;
const RUNS_AT_ONCE = 256;
/** How many lines ahead the same record is looked for. */
const LOOK_AHEAD = 48;

/** Walks both lists side by side: records stand in the same order. Lines that differ are joined by key in the end. */
export async function matchRecords(old: MatchSide, now: MatchSide, signal?: AbortSignal): Promise<Matches> {
  if (hasOtherKey(old.facts.contract, now.facts.contract)) return unmatched(old, now);
  const [older, newer] = [new RecordLines(old.list), new RecordLines(now.list)];
  const differing = openDiffering({ old: old.facts.contract, new: now.facts.contract });
  try {
    await walk(older, newer, differing, createTurns(RUNS_AT_ONCE, signal));
    return differing.join();
  } catch (error) {
    differing.close();
    throw error;
  } finally {
    older.close();
    newer.close();
  }
}

async function walk(
  older: RecordLines,
  newer: RecordLines,
  differing: Differing,
  turn: ReturnType<typeof createTurns>,
) {
  let [at, to] = [0, 0];
  for (;;) {
    await turn();
    const held = older.hold(at, RUN + LOOK_AHEAD);
    const newHeld = newer.hold(to, RUN + LOOK_AHEAD);
    if (held === 0 || newHeld === 0) break;
    const same = countSame(older, newer, at, to, Math.min(held, newHeld, RUN));
    const [oldSkip, newSkip] = same > 0 ? [0, 0] : findNext(older, newer, { at, held }, { at: to, held: newHeld });
    differing.add("old", older, at, oldSkip);
    differing.add("new", newer, to, newSkip);
    at += same + oldSkip;
    to += same + newSkip;
  }
  differing.addRest("old", older, at);
  differing.addRest("new", newer, to);
}

interface Held {
  at: number;
  /** How many lines from there on are in memory: as far ahead is looked, at most. */
  held: number;
}

/** How many lines of the old and the new side to lay differing before the sides go on side by side. */
function findNext(older: RecordLines, newer: RecordLines, old: Held, now: Held): [oldSkip: number, newSkip: number] {
  if (isSameKey(older, newer, old.at, now.at)) return [1, 1];
  // If the record is farther away, both lines count as different.
  for (let skip = 1; skip <= LOOK_AHEAD; skip++) {
    if (skip < now.held && isSameKey(older, newer, old.at, now.at + skip)) return [0, skip];
    if (skip < old.held && isSameKey(older, newer, old.at + skip, now.at)) return [skip, 0];
  }
  return [1, 1];
}

/** How many lines of one list from `at` on equal those of the other from `to` on, of `most` that both hold. */
function countSame(one: RecordLines, other: RecordLines, at: number, to: number, most: number): number {
  const [begin, otherBegin] = [one.startOf(at), other.startOf(to)];
  const otherEnd = other.startOf(to + most);
  // Lines that have the same bytes end at the same places. So only one side's lines are looked at.
  const isSame = (from: number, until: number) => {
    const [first, last] = [one.startOf(at + from), one.startOf(at + until)];
    const [otherFirst, otherLast] = [otherBegin + first - begin, otherBegin + last - begin];
    return otherLast <= otherEnd && one.memory.compare(other.memory, otherFirst, otherLast, first, last) === 0;
  };
  if (isSame(0, most)) return most;
  let [same, different] = [0, most];
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (isSame(same, middle)) same = middle;
    else different = middle;
  }
  return same;
}

/** Whether two held lines are of the same record. */
function isSameKey(one: RecordLines, other: RecordLines, at: number, to: number): boolean {
  const [begin, end] = [one.startOf(at) + KEY_AT, one.startOf(at + 1)];
  const [otherBegin, otherEnd] = [other.startOf(to) + KEY_AT, other.startOf(to + 1)];
  if (end - begin !== otherEnd - otherBegin) return false;
  return one.memory.compare(other.memory, otherBegin, otherEnd, begin, end) === 0;
}
