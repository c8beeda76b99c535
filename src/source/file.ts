/** A path may lead to another file when it is opened again, and a copy over a file changes it while it is read. */
import { accessSync, type BigIntStats, constants, fstatSync, readSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, UserError, unreadable } from "../errors.js";
import { findDescriptors, isSameFile, isUnwritten } from "./descriptors.js";
import { DB_PURPOSE, overwritten, reading } from "./errors.js";

/** Opens a connection that never writes. @param wait milliseconds to wait for another process's lock. */
export function connect(path: string, wait: number): Database.Database {
  return new Database(resolve(path), { readonly: true, fileMustExist: true, timeout: wait });
}

/** Whether another process holds a lock. */
export function isLocked(error: unknown): boolean {
  return codeOf(error)?.startsWith("SQLITE_BUSY") ?? false;
}

/** Where a SQLite file says whether it has a write-ahead log: two bytes, each 1 for no or 2 for yes. */
const VERSIONS = { at: 18, bytes: 2 };
/** Where a log's index says how many entries are committed, copied to the file, and begun to be copied (SQLite's WAL format, 2.3). */
const [COMMITTED, COPIED, COPYING] = [16, 96, 128];

/** Several connections open this file by its path. While it is open here, no other file can get its inode. */
export class SourceFile {
  /** SQLite's own descriptor, to read bytes at given positions. Undefined where the system does not list descriptors. */
  readonly descriptor: number | undefined;
  readonly log: string;
  readonly #path: string;
  readonly #detector: Database.Database;
  readonly #version: Database.Statement;
  #noted: { stats: BigIntStats; version: unknown };
  #isNotedFirst = false;
  #copied: number | undefined;

  /** @throws UserError when there is no file with anything in it that this user may read. */
  constructor(path: string) {
    this.#path = path;
    const stats = requireFile(path);
    this.log = `${realpathSync(path)}-wal`;
    const before = findDescriptors(stats) ?? [];
    this.#detector = connect(path, 0);
    const after = findDescriptors(stats) ?? [];
    this.descriptor = after.find((descriptor) => !before.includes(descriptor)) ?? after[0];
    this.#noted = { stats, version: undefined };
    try {
      // The detector never begins a transaction, so its version changes with every commit of another connection.
      this.#version = this.#detector.prepare("PRAGMA data_version").pluck();
    } catch (error) {
      this.#detector.close();
      throw error;
    }
  }

  /** Remembers the state of the file. @param hasBegun whether connections have begun to read already. */
  note({ hasBegun = false } = {}): void {
    this.#isNotedFirst = !hasBegun;
    this.#noted = { stats: this.#look() ?? this.#noted.stats, version: this.#commits() };
  }

  /**
   * Whether the path leads to this file, and so many connections besides the detector have it open. A connection that was
   * opened while the path briefly led elsewhere has no descriptor of this file. That is not noticed where the system lists
   * no descriptors, or while another build in this process reads the file.
   */
  isOne(connections: number): boolean {
    const found = this.#find();
    if (!found || !isSameFile(found, this.#noted.stats)) return false;
    const descriptors = findDescriptors(found);
    return descriptors === undefined || descriptors.length > connections;
  }

  /** Whether the path leads to this file, and nobody has written to it since `note`. */
  isStill(): boolean {
    const found = this.#find();
    return found !== undefined && isSameFile(found, this.#noted.stats) && isUnwritten(found, this.#noted.stats);
  }

  /** Whether so many connections, which have all begun since `note`, see this file at one point in time. */
  isAsNoted(connections: number): boolean {
    // Before the last look at the file: what is copied after it shows as more copied than now.
    this.#copied = this.#readIndex(COPIED);
    const version = this.#commits();
    return version !== undefined && version === this.#noted.version && this.isStill() && this.isOne(connections);
  }

  /** How many entries of the log the connections see; undefined when that cannot be known. */
  seenOfLog(): number | undefined {
    const version = this.#commits();
    if (!this.#isNotedFirst || version === undefined || version !== this.#noted.version) return undefined;
    return this.#readIndex(COMMITTED);
  }

  /** @throws UserError when something other than SQLite itself, from its log, has written to the file meanwhile. */
  requireUntouched(): void {
    if (reading(this.#path, () => this.#isOverwritten())) throw overwritten(this.#path);
  }

  #isOverwritten(): boolean {
    const [now, found] = [this.#look(), this.#find()];
    if (!now) return false;
    const isMoved = found === undefined || !isSameFile(found, now);
    if (isUnwritten(now, this.#noted.stats, isMoved)) return false;
    return (this.#readIndex(COPYING) ?? 0) <= (this.#copied ?? 0);
  }

  /** @throws UserError when the log beside the file belongs to another file: SQLite would mix the two. */
  requireOwnLog(): void {
    const versions = Buffer.alloc(VERSIONS.bytes);
    if (this.descriptor !== undefined) readSync(this.descriptor, versions, 0, VERSIONS.bytes, VERSIONS.at);
    if (!versions.every((version) => version === 1)) return;
    if ((statSync(this.log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
    throw new UserError(
      `${this.log} is no log of ${this.#path}, but of another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${this.log} and its -shm, then run this again.`,
    );
  }

  close(): void {
    this.#detector.close();
  }

  #commits(): unknown {
    try {
      return this.#version.get();
    } catch (error) {
      if (isLocked(error)) return undefined;
      throw error;
    }
  }

  #find(): BigIntStats | undefined {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false });
  }

  /** The state of this file, wherever the path leads. */
  #look(): BigIntStats | undefined {
    if (this.descriptor !== undefined) return fstatSync(this.descriptor, { bigint: true });
    const found = this.#find();
    return found && isSameFile(found, this.#noted.stats) ? found : undefined;
  }

  /** A number from the log's index, in the machine's byte order; undefined where there is none, or it cannot be read. */
  #readIndex(position: number): number | undefined {
    const stats = statSync(this.log.replace(/wal$/, "shm"), { bigint: true, throwIfNoEntry: false });
    const descriptor = stats && findDescriptors(stats)?.[0];
    if (descriptor === undefined) return undefined;
    const number = new Uint32Array(1);
    readSync(descriptor, number, { position });
    return number[0];
  }
}

/** Names common mistakes, for which SQLite would only say "unable to open database file". */
function requireFile(path: string): BigIntStats {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw unreadable(path, DB_PURPOSE, cause);
  }
  if (stats.isFile() && stats.size > 0) return stats;
  const what = stats.isDirectory() ? "a folder" : stats.isFile() ? "empty (0 bytes)" : "a device or pipe";
  throw new UserError(`${path} is ${what}; ${DB_PURPOSE}.`);
}
