/** Collects problems of invalid records: counts all, writes them to a file, and keeps the first 20. */
import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { codeOf, UserError } from "../core/errors.js";
import { AsideFile } from "../core/release/writer.js";
import { readBeginning } from "../core/source/foreign.js";

const KEPT = 20;

/** One reason why a record is invalid: the record, the field, its value, and what it must be. */
export interface Problem {
  /** The name of the record's listing, in a site with several. */
  listing?: string;
  /** The record's key as the source has it, which may be invalid; null for NULL. */
  id: unknown;
  /** The line of a text file on which the record ends. Not known of a query's records. */
  line?: number;
  /** The rowid of a SQLite table, if the key is an empty text. */
  row?: number;
  /** The path of the field: `position.latitude`, `sensors.0`. */
  path: string;
  /** The contract's keyword that the value violates, such as `type` or `pattern`; or `unique`, `key` or `reference`. */
  rule: string;
  value: unknown;
  message: string;
}

/** All problems of one field and rule. */
export interface ProblemKind {
  /** The name of the listing, in a site with several. */
  listing?: string;
  /** The path of the field, with `*` for the number of an item. */
  path: string;
  rule: string;
  /** Records that have it. */
  records: number;
  /** The first one, in published order. */
  example: Problem;
}

export interface ProblemReport {
  /** Records with at least one problem. */
  records: number;
  /** Number of all problems. */
  count: number;
  /** Sorted by records, most first. */
  kinds: ProblemKind[];
  /** The first 20, in published order. */
  first: Problem[];
}

type Refusal = Pick<InvalidRecordsError, "words"> & Partial<Pick<InvalidRecordsError, "noneLeft" | "isOfShards">>;

/** The error of a build with invalid records. */
export class InvalidRecordsError extends UserError {
  /** The contract's words for one record and for many. */
  readonly words: readonly [one: string, many: string];
  /** Whether the invalid records would be left out, but no other one is left. */
  readonly noneLeft: boolean;
  /** Whether it is of shards or their join, which do not leave out records. */
  readonly isOfShards: boolean;

  constructor(
    readonly problems: ProblemReport,
    /** Records of the source, valid or not. */
    readonly total: number,
    { words, noneLeft = false, isOfShards = false }: Refusal,
  ) {
    const [one, many] = words;
    const found = `${problems.records} of ${total} ${total === 1 ? one : many} ${problems.records === 1 ? "is" : "are"} invalid (problems: ${problems.count})`;
    super(
      noneLeft
        ? `${found}: none is left to publish, so nothing was published and current is unchanged.`
        : `${found}: nothing was published and current is unchanged. Fix them, or leave them out with --skip-invalid${isOfShards ? ", in a build without shards" : ""}.`,
    );
    this.words = words;
    this.noneLeft = noneLeft;
    this.isOfShards = isOfShards;
  }
}

/** Collects the problems of a build. */
export class ProblemLog {
  readonly report: ProblemReport = { records: 0, count: 0, kinds: [], first: [] };
  readonly #kinds = new Map<string, ProblemKind>();
  #file: AsideFile | undefined;

  /**
   * @param path of the NDJSON file, if any. Only a file of problems is replaced, so that a typing error cannot overwrite anything else.
   * @param out the folder of releases, which the file must not be in.
   */
  constructor(
    private readonly path?: string,
    out = "",
  ) {
    if (path === undefined) return;
    if (`${resolve(path)}${sep}`.startsWith(`${resolve(out)}${sep}`))
      throw new UserError(`Problems cannot be written to ${path}: it is in ${out}; name a file elsewhere.`);
    if (!isReplaceable(path))
      throw new UserError(`${path} exists and is not a file of problems; name another file, or remove this one.`);
  }

  /** Creates the file, at a temporary path. */
  open(): void {
    const path = this.path;
    if (path === undefined || this.#file !== undefined) return;
    this.#file = this.#writing(() => new AsideFile(path));
  }

  /**
   * Adds the problems of one record, in published order.
   * @param listing the name of its listing; empty without a site.
   */
  add(found: readonly Problem[], listing = ""): void {
    const { report } = this;
    const problems = listing === "" ? found : found.map((problem) => ({ ...problem, listing }));
    report.records += 1;
    report.count += problems.length;
    this.#addKinds(problems);
    report.first.push(...problems.slice(0, KEPT - report.first.length));
    const lines = () => problems.map((problem) => `${JSON.stringify(problem)}\n`).join("");
    this.#writing(() => this.#file?.write(lines()));
  }

  finish(): void {
    this.report.kinds = [...this.#kinds.values()].sort((one, other) => other.records - one.records);
    this.#writing(() => this.#file?.finish());
  }

  discard(): void {
    this.#file?.discard();
  }

  /** Counts the kinds of the problems of one record. There are few kinds: fields times rules. */
  #addKinds(problems: readonly Problem[]): void {
    const kinds = new Map(
      problems.map((problem) => [`${problem.listing} ${kindPath(problem)} ${problem.rule}`, problem]),
    );
    for (const [name, example] of kinds) {
      const { listing, rule } = example;
      const own = { path: kindPath(example), rule, records: 0, example };
      const kind = this.#kinds.get(name) ?? (listing === undefined ? own : { listing, ...own });
      kind.records += 1;
      this.#kinds.set(name, kind);
    }
  }

  #writing<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      throw new UserError(`Cannot write problems to ${this.path} (${codeOf(cause)}); name another file.`, { cause });
    }
  }
}

/** The path of a problem's kind. All items of a list are one kind. */
function kindPath({ path }: Problem): string {
  return path.replace(/\.\d+(?=\.|$)/g, ".*");
}

function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  return stats.isFile() && (stats.size === 0 || String(readBeginning(path)).startsWith(PROBLEM_BEGINS));
}

const PROBLEM_BEGINS = '{"id":';
