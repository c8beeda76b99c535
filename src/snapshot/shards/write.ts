/** Writes the files of a part other than pages: digests, problems, pieces, and shard.json last. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Artifact } from "../../artifacts/artifact.js";
import { artifactsOf } from "../../artifacts/artifacts.js";
import { sha256 } from "../../release/plain-files.js";
import { writeFlushedSync } from "../../release/writer.js";
import type { DataSettings } from "../../settings/settings.js";
import { PiecesFile } from "../pieces.js";
import type { MadePages, PieceTaker } from "../pipeline.js";
import { type Problem, ProblemLog } from "../problems.js";
import type { AsidePart } from "./aside.js";
import { DIGESTS, encodeManifest, MANIFEST, PROBLEMS, piecesName, type ShardManifest } from "./part.js";

/** A problem log that also keeps all problems for the part. */
export class PartLog extends ProblemLog {
  #kept: PiecesFile | undefined;
  #aside: AsidePart | undefined;

  keepIn(aside: AsidePart): void {
    this.#aside = aside;
  }

  override add(problems: readonly Problem[]): void {
    super.add(problems);
    if (this.#aside) this.#kept ??= new PiecesFile(this.#aside.beside(PROBLEMS));
    this.#kept?.add(Buffer.from(JSON.stringify(problems)));
  }

  override discard(): void {
    super.discard();
    this.#kept?.close();
  }

  /** Makes the problems the only content of the part. @returns the digest of their file */
  put(aside: AsidePart): string {
    const digest = this.#kept?.finish() ?? "";
    aside.clear();
    renameSync(aside.beside(PROBLEMS), join(aside.folder, PROBLEMS));
    return digest;
  }
}

/** Writes the pieces for artifacts to files, for the join. */
export class PieceFiles implements PieceTaker {
  /** The digests of the files, by their names. */
  readonly digests: Record<string, string> = {};

  private constructor(private readonly files: readonly (readonly [artifact: Artifact, file: PiecesFile])[]) {}

  static async start(settings: DataSettings, folder: string): Promise<PieceFiles> {
    const artifacts = await artifactsOf(settings);
    return new PieceFiles(
      artifacts.map((artifact) => [artifact, new PiecesFile(join(folder, piecesName(artifact)))] as const),
    );
  }

  take(pieces: readonly Uint8Array[]): void {
    for (const [at, [, file]] of this.files.entries()) file.add(pieces[at] ?? new Uint8Array());
  }

  async finish(): Promise<void> {
    for (const [artifact, file] of this.files) this.digests[piecesName(artifact)] = file.finish();
  }

  close(): void {
    for (const [, file] of this.files) file.close();
  }
}

/** The fields of a manifest that describe what was made. */
export type Made = Pick<ShardManifest, "bytes" | "files" | "warnings">;

/** Writes the digests of a part's pages. @param made the pages in the folder. @param files the digests of its other files */
export function writeMade(folder: string, made: MadePages, files: Made["files"]): Made {
  const { digests, totals, warnings } = made;
  const parts = Object.values(digests.slice(1, digests.pages));
  writeFlushedSync(join(folder, DIGESTS), parts);
  return { bytes: totals.bytes, files: { ...files, [DIGESTS]: sha256("", ...parts) }, warnings };
}

/** Writes shard.json, flushed to disk. */
export function writeManifest(folder: string, manifest: ShardManifest): void {
  writeFlushedSync(join(folder, MANIFEST), [encodeManifest(manifest)]);
}
