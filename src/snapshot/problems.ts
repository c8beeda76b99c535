/** Collects problems: counts all, writes them to a file, and keeps the first 20. */
import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { codeOf, UserError } from "../errors.js";
import { readBeginning } from "../release/plain-files.js";
import { AsideFile } from "../release/writer.js";

const KEPT = 20;

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
  /** The contract's words for one record and for many. */
  readonly words: readonly [one: string, many: string];

  constructor(
    readonly problems: ProblemReport,
    /** Records of the source, valid or not. */
    readonly total: number,
    { words, nobodyLeft = false }: { words: readonly [one: string, many: string]; nobodyLeft?: boolean },
  ) {
    const [one, many] = words;
    const found = `${problems.records} of ${total} ${total === 1 ? one : many} ${problems.records === 1 ? "is" : "are"} invalid (problems: ${problems.count})`;
    super(
      nobodyLeft
        ? `${found}: without them nothing is left to publish, so nothing was published and current is unchanged.`
        : `${found}: nothing was published and current is unchanged. Mend them, or leave them out with --skip-invalid.`,
    );
    this.words = words;
  }
}

export class ProblemLog {
  readonly report: ProblemReport = { records: 0, count: 0, kinds: [], first: [] };
  readonly #kinds = new Map<string, ProblemKind>();
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

  /** Creates the file aside. Before this, nothing is written. */
  open(): void {
    const path = this.path;
    if (path === undefined || this.#file !== undefined) return;
    this.#file = this.#writing(() => new AsideFile(path));
  }

  /** Adds the problems of one record, in published order. */
  add(problems: readonly Problem[]): void {
    const { report } = this;
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

  /** Adds the problems of one record. Their kinds are few: fields times rules. */
  #addKinds(problems: readonly Problem[]): void {
    const kinds = new Map(problems.map((problem) => [`${kindPath(problem)} ${problem.rule}`, problem]));
    for (const [name, example] of kinds) {
      const kind = this.#kinds.get(name) ?? { path: kindPath(example), rule: example.rule, records: 0, example };
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
