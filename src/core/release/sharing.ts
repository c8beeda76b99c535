/** File permissions for other users: a group may write one `dist`, and a web server must be able to read releases. */
import { accessSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode, UserError } from "../errors.js";
import { shellWord } from "../print/text.js";
import { closing } from "./plain-files.js";

/**
 * Makes a folder, unless it exists, with the same write permissions as `parent`, whatever the umask.
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

/** The mode bits of the group and of others, for those who may write. */
function writersOf(mode: number): number {
  return (mode & 0o020 ? mode & 0o070 : 0) | (mode & 0o002 ? mode & 0o007 : 0);
}

/** Creates an empty lock file, unless it exists, which the users who may write its folder can write. */
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
    const owner = lstatSync(path).uid;
    const me = process.getuid?.();
    if (!hasCode(error, "EACCES") || owner === me) throw error;
    throw new UserError(
      `${path} belongs to user ${owner}, and user ${me} may not write it; run this as user ${owner}, or have them share it: chmod g+w ${path}. Nothing was written.`,
      { cause: error },
    );
  }
}

/** The mode bit that lets other users read a file. */
const READ = 0o4;
/** The mode bit that lets other users enter a folder. */
const PASS = 0o1;

/**
 * Finds a path of a release that other users, such as a web server's, cannot read. Looks only at modes: a group or an
 * access list may still allow it.
 * @param folder absolute, with all links resolved.
 * @param files relative to it.
 * @returns a message with the first such path and the commands that fix it; undefined if other users can read everything.
 */
export function findUnreadable(folder: string, files: Iterable<string>): string | undefined {
  const above = foldersAbove(folder).filter((path) => !allows(path, PASS));
  const inside = findInside(folder, files);
  const first = above[0] ?? inside;
  if (first === undefined) return undefined;
  const fix = [
    ...(above.length > 0 ? [`chmod o+x ${above.map(shellWord).join(" ")}`] : []),
    ...(inside === undefined ? [] : [`chmod -R o+rX ${shellWord(folder)}`]),
  ];
  return `other users cannot read ${first}, so a web server that runs as another user answers 500; to fix it: ${fix.join(" && ")}`;
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

/** All parent folders of a path, outermost first. */
function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === "." ? [] : [...foldersAbove(parent), parent];
}

/** True also for a path that does not exist: other checks report that. */
function allows(path: string, bit: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & bit) !== 0;
}
