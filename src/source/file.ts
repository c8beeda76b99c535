/**
 * The one file of a build. Whoever exports a database delivers it by rename, so a path that is opened twice can be two
 * files; and whoever copies over it changes it under its readers.
 */
import { accessSync, type BigIntStats, constants, fstatSync, readSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, UserError, unreadable } from "../errors.js";
import { findDescriptors, isSameFile, isUnwritten } from "./descriptors.js";
import { DB_PURPOSE, overwritten, reading } from "./errors.js";

/** Opens a connection that never writes; `wait` is how long another process's lock is waited for, in milliseconds. */
export function connect(path: string, wait: number): Database.Database {
  return new Database(resolve(path), { readonly: true, fileMustExist: true, timeout: wait });
}

/** Whether an error says that another process's lock is in the way. */
export function isLocked(error: unknown): boolean {
  return codeOf(error)?.startsWith("SQLITE_BUSY") ?? false;
}

/** The two bytes of a SQLite file that say whether it has a write-ahead log: 1 for no, 2 for yes. */
const VERSIONS = { at: 18, bytes: 2 };
/** Where a log's index says how many of its entries are committed, and how many SQLite has copied to the file, and has begun to (SQLite's WAL format, 2.3). */
const COMMITTED = 16;
const COPIED = 96;
const COPYING = 128;

/**
 * A file that is read by several connections, each of which opens it by its path. While this is open, the system gives
 * the file's inode to no other file, so that device and inode tell it from every other.
 */
export class SourceFile {
  /** To read the file's bytes by, at given positions: SQLite's own. Undefined where the system does not list descriptors. */
  readonly descriptor: number | undefined;
  /** The path of the file's write-ahead log, whether there is one or not. */
  readonly log: string;
  readonly #path: string;
  readonly #index: string;
  readonly #detector: Database.Database;
  readonly #version: Database.Statement;
  #noted: { stats: BigIntStats; version: unknown };
  #isNotedFirst = false;
  #copied: number | undefined;

  /** @throws UserError when there is no file with anything in it that this user may read. */
  constructor(path: string) {
    this.#path = path;
    const stats = requireFile(path);
    const real = realpathSync(path);
    this.log = `${real}-wal`;
    this.#index = `${real}-shm`;
    const before = findDescriptors(stats) ?? [];
    this.#detector = connect(path, 0);
    const after = findDescriptors(stats) ?? [];
    this.descriptor = after.find((descriptor) => !before.includes(descriptor)) ?? after[0];
    this.#noted = { stats, version: undefined };
    try {
      // It never begins a transaction: its version moves with every commit of anybody else.
      this.#version = this.#detector.prepare("PRAGMA data_version").pluck();
    } catch (error) {
      this.#detector.close();
      throw error;
    }
  }

  /** Remembers the file as it is now: before connections begin, unless they have begun already. */
  note({ hasBegun = false } = {}): void {
    this.#isNotedFirst = !hasBegun;
    this.#noted = { stats: this.#look() ?? this.#noted.stats, version: this.#commits() };
  }

  /**
   * Whether the path leads to this file, and so many connections besides its own have it open. A connection that was
   * opened while the path led elsewhere for a moment has no descriptor of it. Where the system lists no descriptors,
   * that moment is not seen; nor while others of this process read the same file.
   */
  isOne(connections: number): boolean {
    const found = this.#find();
    if (!found || !isSameFile(found, this.#noted.stats)) return false;
    const descriptors = findDescriptors(found);
    return descriptors === undefined || descriptors.length > connections;
  }

  /** Whether the path leads to this file, and it has not been written to since it was noted. */
  isStill(): boolean {
    const found = this.#find();
    return found !== undefined && isSameFile(found, this.#noted.stats) && isUnwritten(found, this.#noted.stats);
  }

  /** Whether so many connections, all of which have begun since the file was noted, see this file at one point in time. */
  isAsNoted(connections: number): boolean {
    // Before the last look at the file: what is copied after it shows as more copied than now.
    this.#copied = this.#readIndex(COPIED);
    const version = this.#commits();
    return version !== undefined && version === this.#noted.version && this.isStill() && this.isOne(connections);
  }

  /**
   * How many entries of the log connections see, if it holds no more than that: undefined when somebody has committed
   * since they began, or that cannot be known.
   */
  seenOfLog(): number | undefined {
    const version = this.#commits();
    if (!this.#isNotedFirst || version === undefined || version !== this.#noted.version) return undefined;
    return this.#readIndex(COMMITTED);
  }

  /**
   * Connections keep writers from the file: only in WAL mode may SQLite write to it, out of the log, what those connections
   * see already, and it says so in the log's index.
   * @throws UserError when the file is not as it was when connections began, for any other reason.
   */
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

  /** @throws UserError when a log lies beside a file that has none: SQLite would mix that of another file into it. */
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

  /** A number that is the same again only if nobody has committed in between; undefined while somebody does. */
  #commits(): unknown {
    try {
      return this.#version.get();
    } catch (error) {
      if (isLocked(error)) return undefined;
      throw error;
    }
  }

  /** What the path leads to now. */
  #find(): BigIntStats | undefined {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false });
  }

  /** What this file is now, wherever the path leads. */
  #look(): BigIntStats | undefined {
    if (this.descriptor !== undefined) return fstatSync(this.descriptor, { bigint: true });
    const found = this.#find();
    return found && isSameFile(found, this.#noted.stats) ? found : undefined;
  }

  /** A number of the log's index, in the machine's byte order; undefined where there is none, or it cannot be read. */
  #readIndex(position: number): number | undefined {
    const stats = statSync(this.#index, { bigint: true, throwIfNoEntry: false });
    const descriptor = stats && findDescriptors(stats)?.[0];
    if (descriptor === undefined) return undefined;
    const number = new Uint32Array(1);
    readSync(descriptor, number, { position });
    return number[0];
  }
}

/** Names the plain mistakes, which SQLite would all call "unable to open database file". */
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
