/** The order in which a target changes, so that who follows snapshot.json never misses a page. */
import { join } from "node:path";
import { each } from "../workers/at-most.js";
import type { PublishedFile } from "./files.js";
import { encodeOwned, ownedBetween, ownedBy } from "./owned.js";
import type { OnPublishProgress, Work } from "./publish.js";
import { damaged } from "./refusals.js";
import { AT_ONCE } from "./target.js";

/**
 * First what is new, then what changes in its place: so no link of a page leads to one that is not there yet. Then
 * SHA256SUMS and snapshot.json, and only then what is of the old release alone goes. Each stage is on the disk before
 * the next begins. The list of what is owned comes first and last: whatever a killed run leaves, the next one knows.
 */
export async function carryOut(work: Work, onProgress: OnPublishProgress): Promise<{ bytes: number; urls: number }> {
  const { target, files, plan, before, purgeList, signal } = work;
  const after = ownedBy(files);
  if (plan.isEmpty && before && encodeOwned(before) === encodeOwned(after))
    return { bytes: 0, urls: purgeList?.write(work) ?? 0 };

  const { added, changed, removed } = plan.counts;
  const progress = { files: 0, total: added + changed + removed };
  const advance = () => {
    progress.files++;
    onProgress({ ...progress });
  };
  let bytes = 0;
  const put = async (file: PublishedFile) => {
    const written = await target.put(file, join(files.folder, file.path));
    if (written === undefined) throw damaged(files.folder, file.path);
    bytes += written;
    advance();
  };

  signal?.throwIfAborted();
  await target.storeOwned(ownedBetween(before, after));
  await each(plan.toPut("absent"), AT_ONCE, put, signal);
  await target.flush();
  await each(plan.toPut("different"), AT_ONCE, put, signal);
  for (const file of plan.toAnnounce()) {
    await target.flush();
    await put(file);
  }
  await target.flush();
  if (before && removed > 0) {
    const remove = async (path: string) => {
      await target.remove(path);
      advance();
    };
    await each(target.orphans(before, files), AT_ONCE, remove, signal);
    await target.flush();
  }
  // Before the run counts as complete: after a kill the next one lists everything, and so nothing is ever left out.
  const urls = purgeList?.write(work) ?? 0;
  await target.storeOwned(after);
  return { bytes, urls };
}
