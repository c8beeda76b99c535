/** Collects problems: counts all, writes them to a file, and keeps the first few. */
import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Problem } from "../contract/user.js";
import { codeOf, UserError } from "../errors.js";
import { readBeginning } from "../release/files.js";
import { AsideFile } from "../release/write.js";

const KEPT = 20;

export interface ProblemReport {
  /** Users with at least one problem. */
  users: number;
  /** Problems of all of them. */
  count: number;
  /** The first 20, in published order. */
  first: Problem[];
}

/** The refusal of a build whose users are not all valid. */
export class InvalidUsersError extends UserError {
  constructor(
    readonly problems: ProblemReport,
    /** Users of the source, valid or not. */
    readonly total: number,
    { nobodyLeft = false }: { nobodyLeft?: boolean } = {},
  ) {
    const found = `${problems.users} of ${total} users ${problems.users === 1 ? "is" : "are"} invalid (problems: ${problems.count})`;
    super(
      nobodyLeft
        ? `${found}: without them nobody is left to publish, so nothing was published and current is unchanged.`
        : `${found}: nothing was published and current is unchanged. Mend them, or leave them out with --skip-invalid.`,
    );
  }
}

export class ProblemLog {
  readonly report: ProblemReport = { users: 0, count: 0, first: [] };
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
      throw new UserError(`${path} is there and is no file of problems; name another, or remove it.`);
  }

  /** Creates the file aside. Before this, nothing is written. */
  open(): void {
    const path = this.path;
    if (path === undefined || this.#file !== undefined) return;
    this.#file = this.#writing(() => new AsideFile(path));
  }

  add(problems: Problem[]): void {
    const { report } = this;
    report.users += 1;
    report.count += problems.length;
    report.first.push(...problems.slice(0, KEPT - report.first.length));
    const lines = () => problems.map((problem) => `${JSON.stringify(problem)}\n`).join("");
    this.#writing(() => this.#file?.write(lines()));
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

function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  return stats.isFile() && (stats.size === 0 || readBeginning(path, PROBLEM_BEGINS.length) === PROBLEM_BEGINS);
}

const PROBLEM_BEGINS = '{"id":';
