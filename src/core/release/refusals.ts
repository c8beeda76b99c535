/** Explains system errors from writing. */
import { accessSync, constants, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, explainRefusal, isMissing, isSystemError, reasonOf, UserError } from "../errors.js";

/** Codes that Node's recursive mkdir and SQLite also report for read-only disks. */
const VAGUE = /^(ENOENT|SQLITE_CANTOPEN|SQLITE_READONLY)/;

/** The system's error code if a folder, or its nearest existing parent, cannot be written; undefined if it can. */
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

/** What messages about a path that cannot be written say: what the user can name instead, and how they end. */
interface WriteWords {
  another: string;
  end: string;
}

const DIST_WORDS: WriteWords = { another: "another folder with --dist", end: ". The current release is unchanged." };

/** Turns an error of the system or SQLite from writing `path` into a UserError with advice. Returns other errors as they are. */
export function explainWrite(path: string, error: unknown, { another, end } = DIST_WORDS): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const said = codeOf(error) ?? "";
  const code = VAGUE.test(said) ? (findRefusal(path) ?? said) : said;
  if (!code.startsWith("SQLITE_") && !isSystemError(error)) return error;
  const why = explainRefusal(error, another, code);
  return new UserError(`Cannot write ${path}: ${why}, then run this again${end}`, { cause: error });
}

/**
 * Runs a step after a switch. An error of the system or of SQLite does not fail the run: it adds a line to `untidied` that
 * begins with `what`.
 */
export function tidy(untidied: string[], what: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    noteUntidied(untidied, what, error);
  }
}

/** Does the same with a step that takes time. @returns its result; `otherwise` if it failed */
export async function tidily<T>(untidied: string[], what: string, otherwise: T, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    noteUntidied(untidied, what, error);
    return otherwise;
  }
}

function noteUntidied(untidied: string[], what: string, error: unknown): void {
  const isForeseen = isSystemError(error) || codeOf(error)?.startsWith("SQLITE_");
  if (!(error instanceof Error) || !isForeseen) throw error;
  untidied.push(`${what} (${reasonOf(error)}).`);
}

/** Removes a file or folder as `tidy` does: a failure adds a line to `untidied`. */
export function remove(path: string, untidied: string[]): void {
  tidy(untidied, `${path} could not be removed; the next build tries again`, () => {
    rmSync(path, { recursive: true, force: true });
  });
}
