/** Whether the page for people is the one that this version of Rollcall makes of a release. */
import type { Contract } from "../../contract/contract.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { explorerAssets } from "../../explorer/assets.js";
import type { ExplorerSummary } from "../../explorer/form.js";
import { explorerPage } from "../../explorer/html.js";
import { BULK, CHANGES, EXPLORER, SIGNATURE } from "../../release/layout.js";

interface ExplorerContext {
  contract: Contract;
  snapshot: Pick<Snapshot, "base_url" | "pages" | "page_size">;
  /** What the records make. */
  summary: ExplorerSummary;
  has(path: string): boolean;
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
  has,
  read,
}: ExplorerContext): Promise<string | undefined> {
  const { base_url: baseUrl, pages, page_size: pageSize } = snapshot;
  const files = [BULK, CHANGES].filter(has);
  // Whether there is a signature, SHA256SUMS does not say.
  const made = [files, [...files, SIGNATURE]].map((files) =>
    explorerPage(contract, summary, { baseUrl, pages, pageSize, files }),
  );
  const html = await read(EXPLORER);
  const others = html !== undefined && made.includes(String(html)) ? [] : [EXPLORER];
  for (const [path, bytes] of explorerAssets()) if (!(await read(path))?.equals(bytes)) others.push(path);
  return others.length > 0 ? `not as this version of Rollcall writes it: ${others.join(", ")}` : undefined;
}
