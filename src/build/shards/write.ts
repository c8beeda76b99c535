/** Writes the files of a part other than pages: digests, problems, pieces, and shard.json last. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../core/release/plain-files.js";
import { writeFlushedSync } from "../../core/release/writer.js";
import type { DataSettings } from "../../core/settings/settings.js";
import { artifactsOf } from "../artifacts/artifacts.js";
import { PiecesFile } from "../pieces.js";
import type { MadePages, PieceReceiver } from "../pipeline.js";
import { type Problem, ProblemLog } from "../problems.js";
import type { AsidePart } from "./aside.js";
import { DIGESTS, encodeManifest, MANIFEST, PROBLEMS, piecesName, type ShardManifest } from "./part.js";

/** The problems of one listing, which are kept for its part, and also added to those of all listings. */
export class PartLog extends ProblemLog {
  #kept: PiecesFile | undefined;

  constructor(
    private readonly all: ProblemLog,
    private readonly aside: AsidePart,
  ) {
    super();
  }

  override add(problems: readonly Problem[], listing?: string): void {
    super.add(problems, listing);
    this.all.add(problems, listing);
    this.#kept ??= new PiecesFile(this.aside.beside(PROBLEMS));
    this.#kept.add(Buffer.from(JSON.stringify(problems)));
  }

  override discard(): void {
    super.discard();
    this.#kept?.close();
  }

  /** Makes the problems the only content of the part. @returns the digest of their file */
  put(): string {
    const digest = this.#kept?.finish() ?? "";
    this.aside.clear();
    renameSync(this.aside.beside(PROBLEMS), join(this.aside.folder, PROBLEMS));
    return digest;
  }
}

/** Writes the pieces for artifacts to files, for the join. @param digests gets the digest of each file by its name */
export async function startPieceFiles(
  settings: DataSettings,
  folder: string,
  digests: Record<string, string>,
): Promise<PieceReceiver> {
  const artifacts = await artifactsOf(settings);
  const files = artifacts.map((artifact) => {
    const name = piecesName(artifact);
    return { name, file: new PiecesFile(join(folder, name)) };
  });
  return {
    add(pieces) {
      for (const [at, { file }] of files.entries()) file.add(pieces[at] ?? new Uint8Array());
    },
    async finish() {
      for (const { name, file } of files) digests[name] = file.finish();
    },
    close() {
      for (const { file } of files) file.close();
    },
  };
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
