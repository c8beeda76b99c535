/** What stops a publish, as lines to act on. */
import { basename } from "node:path";
import { explainRefusal, isMissing, isSystemError, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";

export function damaged(folder: string, path: string): UserError {
  return new UserError(
    `Release ${basename(folder)} is damaged: ${path} does not match its digest. Build again, or publish another one with --release.`,
  );
}

/** An error of the system while `name` was being written, as one line; what is none is returned as it is. */
export function explainPut(name: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  // Node's recursive mkdir says that a path is missing where the disk is read-only, too.
  const why = explainRefusal(error, "another one", isMissing(error) ? findRefusal(name) : undefined);
  return new UserError(`Cannot write ${name}: ${why}, then run this again: it goes on where it stopped.`, {
    cause: error,
  });
}
