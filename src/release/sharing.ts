/** Permissions for other users: a group may write one `dist` together, and a web server has to read a release. */
import { accessSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode, UserError } from "../errors.js";
import { shellWord } from "../print/text.js";
import { closing } from "./plain-files.js";

/**
 * Makes a folder, unless it exists, in which the same users may write as in `parent`, whatever the umask.
 * @throws UserError if a link or a file is in its place.
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

/** @throws UserError if a file or a folder belongs to another user and this user may not write it. */
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

/** The bits of a mode that let other users read a file, and pass through a folder. */
const [READ, PASS] = [0o4, 0o1];

/**
 * Finds what keeps other users, such as a web server, from reading a release. Looks only at modes: a group or an access list may
 * let a server in all the same.
 * @param folder absolute, with all links resolved.
 * @param files relative to it.
 * @returns the first path that other users cannot read, and how to mend it; undefined if they can read all.
 */
export function findUnreadable(folder: string, files: Iterable<string>): string | undefined {
  const above = foldersAbove(folder).filter((path) => !allows(path, PASS));
  const inside = findInside(folder, files);
  const first = above[0] ?? inside;
  if (first === undefined) return undefined;
  const mend = [
    ...(above.length > 0 ? [`chmod o+x ${above.map(shellWord).join(" ")}`] : []),
    ...(inside === undefined ? [] : [`chmod -R o+rX ${shellWord(folder)}`]),
  ];
  return `other users cannot read ${first}, so a web server with a user of its own answers 500; to mend it: ${mend.join(" && ")}`;
}

function findInside(folder: string, files: Iterable<string>): string | undefined {
  const passed = new Set<string>();
  for (const path of files) {
    for (const parent of [".", ...foldersAbove(path)]) {
      if (!passed.has(parent) && !allows(join(folder, parent), PASS)) return join(folder, parent);
      passed.add(parent);
    }
    if (!allows(join(folder, path), READ)) return join(folder, path);
  }
  return undefined;
}

/** From the outermost to the one that the path is in. */
function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === "." ? [] : [...foldersAbove(parent), parent];
}

/** True also for a path that is gone: other checks look for it. */
function allows(path: string, bit: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & bit) !== 0;
}
