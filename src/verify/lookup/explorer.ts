/** Whether the page for people is the one that this version of Rollcall makes of a release. */
import type { Contract } from "../../contract/contract.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { explorerAssets } from "../../explorer/assets.js";
import type { ExplorerSummary } from "../../explorer/form.js";
import { explorerPage } from "../../explorer/html.js";
import { BULK, CHANGES, EXPLORER, EXPLORER_FOLDER, isSorted, SIGNATURE, SUMMARY } from "../../release/layout.js";
import { checkOf } from "./needs.js";

interface ExplorerContext {
  contract: Contract;
  snapshot: Pick<Snapshot, "base_url" | "pages" | "page_size">;
  /** What the records make. */
  summary: ExplorerSummary;
  /** All that there is. */
  paths(): Iterable<string>;
  /** Undefined for what cannot be read. */
  read(path: string): Promise<Buffer | undefined>;
}

/**
 * Another version's page may be right in its own way, so that this is no difference, and something to know.
 * @returns undefined where it is this one's.
 */
export async function noteExplorer({
  contract,
  snapshot,
  summary,
  paths,
  read,
}: ExplorerContext): Promise<string | undefined> {
  const { base_url: baseUrl, pages, page_size: pageSize } = snapshot;
  const there = new Set([...paths()].filter((path) => [BULK, CHANGES].includes(path) || checkOf(path) === "explorer"));
  const files = [BULK, CHANGES].filter((path) => there.has(path));
  // Whether there is a signature, SHA256SUMS does not say.
  const made = [files, [...files, SIGNATURE]].map((files) =>
    explorerPage(contract, summary, { baseUrl, pages, pageSize, files }),
  );
  const html = await read(EXPLORER);
  const others = html !== undefined && made.includes(String(html)) ? [] : [EXPLORER];
  const assets = new Map(explorerAssets());
  for (const [path, bytes] of assets) if (!(await read(path))?.equals(bytes)) others.push(path);
  for (const path of there)
    if (path.startsWith(`${EXPLORER_FOLDER}/`) && !isSorted(path) && path !== SUMMARY && !assets.has(path))
      others.push(path);
  return others.length > 0 ? `not as this version of Rollcall writes it: ${others.join(", ")}` : undefined;
}
