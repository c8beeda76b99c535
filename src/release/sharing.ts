/** Lets several users write one `dist`, for example a group: what one of them makes, the others may write. */
import { accessSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode, UserError } from "../errors.js";
import { closing } from "./files.js";

/**
 * Makes a folder, unless it exists, in which all users may write who may write in `parent`: the process's umask alone
 * would keep out a group. @throws UserError when a link or a file is in its place.
 */
export function makeFolder(parent: string, name: string): string {
  const path = join(parent, name);
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (lstatSync(path).isDirectory()) return path;
    throw new UserError(`${path} is a link or a file, where a folder belongs; move it away.`, { cause: error });
  }
  const writers = writersOf(statSync(parent).mode);
  closing(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), (folder) => {
    const { mode } = fstatSync(folder);
    if ((mode & writers) !== writers) fchmodSync(folder, mode | writers);
  });
  return path;
}

/** The permissions of the group and of others in a folder, where they include writing. */
function writersOf(mode: number): number {
  return (mode & 0o020 ? mode & 0o070 : 0) | (mode & 0o002 ? mode & 0o007 : 0);
}

export function makeLockFile(path: string): void {
  try {
    closing(openSync(path, "wx"), (file) => fchmodSync(file, statSync(dirname(path)).mode & 0o666));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** @throws UserError when a file or a folder belongs to another user and this user may not write it. */
export function requireWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const [owner, me] = [lstatSync(path).uid, process.getuid?.()];
    if (!hasCode(error, "EACCES") || owner === me) throw error;
    throw new UserError(
      `${path} belongs to user ${owner}, and user ${me} may not write it; run this as user ${owner}, or have them share it: chmod g+w ${path}. Nothing was written.`,
      { cause: error },
    );
  }
}
