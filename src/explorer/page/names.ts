/** The names of records that references lead to: from labels.json of their listings, or from the records themselves. */
import { findView } from "../../client/find-view.js";
import { openHost } from "../../client/open-host.js";
import { objectOf } from "../../client/utf8.js";
import { readSnapshotFile, type SnapshotFile, snapshotOf } from "../../client/view.js";
import type { Field } from "../../core/contract/contract.js";
import { LABELS } from "../../core/contract/reader-files.js";
import { type Labels, MOST_LABEL_BYTES, MOST_LABELED, parseLabels } from "../labels.js";
import { referenceOf } from "../meaning.js";
import { describeError } from "./notice.js";
import { createReader, hasFile, type ListingFacts, WAITS } from "./reader.js";
import { namesOf } from "./values.js";

/** The base URL of another listing's explorer, relative to this one: `../customers/`; undefined outside of a site. */
export function listingAt({ snapshot }: Pick<ListingFacts, "snapshot">, name: string): string | undefined {
  const { site, base_url } = snapshot;
  if (site === undefined || !base_url.startsWith(`${site}/`)) return undefined;
  const own = base_url.slice(site.length + 1);
  return `${"../".repeat(own.split("/").length)}${name}/`;
}

/**
 * Reads labels.json of the listings that fields refer to, once each, into `known.names`. Without it, keys are shown.
 * @returns why names are missing, if a host sent wrong data
 */
export async function readNames(known: ListingFacts, fields: readonly Field[]): Promise<string | undefined> {
  const targets = new Set(fields.map(referenceOf).filter((to) => to !== undefined));
  const read = [...targets].map(async (to) => {
    const at = listingAt(known, to);
    if (at === undefined || known.names.has(to)) return undefined;
    try {
      known.names.set(to, await readLabels(new URL(at, location.href)));
      return undefined;
    } catch (error) {
      // They are requested again with the next list.
      return describeError(error).isUnproved
        ? `The names of ${to} are not what was published, so keys are shown.`
        : undefined;
    }
  });
  return (await Promise.all(read)).find((why) => why !== undefined);
}

/** Reads labels.json of a listing, verified by its SHA256SUMS; undefined if it has no such file. */
async function readLabels(base: URL): Promise<Labels | undefined> {
  const host = openHost(base.href, WAITS);
  const { bytes, url } = await readSnapshotFile<SnapshotFile>(host, undefined, {});
  // SHA256SUMS of a large listing is large, and does not list the file.
  if (snapshotOf(bytes, url).count > MOST_LABELED) return undefined;
  const view = await findView(host, {});
  if (!hasFile(view, LABELS)) return undefined;
  const limit = { ...host.files, maxBytes: MOST_LABEL_BYTES };
  return parseLabels(objectOf(await view.readFile(LABELS, limit), base.href));
}

/** Reads the name of one record of another listing, of which no labels were read. */
export async function readName(
  known: ListingFacts,
  to: string,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const at = listingAt(known, to);
  // A listing that could not be read is not read in another way.
  if (at === undefined || !known.names.has(to) || known.names.get(to)) return undefined;
  try {
    const reader = createReader(new URL(at, location.href), () => {});
    const other = await reader.known();
    const row = await reader.find(key, signal);
    return row && namesOf(row.record, other).name;
  } catch {
    // The key alone is shown.
    return undefined;
  }
}
