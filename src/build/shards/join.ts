/** `rollcall build --join`: makes of parts what one machine would have written. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { bulkFor, takeMembers } from "../../bulk/handover.js";
import type { Encoding } from "../../contract/headers.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { isMissing, UserError, usageError } from "../../errors.js";
import { PageDigests } from "../../release/digests.js";
import { PagePaths, RECORDS, type Variant } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { readChunks, readPieces } from "../../release/pieces.js";
import { RecordLines } from "../../release/record/lines.js";
import { RecordListWriter } from "../../release/record/list.js";
import { linkFile } from "../../release/write.js";
import { TemporaryDatabase } from "../../scratch/database.js";
import { pagesOf } from "../../shards/cut.js";
import { wordOf } from "../../shards/word.js";
import { createTurns } from "../../workers/turns.js";
import type { GatheredFiles } from "../gather.js";
import type { Destination, Task, Totals, WrittenPages } from "../page-writer.js";
import { InvalidRecordsError } from "../problems.js";
import { destinationOf, loadGathering, taskOf } from "../task.js";
import type { Job } from "../write-pages.js";
import { digestsOf, readParts, unjoinable } from "./check.js";
import { digestOfSource, settingsOf } from "./made-of.js";
import { PROBLEMS, type ShardPart } from "./part.js";

/** Files that are linked before others may go on. */
const LINKS = 500;

/**
 * Pages are links to those of the parts, so nothing of a part changes, and a join that is killed can be run again.
 * @param parts the folder of parts, on the file system of the destination.
 * @throws InvalidRecordsError as one machine would; UserError naming the shard that does not fit, and what makes it again.
 */
export async function joinParts(
  job: Job,
  staging: { folder: string },
  previous: Release | undefined,
  parts: string,
): Promise<WrittenPages> {
  const { settings, source, signal, log, shard } = job;
  const { contract, pageSize, encodings, db } = settings;
  if (settings.skipInvalid)
    throw usageError("--skip-invalid and --join exclude each other: no shard leaves out records.");
  const total = source.count;
  const madeOf = { ...settingsOf(settings, source), source: await digestOfSource(source, db, signal) };
  const all = readParts(parts, { madeOf, settings, total });
  log.open();
  for (const part of all) takeProblems(part, log.add.bind(log));
  log.finish();
  if (log.report.records > 0) throw new InvalidRecordsError(log.report, total, contract.listing);
  const destination = destinationOf(settings, staging, { previous, shard });
  const joining = new Joining(taskOf(settings, total, shard), destination, previous, await loadGathering(destination));
  try {
    for (const part of all) {
      await fitting(parts, part, () => joining.take(part, encodings, signal));
      job.onProgress({ records: Math.min(total, part.manifest.pages.last * pageSize), total });
    }
    const written = await joining.finish(signal);
    requireUnique(parts, all, join(staging.folder, RECORDS), job);
    return written;
  } finally {
    joining.close();
  }
}

/** Says of which shard a file is missing or damaged. */
async function fitting(parts: string, { manifest }: ShardPart, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (isMissing(error) || error instanceof UserError)
      throw unjoinable(parts, manifest.shard, `is not whole (${(error as Error).message})`, error);
    throw error;
  }
}

function takeProblems({ folder, manifest }: ShardPart, add: (problems: []) => void): void {
  if (manifest.problems.records === 0) return;
  for (const piece of readPieces(join(folder, PROBLEMS), manifest.files[PROBLEMS] ?? ""))
    add(JSON.parse(String(piece)));
}

class Joining {
  readonly #sums: PageDigests;
  readonly #variants: readonly Variant[];
  readonly #list: RecordListWriter;
  readonly #bulk: ReturnType<typeof bulkFor>;
  readonly #gathered: GatheredFiles | undefined;
  readonly #paths: PagePaths;
  readonly #warnings: WarningCounts = {};
  readonly #totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  #chunks = 0;
  #members = 1;

  constructor(
    private readonly task: Task,
    private readonly destination: Destination,
    previous: Release | undefined,
    gathering: Awaited<ReturnType<typeof loadGathering>>,
  ) {
    const { collection } = task;
    this.#variants = ["identity", ...destination.encodings];
    this.#sums = new PageDigests(collection.pages, this.#variants);
    this.#paths = new PagePaths(collection.path);
    this.#list = new RecordListWriter(destination.folder);
    this.#bulk = bulkFor(destination, previous);
    this.#gathered = gathering && new gathering.GatheredFiles(destination, collection, previous);
  }

  async take(part: ShardPart, encodings: readonly Encoding[], signal: AbortSignal | undefined): Promise<void> {
    const { folder, manifest } = part;
    const digests = digestsOf(part, encodings);
    this.#sums.fill(manifest.pages.first, digests.part(1, digests.pages));
    await this.#link(part, signal);
    for (const chunk of readChunks(join(folder, RECORDS), manifest.files[RECORDS] ?? ""))
      this.#list.add(++this.#chunks, 1, chunk);
    const handed = { folder, digests: new Map(Object.entries(manifest.files)) };
    if (this.#bulk) this.#members = takeMembers(this.#bulk, handed, this.#members);
    this.#gathered?.takePart(handed);
    for (const [kind, records] of Object.entries(manifest.warnings)) countWarning(this.#warnings, kind, records);
  }

  async finish(signal: AbortSignal | undefined): Promise<WrittenPages> {
    const gathered = await this.#gathered?.finish(signal);
    const lists = { digests: this.#sums, records: this.#list.finish(), bulk: this.#bulk?.finish(), gathered };
    return { ...this.task, ...lists, totals: this.#totals, warnings: this.#warnings, workers: 0, spent: undefined };
  }

  close(): void {
    this.#gathered?.close();
    this.#bulk?.close();
    this.#list.close();
  }

  async #link({ folder, manifest }: ShardPart, signal: AbortSignal | undefined): Promise<void> {
    const turn = createTurns(LINKS, signal);
    const { first, last } = manifest.pages;
    let bytes = 0;
    for (let page = first; page <= last; page++)
      for (const variant of this.#variants) {
        const path = this.#paths.path(page, variant);
        if (!linkFile(join(folder, path), join(this.destination.folder, path)))
          throw new UserError(
            `${folder} and the folder of the releases are not on one file system, or it has no hard links`,
          );
        bytes += lstatSync(join(this.destination.folder, path)).size;
        const wait = turn();
        if (wait) await wait;
      }
    if (bytes !== manifest.bytes) throw new UserError(`its pages have ${bytes} bytes, not ${manifest.bytes}`);
    this.#totals.bytes += bytes;
    this.#totals.changed += pagesOf(manifest.pages) * this.#variants.length;
  }
}

const TABLE = "CREATE TABLE keys (key TEXT, record INTEGER)";
/** KiB that SQLite sorts in memory. */
const MEMORY = 8000;
/** Lines of the list that are read at once. */
const LINES = 8192;

/** A key that two records have, as the list has it, and the numbers (from 0) of the first two; undefined where none do. */
function findRepeatedKey(path: string): { key: string; records: number[] } | undefined {
  const lines = new RecordLines(path);
  const temporary = new TemporaryDatabase({ tables: TABLE, memory: MEMORY, purpose: "compare keys in" });
  try {
    const insert = temporary.db.prepare<[string, number]>("INSERT INTO keys VALUES (?, ?)");
    for (let at = 0, held = lines.hold(0, LINES); held > 0; held = lines.hold(at, LINES))
      temporary.run(() => {
        for (const end = at + held; at < end; at++) insert.run(lines.key(at), at);
      });
    const repeated = "SELECT key FROM keys GROUP BY key HAVING count(*) > 1 ORDER BY min(record) LIMIT 1";
    for (const { key } of temporary.rows<{ key: string }>(repeated)) {
      const records = temporary.db.prepare<[string], number>("SELECT record FROM keys WHERE key = ? ORDER BY record");
      return { key, records: records.pluck().all(key).slice(0, 2) };
    }
    return undefined;
  } finally {
    temporary.close();
    lines.close();
  }
}

/** A shard proves the keys of its own records only. */
function requireUnique(parts: string, all: readonly ShardPart[], list: string, { settings }: Job): void {
  const repeated = findRepeatedKey(list);
  if (!repeated) return;
  const shardAt = (record: number) =>
    all.find(({ manifest }) => record < manifest.pages.last * settings.pageSize)?.manifest.shard ?? {
      number: 0,
      count: 1,
    };
  const [one, other] = repeated.records.map((record) => shardAt(record));
  if (!one || !other) return;
  throw unjoinable(
    parts,
    other,
    `has a record of key ${repeated.key}, which shard ${wordOf(one)} has, too, and a key may be there once: mend ${settings.db}, and make all shards again, this one`,
  );
}
