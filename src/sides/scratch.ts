/** A folder for what has to be written to compare, among the system's temporary files. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, hasCode, UserError } from "../errors.js";
import { showInUse, sweepTemporary } from "./temporary.js";

/**
 * Makes a folder, after what others have left that were killed is gone.
 * @throws UserError where no folder can be made.
 */
export async function makeScratch(): Promise<string> {
  await sweepTemporary();
  try {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-diff-"));
    await showInUse(folder);
    return folder;
  } catch (cause) {
    throw new UserError(
      `The folder for temporary files, ${tmpdir()}, cannot be written to (${codeOf(cause)}); point TMPDIR at one that can.`,
      { cause },
    );
  }
}

/**
 * Removes a folder that threads may still be writing to, unless it is gone: out of their way first, so that nothing is
 * added under way.
 */
export function removeScratch(folder: string): void {
  if (!existsSync(folder)) return;
  const aside = `${folder}-gone`;
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** The system's refusal for want of room as one line to act on; anything else as it is. */
export function explainRoom(error: unknown): unknown {
  const cause = error instanceof UserError ? error.cause : error;
  if (!hasCode(cause, "ENOSPC", "EDQUOT", "SQLITE_FULL")) return error;
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has too little room to compare in (${codeOf(cause)}); point TMPDIR at one with more.`,
    { cause: error },
  );
}
