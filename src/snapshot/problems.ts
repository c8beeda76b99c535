/** Collects problems: counts all, writes them to a file, and keeps the first 20. */
import { closeSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve, sep } from "node:path";
import { codeOf, UserError } from "../errors.js";
import { readBeginning, readBlocks } from "../release/files.js";
import { AsideFile } from "../release/write.js";

const KEPT = 20;
/** Characters that are written together. */
const TOGETHER = 2 ** 16;

/** A reason not to publish: the record, the field, its value, and what it must be. */
export interface Problem {
  /** The value of the record's key as the source has it, so not always a valid one; null where the source has NULL. */
  id: unknown;
  /** Dotted, as in `position.latitude` or `sensors.0`. */
  path: string;
  /** The keyword of the contract that the value does not fit, such as `type` or `pattern`; or `unique`. */
  rule: string;
  value: unknown;
  message: string;
}

/** All problems of one field with one rule. */
export interface ProblemKind {
  /** With `*` in the place of an item's number. */
  path: string;
  rule: string;
  /** How many records have it. */
  records: number;
  /** The first one, in published order. */
  example: Problem;
}

export interface ProblemReport {
  /** Records with at least one problem. */
  records: number;
  /** Problems of all of them. */
  count: number;
  /** Most records first. */
  kinds: ProblemKind[];
  /** The first 20, in published order. */
  first: Problem[];
}

/** The refusal of a build whose records are not all valid. */
export class InvalidRecordsError extends UserError {
  constructor(
    readonly problems: ProblemReport,
    /** Records of the source, valid or not. */
    readonly total: number,
    { words: [one, many], nobodyLeft = false }: { words: readonly [one: string, many: string]; nobodyLeft?: boolean },
  ) {
    const found = `${problems.records} of ${total} ${total === 1 ? one : many} ${problems.records === 1 ? "is" : "are"} invalid (problems: ${problems.count})`;
    super(
      nobodyLeft
        ? `${found}: without them nothing is left to publish, so nothing was published and current is unchanged.`
        : `${found}: nothing was published and current is unchanged. Mend them, or leave them out with --skip-invalid.`,
    );
  }
}

/** Counts problems by kind. There are few kinds: fields times rules. */
export class ProblemTally {
  #count = 0;
  #records = 0;
  readonly #first: Problem[] = [];
  readonly #kinds = new Map<string, ProblemKind>();

  /** Adds the problems of one record. */
  add(problems: readonly Problem[]): void {
    this.#records += 1;
    this.#count += problems.length;
    this.#first.push(...problems.slice(0, KEPT - this.#first.length));
    const kinds = new Map(problems.map((problem) => [`${kindPath(problem)} ${problem.rule}`, problem]));
    for (const [name, example] of kinds) {
      const kind = { path: kindPath(example), rule: example.rule, records: 1, example };
      this.#addKind(name, kind);
    }
  }

  /** Adds the problems of a batch behind those that were added before. */
  merge({ records, count, first, kinds }: ProblemReport): void {
    this.#records += records;
    this.#count += count;
    this.#first.push(...first.slice(0, KEPT - this.#first.length));
    for (const kind of kinds) this.#addKind(`${kind.path} ${kind.rule}`, kind);
  }

  report(): ProblemReport {
    const kinds = [...this.#kinds.values()];
    return { records: this.#records, count: this.#count, kinds, first: this.#first };
  }

  #addKind(name: string, kind: ProblemKind): void {
    const known = this.#kinds.get(name);
    if (known) known.records += kind.records;
    else this.#kinds.set(name, { ...kind });
  }
}

export class ProblemLog {
  readonly #tally = new ProblemTally();
  #file: AsideFile | undefined;

  /**
   * @param path of NDJSON. It replaces only a file of problems: a typing error must not overwrite a database or a page.
   * @param out the folder of releases. The file must not lie in it.
   */
  constructor(
    private readonly path: string | undefined,
    out: string,
  ) {
    if (path === undefined) return;
    if (`${resolve(path)}${sep}`.startsWith(`${resolve(out)}${sep}`))
      throw new UserError(`Problems cannot be written to ${path}: it is in ${out}; name a file elsewhere.`);
    if (!isReplaceable(path))
      throw new UserError(`${path} exists and is not a file of problems; name another, or remove it.`);
  }

  /** Whether all problems are wanted, as `LinesFile` has them. */
  get keepsLines(): boolean {
    return this.path !== undefined;
  }

  /** With the kinds that most records have first. */
  get report(): ProblemReport {
    const report = this.#tally.report();
    return { ...report, kinds: report.kinds.sort((one, other) => other.records - one.records) };
  }

  /** Creates the file aside. Before this, nothing is written. */
  open(): void {
    const path = this.path;
    if (path === undefined || this.#file !== undefined) return;
    this.#file = this.#writing(() => new AsideFile(path));
  }

  /**
   * Takes the problems of batches, in published order.
   * @param lines all of them as NDJSON, in pieces, where they are wanted
   */
  add(problems: ProblemReport, lines: Iterable<Buffer>): void {
    this.#tally.merge(problems);
    for (const piece of lines) this.#writing(() => this.#file?.write(piece));
  }

  finish(): void {
    this.#writing(() => this.#file?.finish());
  }

  discard(): void {
    this.#file?.discard();
  }

  #writing<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      throw new UserError(`Cannot write problems to ${this.path} (${codeOf(cause)}); name another file.`, { cause });
    }
  }
}

/** The problems of a batch as NDJSON, in a file of their own, since their values may have any length. */
export class LinesFile {
  #file: number | undefined;
  #waiting = "";

  constructor(readonly path: string) {}

  add(problems: readonly Problem[]): void {
    for (const problem of problems) {
      this.#waiting += `${JSON.stringify(problem)}\n`;
      if (this.#waiting.length >= TOGETHER) this.#write();
    }
  }

  /** @returns the path of the file; undefined without any problem */
  finish(): string | undefined {
    if (this.#waiting !== "") this.#write();
    if (this.#file === undefined) return undefined;
    closeSync(this.#file);
    return this.path;
  }

  #write(): void {
    this.#file ??= openSync(this.path, "w");
    writeFileSync(this.#file, this.#waiting);
    this.#waiting = "";
  }
}

/** The bytes of a finished `LinesFile`, which is removed then; none without one. */
export function* takeLines(path: string | undefined): Generator<Buffer> {
  if (path === undefined) return;
  const file = openSync(path, "r");
  try {
    yield* readBlocks(file);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

/** A list may have any number of items, so their problems are one kind. */
function kindPath({ path }: Problem): string {
  return path.replace(/\.\d+(?=\.|$)/g, ".*");
}

function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  return stats.isFile() && (stats.size === 0 || readBeginning(path, PROBLEM_BEGINS.length) === PROBLEM_BEGINS);
}

const PROBLEM_BEGINS = '{"id":';
