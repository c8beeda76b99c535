/** Compares two snapshots by their lists of records, and reads only the records that differ. */
import { basename } from "node:path";
import { findContractChanges, hasOtherKey } from "../contract/changes.js";
import type { AnyRecord } from "../contract/contract.js";
import { UserError } from "../errors.js";
import { hashPlain } from "../release/plain-files.js";
import { createTurns } from "../workers/turns.js";
import type { Change, Diff, FieldFilter } from "./change.js";
import { type Comparing, changedReader, keyValue, Summary } from "./changed.js";
import { type Matches, matchRecords, NO_MATCHES, type Pair } from "./match.js";
import { PageRecordReader } from "./records.js";
import type { ListEntry, Side } from "./side.js";

/** Pairs of records to read before the event loop gets a turn. */
const PAIRS_AT_ONCE = 256;

/** A diff with temporary data, which `close` removes. */
export interface OpenDiff<T = AnyRecord> extends Diff<T> {
  close(): void;
}

export interface CompareOptions extends FieldFilter {
  signal?: AbortSignal | undefined;
  /** Matches that were found before, from intact lists. They are closed with the diff, or if it fails. */
  matches?: Matches | undefined;
}

/** Compares two sides. @throws UserError if a list of records does not match its digest, or a page that must be read is missing or invalid. */
export async function compareSides<T = AnyRecord>(
  old: Side,
  now: Side,
  options: CompareOptions = {},
): Promise<OpenDiff<T>> {
  const { only, ignore, signal } = options;
  const comparing = { old, new: now, filter: { only, ignore } };
  const isOther = hasOtherKey(old.facts.contract, now.facts.contract);
  if (!isOther && old.digest !== undefined && old.digest === now.digest)
    return toDiff(NO_MATCHES, comparing, new Summary(now));
  let { matches } = options;
  try {
    if (!matches) for (const side of [old, now]) requireIntact(side);
    matches ??= await matchRecords(old, now, signal);
    const turn = createTurns(PAIRS_AT_ONCE, signal);
    const summary = new Summary(now);
    const read = changedReader(comparing);
    for (const pair of matches.changed()) {
      await turn();
      const change = read(pair);
      if (change) summary.add(change);
    }
    return toDiff(matches, comparing, summary);
  } catch (error) {
    matches?.close();
    throw error;
  }
}

function requireIntact({ list, digest, facts: { name } }: Side): void {
  if (digest !== undefined && hashPlain(list) !== digest)
    throw new UserError(
      `${basename(list)} of ${name} does not match its digest; run "rollcall verify" to see what else is wrong.`,
    );
}

function toDiff<T>(matches: Matches, comparing: Comparing, summary: Summary): OpenDiff<T> {
  const { old, new: now } = comparing;
  const { added, removed } = matches.counts;
  const { changed, fields, flow } = summary.inOrder();
  return {
    old: old.facts,
    new: now.facts,
    contract: findContractChanges(old.facts.contract, now.facts.contract),
    added,
    removed,
    changed,
    fields,
    flow,
    // Includes records that differ only in fields that are not compared.
    unchanged: old.facts.count - removed - changed,
    changes: (kind) => changesOf(matches, comparing, kind) as AsyncGenerator<Change<T>>,
    close: () => matches.close(),
  };
}

async function* changesOf(matches: Matches, comparing: Comparing, kind?: Change["kind"]): AsyncGenerator<Change> {
  const { old, new: now } = comparing;
  if (kind !== "removed" && kind !== "changed") yield* readRecords("added", matches.added(), now);
  if (kind !== "added" && kind !== "changed") yield* readRecords("removed", matches.removed(), old);
  if (kind !== "added" && kind !== "removed") yield* readChanged(matches.changed(), comparing);
}

function* readRecords(kind: "added" | "removed", entries: Iterable<ListEntry>, side: Side): Generator<Change> {
  const reader = new PageRecordReader(side);
  for (const entry of entries) {
    const record = reader.read(entry);
    yield { kind, id: keyValue(record, side), record };
  }
}

function* readChanged(pairs: Iterable<Pair>, comparing: Comparing): Generator<Change> {
  const read = changedReader(comparing);
  for (const pair of pairs) {
    const change = read(pair);
    if (change) yield change;
  }
}
