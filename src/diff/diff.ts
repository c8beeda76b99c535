/** Compares two snapshots by their lists of records, and reads only the records that differ. */
import { basename } from "node:path";
import { findContractChanges, hasOtherKey } from "../contract/changes.js";
import type { AnyRecord } from "../contract/contract.js";
import { UserError } from "../errors.js";
import { hashPlain } from "../release/plain-files.js";
import { inBatches } from "../workers/at-most.js";
import { ThreadPool, threadsFor } from "../workers/pool.js";
import type { Change, Diff, FieldFilter } from "./change.js";
import {
  add,
  type Comparing,
  changedReader,
  inOrder,
  keyValue,
  nothing,
  type Summary,
  startSummaries,
} from "./changed.js";
import { type Matches, matchRecords, NO_MATCHES } from "./match.js";
import { RecordReader } from "./records.js";
import type { ListEntry, Side } from "./side.js";

/** With fewer records than this, starting threads takes longer than they save. */
const WORTHWHILE = 100_000;

/** Pairs of a job: enough to make sending cheap, few enough that no thread waits long for the last job. */
const PAIRS_A_JOB = 50;

/** A diff with temporary data, which `close` removes. */
export interface OpenDiff<T = AnyRecord> extends Diff<T> {
  close(): void;
}

export interface DiffOptions extends FieldFilter {
  /** Threads that read changed records. By default one per core, or 0 for small snapshots. */
  workers?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Matches that were found before, from intact lists. They are closed with the diff, or if it fails. */
  matches?: Matches | undefined;
}

/** Compares two sides. @throws UserError if a list of records does not match its digest, or a page that must be read is missing or invalid. */
export async function diff<T = AnyRecord>(old: Side, now: Side, options: DiffOptions = {}): Promise<OpenDiff<T>> {
  const { only, ignore, workers, signal } = options;
  const comparing = { old, new: now, filter: { only, ignore } };
  const isOther = hasOtherKey(old.facts.contract, now.facts.contract);
  if (!isOther && old.digest !== undefined && old.digest === now.digest)
    return toDiff(NO_MATCHES, comparing, nothing());
  const size = threadsFor(Math.max(old.facts.count, now.facts.count), workers, WORTHWHILE);
  const file = new URL("./worker.js", import.meta.url);
  const pool = new ThreadPool({ size, includesCaller: true, file, data: comparing, start: startSummaries, signal });
  let { matches } = options;
  try {
    if (!matches) for (const side of [old, now]) await requireIntact(side);
    matches ??= await matchRecords(old, now, signal);
    const summary = nothing();
    await pool.run(inBatches(matches.changed(), PAIRS_A_JOB), (part) => add(summary, part));
    return toDiff(matches, comparing, summary);
  } catch (error) {
    matches?.close();
    throw error;
  } finally {
    await pool.end();
  }
}

async function requireIntact({ list, digest, facts: { name } }: Side): Promise<void> {
  if (digest !== undefined && hashPlain(list) !== digest)
    throw new UserError(
      `${basename(list)} of ${name} does not match its digest; run "rollcall verify" to see what else is wrong.`,
    );
}

function toDiff<T>(matches: Matches, comparing: Comparing, summary: Summary): OpenDiff<T> {
  const { old, new: now } = comparing;
  const { added, removed } = matches.counts;
  return {
    old: old.facts,
    new: now.facts,
    contract: findContractChanges(old.facts.contract, now.facts.contract),
    added,
    removed,
    ...inOrder(summary),
    // Includes records that differ only in fields that are not compared.
    unchanged: old.facts.count - removed - summary.changed,
    changes: (kind) => changesOf(matches, comparing, kind) as AsyncGenerator<Change<T>>,
    close: () => matches.close(),
  };
}

async function* changesOf(matches: Matches, comparing: Comparing, kind?: Change["kind"]): AsyncGenerator<Change> {
  const { old, new: now } = comparing;
  if (kind !== "removed" && kind !== "changed") yield* readRecords("added", matches.added(), now);
  if (kind !== "added" && kind !== "changed") yield* readRecords("removed", matches.removed(), old);
  if (kind !== "added" && kind !== "removed") yield* changedReader(comparing)(matches.changed());
}

function* readRecords(kind: "added" | "removed", entries: Iterable<ListEntry>, side: Side): Generator<Change> {
  const reader = new RecordReader(side);
  for (const entry of entries) {
    const record = reader.read(entry);
    yield { kind, id: keyValue(record, side), record };
  }
}
