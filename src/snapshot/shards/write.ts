/** Writes what a shard has made besides its pages, shard.json last. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Artifact } from "../../artifacts/artifact.js";
import { artifactsOf } from "../../artifacts/artifacts.js";
import { sha256 } from "../../release/files.js";
import { PiecesFile } from "../../release/pieces.js";
import { writeFlushedSync } from "../../release/write.js";
import type { DataSettings } from "../../settings/settings.js";
import { pagesOf } from "../../shards/cut.js";
import type { MadePages, Taker } from "../pipeline.js";
import { ProblemLog, type ProblemReport } from "../problems.js";
import type { AsidePart } from "./aside.js";
import { DIGESTS, encodeManifest, MANIFEST, PROBLEM_LINES, PROBLEMS, piecesName, type ShardManifest } from "./part.js";

/** A log that also keeps all problems for the part: their report, and as NDJSON. */
export class PartLog extends ProblemLog {
  readonly #files: { reports: PiecesFile; lines: PiecesFile }[] = [];
  #aside: AsidePart | undefined;

  keepIn(aside: AsidePart): void {
    this.#aside = aside;
  }

  override get keepsLines(): boolean {
    return true;
  }

  override add(problems: ProblemReport, lines: Iterable<Buffer>): void {
    const files = this.#open();
    files.reports.add(Buffer.from(JSON.stringify(problems)));
    super.add(problems, kept(lines, files.lines));
  }

  override discard(): void {
    super.discard();
    for (const { reports, lines } of this.#files) for (const file of [reports, lines]) file.close();
  }

  /** Puts them into the part, which has nothing else. @returns the digests of their files */
  put(aside: AsidePart): Made["files"] {
    const { reports, lines } = this.#open();
    const files = { [PROBLEMS]: reports.finish(), [PROBLEM_LINES]: lines.finish() };
    aside.clear();
    for (const name of Object.keys(files)) renameSync(aside.beside(name), join(aside.folder, name));
    return files;
  }

  #open() {
    const [known] = this.#files;
    if (known) return known;
    const [reports, lines] = [PROBLEMS, PROBLEM_LINES].map((name) => new PiecesFile(this.#aside?.beside(name) ?? ""));
    const files = { reports, lines } as { reports: PiecesFile; lines: PiecesFile };
    this.#files.push(files);
    return files;
  }
}

function* kept(lines: Iterable<Buffer>, file: PiecesFile): Generator<Buffer> {
  for (const piece of lines) {
    file.add(piece);
    yield piece;
  }
}

/** Keeps what artifacts need, for the join. */
export class PieceFiles implements Taker {
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

/** The facts of a manifest that say what was made. */
export type Made = Pick<ShardManifest, "bytes" | "files" | "warnings">;

/** @param made whose pages lie in the folder. @param files the digests of other files there */
export function writeMade(folder: string, made: MadePages, files: Made["files"]): Made {
  const { digests, totals, warnings, range } = made;
  const parts = Object.values(digests.slice(1, pagesOf(range)));
  writeFlushedSync(join(folder, DIGESTS), parts);
  return { bytes: totals.bytes, files: { ...files, [DIGESTS]: sha256("", ...parts) }, warnings };
}

export function writeManifest(folder: string, manifest: ShardManifest): void {
  writeFlushedSync(join(folder, MANIFEST), [Buffer.from(encodeManifest(manifest))]);
}
