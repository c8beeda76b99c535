/** Tells a SQLite file from others. */
import { closeSync, openSync, readSync } from "node:fs";

/** What every SQLite file begins with. */
const MAGIC = "SQLite format 3\0";

export function isSqlite(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(file, bytes);
    return bytes.toString("latin1") === MAGIC;
  } finally {
    closeSync(file);
  }
}
