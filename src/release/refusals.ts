/** Explains system errors from writing below `dist`. */
import { accessSync, constants, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, explainRefusal, isMissing, isSystemError, reasonOf, UserError } from "../errors.js";

/** Codes that Node's recursive mkdir and SQLite also use for read-only disks. */
const VAGUE = /^(ENOENT|SQLITE_CANTOPEN|SQLITE_READONLY)/;

/** The system's code for why a folder, or the nearest existing folder above it, cannot be written; undefined if it can. */
export function findRefusal(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK);
      return undefined;
    } catch (error) {
      if (!isMissing(error) || folder === dirname(folder)) return codeOf(error);
    }
  }
}

/** Turns a system error from writing below `dist` into one that people can act on. Returns other errors as they are. */
export function explainWrite(dist: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const said = codeOf(error) ?? "";
  const code = VAGUE.test(said) ? (findRefusal(dist) ?? said) : said;
  if (!code.startsWith("SQLITE_") && !isSystemError(error)) return error;
  const why = explainRefusal(error, "another folder with --dist", code);
  return new UserError(`Cannot write ${dist}: ${why}, then run this again. What was current is unchanged.`, {
    cause: error,
  });
}

/** Runs a step after a switch. A system error does not fail the run, but adds a line to `untidied` that begins with `what`. */
export function tidy(untidied: string[], what: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    untidied.push(`${what} (${reasonOf(error)}).`);
  }
}

export function remove(path: string, untidied: string[]): void {
  tidy(untidied, `${path} could not be removed; the next build tries again`, () => {
    rmSync(path, { recursive: true, force: true });
  });
}
