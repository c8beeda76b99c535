/** Writes what a shard has made besides its pages, shard.json last. */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../../contract/contract.js";
import { type OrderKey, orderKeyOf } from "../../contract/record/key.js";
import { sha256 } from "../../release/files.js";
import { PagePaths, RECORDS } from "../../release/layout.js";
import { PiecesFile } from "../../release/pieces.js";
import { writeFlushedSync } from "../../release/write.js";
import { pagesOf } from "../../shards/cut.js";
import type { WrittenPages } from "../page-writer.js";
import { type Problem, ProblemLog } from "../problems.js";
import type { AsidePart } from "./aside.js";
import { DIGESTS, encodeManifest, MANIFEST, PROBLEMS, type ShardManifest } from "./part.js";

/** A log of problems that keeps them for whoever joins the parts, too. */
export class PartLog extends ProblemLog {
  #kept: PiecesFile | undefined;
  #aside: AsidePart | undefined;

  keepIn(aside: AsidePart): void {
    this.#aside = aside;
  }

  override add(problems: Problem[]): void {
    super.add(problems);
    if (this.#aside) this.#kept ??= new PiecesFile(this.#aside.beside(PROBLEMS));
    this.#kept?.add(Buffer.from(JSON.stringify(problems)));
  }

  override discard(): void {
    super.discard();
    this.#kept?.close();
  }

  /** Puts them into the part, which has nothing else. @returns the digest of their file. */
  put(aside: AsidePart): string {
    const digest = this.#kept?.finish() ?? "";
    aside.clear();
    renameSync(aside.beside(PROBLEMS), join(aside.folder, PROBLEMS));
    return digest;
  }
}

/** The facts of a manifest that say what was made. */
export type Made = Pick<ShardManifest, "bytes" | "order" | "files" | "warnings">;

/** @param written whose pages lie in the folder. */
export function writeMade(folder: string, written: WrittenPages, contract: Contract): Made {
  const { digests, totals, warnings, records, bulk, gathered } = written;
  const count = pagesOf(written.range);
  const parts = Object.values(digests.slice(1, count));
  writeFlushedSync(join(folder, DIGESTS), parts);
  const others = [...(bulk?.files ?? []), ...(gathered?.files ?? [])];
  const files = { [RECORDS]: records, [DIGESTS]: sha256("", ...parts), ...Object.fromEntries(others) };
  return { bytes: totals.bytes, order: orderOf(folder, written, contract), files, warnings };
}

/** What the first and the last record are ordered by. */
function orderOf(folder: string, { collection, range }: WrittenPages, contract: Contract): ShardManifest["order"] {
  const paths = new PagePaths(collection.path);
  const keyAt = (page: number, at: number): OrderKey | undefined => {
    const { results } = JSON.parse(readFileSync(join(folder, paths.path(page)), "utf8"));
    return results.length === 0 ? undefined : orderKeyOf(contract, results.at(at));
  };
  if (pagesOf(range) === 0) return null;
  const [first, last] = [keyAt(range.first, 0), keyAt(range.last, -1)];
  return first && last ? { first: [...first], last: [...last] } : null;
}

export function writeManifest(folder: string, manifest: ShardManifest): void {
  writeFlushedSync(join(folder, MANIFEST), [Buffer.from(encodeManifest(manifest))]);
}
