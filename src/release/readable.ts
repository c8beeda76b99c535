/** Whether users other than the owner can read a release, as a web server that runs as a user of its own must. */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../print/text.js";

/** The bits of a mode that let other users read a file, and pass through a folder. */
const [READ, PASS] = [0o4, 0o1];

/**
 * Only modes are looked at: a group or an access list may let a server in all the same.
 * @param folder absolute, with all links resolved.
 * @param files relative to it.
 * @returns the first path that stops other users and what mends it; undefined where nothing does.
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
  const known = new Set<string>();
  for (const path of files) {
    for (const parent of [".", ...foldersAbove(path)]) {
      if (known.has(parent)) continue;
      if (!allows(join(folder, parent), PASS)) return join(folder, parent);
      known.add(parent);
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

/** What is gone by now stops nobody; other checks look for it. */
function allows(path: string, bit: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & bit) !== 0;
}
