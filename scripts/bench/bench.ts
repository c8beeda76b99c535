/** What every part of the benchmark is given, and gives back. */
import type { Findings } from "./report.js";
import type { Sources } from "./sources.js";

export interface Bench {
  /** Small sources and one round: shows that it works, not how fast. */
  isQuick: boolean;
  /** Sizes of sources, where the part's own are not wanted. */
  users: readonly number[] | undefined;
  /** Rounds, where the part's own are not wanted. */
  rounds: number | undefined;
  sources: Sources;
  /** A folder of this run's own; a memory file system keeps the disk out of the figures. */
  folder: string;
  /** The same on a disk. */
  disk: string;
  /** Whether npm may be asked for hosts to compare with. */
  installsHosts: boolean;
  say(line: string): void;
}

export type Part = (bench: Bench) => Promise<Findings>;
