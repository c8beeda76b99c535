/** Writes files so that nobody ever finds half of one, and nothing is written through a symbolic link. */
import {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writevSync,
} from "node:fs";
import { promisify } from "node:util";
import { hasCode, UserError } from "../errors.js";
import { closing } from "./files.js";

const flush = promisify(fsync);

export function asidePath(path: string): string {
  return `${path}.rollcall-new`;
}

/** Written aside, flushed, and put in its place by one rename, over any file or link that is there. */
export class AsideFile {
  #file: number | undefined;

  /** Creates the file aside, and removes what a killed run may have left there. */
  constructor(
    private readonly path: string,
    private readonly aside = asidePath(path),
  ) {
    rmSync(aside, { force: true });
    // "x" fails on anything that is there by now, so no link is followed.
    this.#file = openSync(aside, "wx");
  }

  write(content: string | Uint8Array): void {
    writeFileSync(this.#file ?? -1, content);
  }

  /** Brings the file to the disk, where it still is aside. */
  flush(): void {
    fsyncSync(this.#file ?? -1);
  }

  /** Puts the file in its place. When that fails, nothing of it is left. */
  finish(): void {
    try {
      this.flush();
      this.#close();
      renameSync(this.aside, this.path);
    } catch (error) {
      this.#close();
      rmSync(this.aside, { force: true });
      throw error;
    }
  }

  discard(): void {
    if (this.#file === undefined) return;
    this.#close();
    rmSync(this.aside, { force: true });
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Writes a small file of Rollcall's own over the one that may be there, see `AsideFile`. */
export function replaceFile(path: string, content: string | Uint8Array, aside = asidePath(path)): void {
  // Somebody may have put a folder there.
  rmSync(aside, { recursive: true, force: true });
  const file = new AsideFile(path, aside);
  try {
    file.write(content);
    file.finish();
  } catch (error) {
    file.discard();
    throw error;
  }
}

/**
 * Writes several files as `replaceFile` writes one. Nothing is in its place before everything is on the disk.
 * @throws UserError when a folder is in the place of one; the system's errors otherwise.
 */
export function replaceFiles(contents: readonly (readonly [path: string, content: string])[]): void {
  const files: AsideFile[] = [];
  try {
    for (const [path, content] of contents) {
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw new UserError(`${path} is a folder, where a file is to be written; move it away, then run this again.`);
      const file = new AsideFile(path);
      files.push(file);
      file.write(content);
      file.flush();
    }
    for (const file of files) file.finish();
  } catch (error) {
    for (const file of files) file.discard();
    throw error;
  }
}

/** Writes a new file from several parts and flushes it, synchronously. */
export function writeFlushedSync(path: string, parts: readonly Uint8Array[]): void {
  closing(openSync(path, "wx"), (file) => {
    writeParts(file, parts);
    fsyncSync(file);
  });
}

function writeParts(file: number, parts: readonly Uint8Array[]): void {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const written = writevSync(file, parts);
  // The system may write less than it is given, for example when the disk is nearly full.
  if (written < bytes) writeFileSync(file, Buffer.concat(parts).subarray(written));
}

/** Files that each thread has open at once while the disk takes them: some systems allow a process few, and it may have many threads. */
const MOST_UNFLUSHED = 16;

/** New files that are flushed while the next ones are made: a thread that waits for the disk after each one does nothing else. */
export class FlushedFiles {
  readonly #waiting = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** Writes a file as `writeFlushedSync` does, but may return before it is on the disk. @throws also what befell a file before. */
  write(path: string, parts: readonly Uint8Array[]): void {
    if (this.#failure) throw this.#failure.error;
    if (this.#waiting.size >= MOST_UNFLUSHED) {
      writeFlushedSync(path, parts);
      return;
    }
    const file = openSync(path, "wx");
    try {
      writeParts(file, parts);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    const flushed = flush(file)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        closeSync(file);
        this.#waiting.delete(flushed);
      });
    this.#waiting.add(flushed);
  }

  /** To be waited for in a `finally`: then all files are on the disk. @throws the system's first error. */
  async finish(): Promise<void> {
    await Promise.all(this.#waiting);
    if (this.#failure) throw this.#failure.error;
  }
}

/** The errors of file systems without hard links, and of a file that cannot have more of them. */
const CANNOT_LINK: readonly string[] = ["EMLINK", "EXDEV", "EPERM", "ENOTSUP", "ENOSYS"];

/** Makes a hard link. @returns false where that is not possible. */
export function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, ...CANNOT_LINK)) return false;
    throw error;
  }
}

export function flushFolder(path: string): void {
  closing(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY), fsyncSync);
}
