/**
 * Detects changes of files by polling with `stat`, which works for every writer and file system. The system's notifications
 * miss changes from other machines, and of some writers.
 */
import { EventEmitter, once } from "node:events";
import { unwatchFile, watchFile } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** An input file of a release, whether it exists or not. */
export interface Watched {
  path: string;
  isDatabase: boolean;
}

/** Milliseconds between two polls. */
const POLL_MS = 200;
/** Milliseconds of pause after which a writer counts as done. */
const PAUSE_MS = 300;
/** Maximum pauses to wait for a writer that does not pause. */
const MOST_PAUSES = 7;

/** Suffixes of a database's log, which may have commits that the file does not, and of its journal, which exists during a commit. */
const BESIDE = ["-wal", "-journal"];

/** Watches files, any of which may be missing. Opens none: closing a database's file would release SQLite's locks. */
export class Watcher {
  readonly #watched = new Map<string, () => void>();
  readonly #changes = new EventEmitter();
  /** The paths of files that have changed since the last call of `whenChanged`. */
  #changed = new Set<string>();

  /** Watches these files from now on, and no others. */
  async watch(files: readonly Watched[]): Promise<void> {
    const targets = (await Promise.all(files.map(targetsOf))).flat();
    for (const [target, stop] of this.#watched) if (!targets.some((one) => one.target === target)) stop();
    for (const { target, path, isBeside } of targets) if (!this.#watched.has(target)) this.#add(target, path, isBeside);
    // Polling compares with the `stat` that it makes first, which ends before one that is asked for later.
    await Promise.all(targets.map(({ target }) => stat(target).catch(() => undefined)));
  }

  /** Waits until files have changed, and their writer has paused. @returns the paths of the changed files. @throws the reason of `signal`. */
  async whenChanged(signal: AbortSignal | undefined): Promise<string[]> {
    try {
      if (this.#changed.size === 0) await once(this.#changes, "change", { signal });
      for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
        let isPaused = true;
        const onChange = () => {
          isPaused = false;
        };
        this.#changes.once("change", onChange);
        await setTimeout(PAUSE_MS, undefined, { signal });
        this.#changes.off("change", onChange);
        if (isPaused) break;
      }
    } catch (error) {
      // Throw the signal's reason instead of the timer's error.
      signal?.throwIfAborted();
      throw error;
    }
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  close(): void {
    for (const stop of this.#watched.values()) stop();
  }

  #add(target: string, path: string, isBeside: boolean): void {
    const onPoll = (now: { size: bigint; ino: bigint }, before: { size: bigint; ino: bigint }) => {
      // A missing file has zeros. An empty log counts as missing: readers also create and remove it.
      if (now.size === 0n && before.size === 0n && (isBeside || now.ino === before.ino)) return;
      this.#changed.add(path);
      this.#changes.emit("change");
    };
    watchFile(target, { interval: POLL_MS, bigint: true }, onPoll);
    this.#watched.set(target, () => {
      unwatchFile(target, onPoll);
      this.#watched.delete(target);
    });
  }
}

/** The files to poll for one: itself, and the log and journal of a database, beside the file that a link leads to. */
async function targetsOf({ path, isDatabase }: Watched) {
  const self = { target: path, path, isBeside: false };
  if (!isDatabase) return [self];
  // Reading the file later reports a broken link.
  const real = await realpath(path).catch(() => path);
  return [self, ...BESIDE.map((ending) => ({ target: real + ending, path, isBeside: true }))];
}
