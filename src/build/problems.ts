/** Problems as data: all are counted and written down, the first few are kept. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Problem } from "../contract/user.js";
import { codeOf, UserError } from "../errors.js";

const KEPT = 20;

/** What a build found wrong with the users. */
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
  readonly #file: number | undefined;

  /** @param path the NDJSON file to write every problem to, replaced when it is there. */
  constructor(path: string | undefined) {
    if (path === undefined) return;
    try {
      this.#file = openSync(path, "w");
    } catch (cause) {
      throw new UserError(`Cannot write problems to ${path} (${codeOf(cause)}); name another file.`, {
        cause,
      });
    }
  }

  /** Takes all problems of one user. */
  add(problems: Problem[]): void {
    const { report } = this;
    report.users += 1;
    report.count += problems.length;
    report.first.push(...problems.slice(0, KEPT - report.first.length));
    if (this.#file !== undefined)
      writeSync(this.#file, problems.map((problem) => `${JSON.stringify(problem)}\n`).join(""));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
