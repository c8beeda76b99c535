/** Runs programs alternately, in rounds, so that a slow machine affects all of them. */
import { say } from "./processes.js";

export interface Bench {
  users: number;
  rounds: number;
  /** This checkout, and the baseline if given. */
  rollcalls: readonly { name: string; cli: string }[];
  /** An empty folder, removed after the part. */
  folder: string;
}

export interface Contestant<Figure extends string> {
  name: string;
  /** Preparation, which is not measured. */
  prepare?(): void;
  run(): Promise<Readonly<Record<Figure, number>>>;
}

export interface Row {
  name: string;
  /** Figures by column title. */
  cells: Readonly<Record<string, string>>;
}

/** Measures each contestant once in each round. @param ratios figures to divide by those of the contestant `to`. */
export async function inTurns<Figure extends string>(
  contestants: readonly Contestant<Figure>[],
  rounds: number,
  { ratios, to }: { ratios: readonly Figure[]; to: string },
): Promise<Row[]> {
  const results = new Map(contestants.map(({ name }) => [name, [] as Readonly<Record<Figure, number>>[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const { name, prepare, run } of contestants) {
      say(`  ${round} of ${rounds}: ${name}`);
      prepare?.();
      results.get(name)?.push(await run());
    }
  }
  return [...results].map(([name, own]) => {
    const other = results.get(to);
    const figures = Object.keys(own[0] ?? {}) as Figure[];
    return {
      name,
      cells: Object.fromEntries([
        ...figures.map((figure) => [figure, spread(own.map((one) => one[figure]))]),
        ...ratios.map((figure) => [
          `${figure} / ${to.replace(/^.*: /, "")}`,
          spread(own.map((one, round) => one[figure] / (other?.[round]?.[figure] ?? Number.NaN))),
        ]),
      ]),
    };
  });
}

/** Formats the median, and minimum and maximum. */
function spread(figures: readonly number[]): string {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least, median, most] = [0, (sorted.length - 1) / 2, sorted.length - 1].map((at) =>
    format(sorted[at | 0] ?? 0),
  );
  return least === most ? `${median}` : `${median} (${least}-${most})`;
}

/** Formats with at least three digits: `0.84`, `12.3`, `1,204`. */
function format(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
