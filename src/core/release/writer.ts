/** Writes files atomically, and never through a symbolic link. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hasCode, UserError } from "../errors.js";
import { closing } from "./plain-files.js";

/** A new file that is hashed while it is written. Close it in a `finally`. */
export class DigestedFile {
  /** Number of bytes written. */
  bytes = 0;
  #file: number | undefined;
  readonly #hash = createHash("sha256");

  /**
   * @param onFinish gets the digest once the file is flushed and closed.
   * @throws the system's errors, also if anything exists at this path: flag "x" does not follow links.
   */
  constructor(
    path: string,
    private readonly onFinish = (_digest: string) => {},
  ) {
    this.#file = openSync(path, "wx");
  }

  write(content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    writeFileSync(this.#file ?? -1, bytes);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }

  flush(): void {
    fsyncSync(this.#file ?? -1);
  }

  /** Flushes and closes the file. @returns the digest of all its bytes. */
  finish(): string {
    this.flush();
    this.close();
    const digest = this.#hash.digest("hex");
    this.onFinish(digest);
    return digest;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** The temporary path of a file that will be renamed to `path`. */
export function asidePath(path: string): string {
  return `${path}.rollcall-new`;
}

/** A file that is written to a temporary path, flushed, and renamed over the file or link at its path. */
export class AsideFile extends DigestedFile {
  #isInPlace = false;

  /** Creates the temporary file, and removes one that a killed run has left. */
  constructor(
    path: string,
    private readonly aside = asidePath(path),
  ) {
    rmSync(aside, { force: true });
    super(aside, () => {
      renameSync(aside, path);
      this.#isInPlace = true;
    });
  }

  /** Removes the temporary file unless it was finished. Call it in a `finally`. */
  discard(): void {
    this.close();
    if (!this.#isInPlace) rmSync(this.aside, { force: true });
  }
}

/** Replaces a small file atomically, see `AsideFile`. @throws as `replaceFiles` does. */
export function replaceFile(path: string, content: string | Uint8Array, aside = asidePath(path)): void {
  // Another program may have put a folder there.
  rmSync(aside, { recursive: true, force: true });
  replaceFiles([[path, content, aside]]);
}

/**
 * Replaces several files. All are flushed before the first one is renamed.
 * @throws UserError if one of the paths is a folder; the system's errors.
 */
export function replaceFiles(
  contents: readonly (readonly [path: string, content: string | Uint8Array, aside?: string])[],
): void {
  const files: AsideFile[] = [];
  try {
    for (const [path, content, aside] of contents) {
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw new UserError(`${path} is a folder, where a file belongs; move it away, then run this again.`);
      const file = new AsideFile(path, aside);
      files.push(file);
      file.write(content);
      file.flush();
    }
    for (const file of files) file.finish();
  } finally {
    for (const file of files) file.discard();
  }
}

/** Writes a new file and flushes it. */
export function writeFlushedSync(path: string, parts: Iterable<string | Uint8Array>): void {
  closing(openSync(path, "wx"), (file) => {
    for (const part of parts) writeFileSync(file, part);
    fsyncSync(file);
  });
}

/** Error codes of file systems without hard links, and of a file that cannot have more links. */
const CANNOT_LINK: readonly string[] = ["EMLINK", "EXDEV", "EPERM", "ENOTSUP", "ENOSYS"];

/** Makes a hard link. @returns false if the file system cannot. */
export function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, ...CANNOT_LINK)) return false;
    throw error;
  }
}

/** Flushes a folder's entries to the disk. */
export function flushFolder(path: string): void {
  closing(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY), fsyncSync);
}
