/** Compares the explorer with what this version of Rollcall makes of a release, byte for byte. */
import type { Contract } from "../../contract/contract.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { explorerAssets } from "../../explorer/assets.js";
import type { ExplorerSummary } from "../../explorer/form.js";
import { explorerPage } from "../../explorer/html.js";
import { BULK, CHANGES, EXPLORER, EXPLORER_FOLDER, isSorted, SIGNATURE, SUMMARY } from "../../release/layout.js";
import { differenceOf, UNVERIFIED } from "./differences.js";
import type { NoteMade } from "./made.js";
import { checkOf } from "./needs.js";

/** Bytes of a file of the explorer. */
export const MAX_EXPLORER = 2 ** 24;

interface ExplorerContext {
  contract: Contract;
  snapshot: Pick<Snapshot, "base_url" | "pages" | "page_size">;
  /** What the records make. */
  summary: ExplorerSummary;
  /** All that there is. */
  paths(): Iterable<string>;
  /** Undefined for what cannot be read. */
  read(path: string): Promise<Buffer | undefined>;
  note: NoteMade;
}

export async function checkExplorer({ contract, snapshot, summary, paths, read, note }: ExplorerContext) {
  const { base_url: baseUrl, pages, page_size: pageSize } = snapshot;
  const there = new Set([...paths()].filter((path) => [BULK, CHANGES].includes(path) || checkOf(path) === "explorer"));
  const files = [BULK, CHANGES].filter((path) => there.has(path));
  // SHA256SUMS does not say whether there is a signature.
  const made = [files, [...files, SIGNATURE]].map((files) =>
    Buffer.from(explorerPage(contract, summary, { baseUrl, pages, pageSize, files })),
  );
  const assets = explorerAssets();
  for (const [path, ...rights] of [[EXPLORER, ...made] as const, ...assets]) {
    if (!there.delete(path)) {
      if (path !== EXPLORER) note("explorer", path, { found: "no such file", expected: `one, for ${EXPLORER}` });
      continue;
    }
    const found = await read(path);
    if (found && rights.some((right) => right.equals(found))) continue;
    const difference = found && rights[0] && differenceOf(path, found, rights[0]);
    note("explorer", path, {
      found: difference?.found ?? "a file that is too large, or cannot be read",
      expected: UNVERIFIED,
    });
  }
  for (const path of there)
    if (path.startsWith(`${EXPLORER_FOLDER}/`) && !isSorted(path) && path !== SUMMARY)
      note("explorer", path, { found: "a file", expected: UNVERIFIED });
}
