/** Programs that run to their end, in turn, round after round, so that a slow minute slows them all. */
import type { Measured } from "./measure.js";
import { fixed } from "./report.js";

export interface Contestant {
  name: string;
  /** Not timed. */
  prepare?(): void;
  run(): Promise<Measured>;
}

/** What became of one contestant: a figure a round. */
export interface Outcome {
  name: string;
  rounds: readonly Measured[];
}

export async function race(
  contestants: readonly Contestant[],
  rounds: number,
  say: (line: string) => void,
): Promise<Outcome[]> {
  const outcomes = contestants.map(({ name }) => ({ name, rounds: [] as Measured[] }));
  for (let round = 1; round <= rounds; round++) {
    say(`  round ${round} of ${rounds}`);
    for (const [at, { prepare, run }] of contestants.entries()) {
      prepare?.();
      outcomes[at]?.rounds.push(await run());
    }
  }
  return outcomes;
}

/** Smallest, middle and largest of some figures. */
export function spread(figures: readonly number[]): { min: number; median: number; max: number } {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { min: at(0), median: at(Math.floor((sorted.length - 1) / 2)), max: at(sorted.length - 1) };
}

/** Middle of the seconds of all rounds. */
export function secondsOf(outcome: Outcome | undefined): number {
  return spread(outcome?.rounds.map(({ seconds }) => seconds) ?? []).median;
}

/** Most memory of all rounds, in bytes. */
export function memoryOf(outcome: Outcome | undefined): number {
  return Math.max(...(outcome?.rounds.map(({ memory }) => memory) ?? [Number.NaN]));
}

/** How many times the seconds of another it took: the median of the rounds' ratios, since rounds have good and bad minutes. */
export function timesOf(
  outcome: Outcome | undefined,
  other: Outcome | undefined,
  figure: "seconds" | "cpu" = "seconds",
): number {
  const ratios = outcome?.rounds.map((own, round) => own[figure] / (other?.rounds[round]?.[figure] ?? Number.NaN));
  return spread(ratios ?? []).median;
}

/** How many seconds more than another it took: the median of the rounds' differences. */
export function secondsBeyond(outcome: Outcome | undefined, other: Outcome | undefined): number {
  const more = outcome?.rounds.map(({ seconds }, round) => seconds - (other?.rounds[round]?.seconds ?? Number.NaN));
  return spread(more ?? []).median;
}

/** Columns for `outcomeCells`. */
export const OUTCOME_HEAD = ["seconds (median)", "min-max", "CPU seconds", "peak memory, MB"] as const;

export function outcomeCells({ rounds }: Outcome): string[] {
  const { min, median, max } = spread(rounds.map(({ seconds }) => seconds));
  const cpu = spread(rounds.map((round) => round.cpu)).median;
  const memory = Math.max(...rounds.map((round) => round.memory));
  return [fixed(median), `${fixed(min)}-${fixed(max)}`, fixed(cpu), fixed(memory / 1e6)];
}
