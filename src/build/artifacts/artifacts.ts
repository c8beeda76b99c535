/** The artifacts of a release, and their mergers. */
import type { GivenViews } from "../../core/contract/views.js";
import { createTurns } from "../../core/workers/turns.js";
import type { Artifact, MergeContext, Merger } from "./artifact.js";

/** Which artifacts a release has, by the settings of its build. */
export type ChosenArtifacts = Partial<Readonly<Record<"bulk" | "csv" | "parquet" | "lookup" | "explorer", boolean>>> & {
  readonly views?: GivenViews;
};

/** Loads the artifacts that settings ask for, in the order in which they are written. */
export async function artifactsOf(chosen: ChosenArtifacts): Promise<readonly Artifact[]> {
  const { bulk, csv, parquet, lookup, explorer, views = {} } = chosen;
  return [
    (await import("./record-list.js")).RECORD_LIST,
    ...(bulk ? [(await import("./bulk.js")).BULK_FILES] : []),
    ...(csv ? [(await import("./bulk.js")).CSV_FILE] : []),
    ...(parquet ? [(await import("./parquet.js")).PARQUET_FILE] : []),
    ...(lookup ? [(await import("./lookup.js")).LOOKUP_FILES] : []),
    ...(explorer ? [(await import("./explorer.js")).EXPLORER_FILES] : []),
    ...(Object.keys(views).length > 0 ? [(await import("./views.js")).viewFiles(views)] : []),
  ];
}

/** The mergers of all artifacts. Close it in a `finally`. */
export class Mergers {
  private constructor(private readonly mergers: readonly (readonly [artifact: Artifact, merger: Merger])[]) {}

  static async start(settings: ChosenArtifacts, context: MergeContext): Promise<Mergers> {
    const artifacts = await artifactsOf(settings);
    return new Mergers(artifacts.map((artifact) => [artifact, artifact.merger(context)]));
  }

  /** Merges the pieces of a batch, one for each artifact. */
  add(pieces: readonly Uint8Array[]): void {
    for (const [at, [, merger]] of this.mergers.entries()) merger.merge(pieces[at] ?? new Uint8Array());
  }

  /** Merges all pieces, artifact by artifact. */
  async addAll(piecesOf: (artifact: Artifact) => Iterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
    const turn = createTurns(1, signal);
    for (const [artifact, merger] of this.mergers)
      for (const piece of piecesOf(artifact)) {
        await turn();
        merger.merge(piece);
      }
  }

  async finish(signal: AbortSignal | undefined): Promise<void> {
    for (const [, merger] of this.mergers) await merger.write(signal);
  }

  close(): void {
    for (const [, merger] of this.mergers) merger.close();
  }
}
