/** What the system's refusals to write mean, and what to do about each. */
import { accessSync, constants, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, explainRefusal, isMissing, isSystemError, UserError } from "../errors.js";

/** What Node's recursive mkdir, and SQLite, say of read-only disks among other things. */
const VAGUE = /^(ENOENT|SQLITE_CANTOPEN|SQLITE_READONLY)/;

/** The system's own code for why a folder, or the nearest one above it that is there, cannot be written. */
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

/** An error of writing below `dist` as one line to act on; what is no system error is returned as it is. */
export function explainWrite(dist: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const said = codeOf(error) ?? "";
  const code = VAGUE.test(said) ? (findRefusal(dist) ?? said) : said;
  if (!code.startsWith("SQLITE_") && !isSystemError(error)) return error;
  const why = explainRefusal(error, "another folder with --out", code);
  return new UserError(`Cannot write ${dist}: ${why}, then run this again. What was current is unchanged.`, {
    cause: error,
  });
}

/**
 * Does what can wait, as all can that comes after a switch: a refusal of the system fails nothing, but becomes a line
 * of `untidied` that begins with `what`.
 */
export function tidy(untidied: string[], what: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    untidied.push(`${what} (${error.message}).`);
  }
}

/** Removes a file, a link or a folder that may be there, now or with the next build. */
export function remove(path: string, untidied: string[]): void {
  tidy(untidied, `${path} could not be removed; the next build tries again`, () => {
    rmSync(path, { recursive: true, force: true });
  });
}
