/** Compares a listing with the last release for the feed: totals, and the first names of each kind of change. */
import { join } from "node:path";
import type { Change, Diff } from "../../../core/compare/change.js";
import { compareSides } from "../../../core/compare/compare.js";
import type { Matches } from "../../../core/compare/match.js";
import { openReleaseSide } from "../../../core/compare/side.js";
import type { Contract } from "../../../core/contract/contract.js";
import { recordAddress } from "../../../core/contract/links.js";
import { valueAt } from "../../../core/contract/record/value.js";
import { UserError } from "../../../core/errors.js";
import { oneLine, shorten } from "../../../core/print/text.js";
import { CURRENT, explorerPath } from "../../../core/release/layout.js";
import { findDamage } from "../../../core/release/open.js";
import type { DataSettings } from "../../../core/settings/settings.js";
import { nameOf } from "../../../explorer/labels.js";
import { type StagedRelease, sideOf } from "../changes.js";

/** Maximum number of names for each kind of change, and characters of a name and of a link. */
export const MOST_NAMES = 10;
const LONGEST_NAME = 80;
const LONGEST_LINK = 500;

export type ChangeKind = Change["kind"];

export interface NamedRecord {
  name: string;
  /** Its URL in the explorer, if the new release has both. */
  url: string | undefined;
}

interface Compared {
  /** Closed, so it has totals only. */
  diff: Diff;
  /** The names of the first records of each kind. */
  names: Readonly<Record<ChangeKind, readonly NamedRecord[]>>;
  hasOtherContract: boolean;
}

/** What a listing changed since the last release, or why that is unknown. */
export type ListingNews = Compared | { why: string };

interface NewsSettings extends Pick<DataSettings, "links"> {
  baseUrl: string;
  contract: Contract;
  explorer: boolean;
}

/**
 * Compares a staged listing with the last release.
 * @param matches if they are known; closed unless the result is undefined
 * @returns undefined if the last release does not have the listing at this base URL
 * @throws UserError if a file of the new release cannot be read, or the temporary directory is full
 */
export async function findNews(
  stage: StagedRelease,
  { baseUrl, contract, links, explorer }: NewsSettings,
  matches: Matches | undefined,
  signal: AbortSignal | undefined,
): Promise<ListingNews | undefined> {
  const { previous } = stage;
  if (previous?.snapshot.base_url !== baseUrl) return undefined;
  const page = explorer ? baseUrl + explorerPath(contract.listing.path) : undefined;
  const old = openReleaseSide(previous, CURRENT);
  try {
    const diff = await compareSides(old, sideOf(stage, contract, links), { matches, signal });
    try {
      const oldNaming = namingAfter(previous.contract, diff.contract?.removed ?? []);
      const names = {
        added: await firstNames(diff, "added", contract, page),
        removed: oldNaming ? await firstNames(diff, "removed", oldNaming, undefined) : [],
        changed: await firstNames(diff, "changed", contract, page),
      };
      return { diff, names, hasOtherContract: previous.contract.text !== contract.text };
    } finally {
      diff.close();
    }
  } catch (error) {
    // A damaged release is replaced, so that it does not stop a build.
    const damaged = error instanceof UserError ? await findDamage(previous, signal) : undefined;
    if (damaged === undefined) throw error;
    // The error's advice is about `current`, which is another release once this is read.
    return { why: `${join(previous.folder, damaged)} does not match its digest` };
  }
}

/** The fields that name a record: by its label, or by its key. */
type Naming = Pick<Contract, "key" | "label">;

/** What names the records of a contract without the values of fields that are removed; undefined if its key is one. */
function namingAfter({ key, label }: Contract, removed: readonly string[]): Naming | undefined {
  if (removed.includes(key.path)) return undefined;
  return { key, label: removed.includes(label.path) ? key : label };
}

async function firstNames(
  diff: Diff,
  kind: ChangeKind,
  naming: Naming,
  page: string | undefined,
): Promise<NamedRecord[]> {
  const wanted = Math.min(MOST_NAMES, diff[kind]);
  const names: NamedRecord[] = [];
  if (wanted === 0) return names;
  for await (const change of diff.changes(kind)) {
    const record = change.kind === "changed" ? change.new : change.record;
    const name = String(nameOf(record, naming) ?? valueAt(record, naming.key));
    const url = page && recordAddress(page, change.id);
    // A blank name would be an invisible link.
    names.push({ name: cut(name) || JSON.stringify(name), url: url && url.length <= LONGEST_LINK ? url : undefined });
    if (names.length === wanted) break;
  }
  return names;
}

/** Matches characters that XML forbids, and lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text on one line, cut between characters. Each character that XML forbids becomes U+FFFD. */
export function cut(text: string): string {
  return shorten(oneLine(text.replace(FORBIDDEN, "\ufffd")) ?? "", LONGEST_NAME);
}
