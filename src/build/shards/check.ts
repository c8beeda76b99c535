/** Checks that parts are intact, and together make one release. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Encoding } from "../../core/contract/headers.js";
import { UserError } from "../../core/errors.js";
import { shellWord } from "../../core/print/text.js";
import { PagePaths, type Variant } from "../../core/release/layout.js";
import { hashPlain, sha256 } from "../../core/release/plain-files.js";
import { PageDigests } from "../../core/release/sums.js";
import { pagesOf, type Shard, shardText } from "../../core/shards.js";
import type { BuildSettings } from "../options.js";
import { damaged } from "../pieces.js";
import { taskOf } from "../pipeline.js";
import type { MadeOf } from "./made-of.js";
import { DIGESTS, partName, partNames, readShardPart, type ShardPart, shardOfName } from "./part.js";

/** What all parts of one release have in common. */
export interface Common {
  madeOf: MadeOf;
  settings: BuildSettings;
  /** Records of the source. */
  total: number;
  /** The folder of the parts of all listings, for messages. */
  root: string;
}

/** The error for a shard that cannot be joined, with the command that makes it again. */
export function unjoinable(parts: string, shard: Shard, why: string, cause?: unknown): UserError {
  const again = `rollcall build --shard ${shardText(shard)} --parts ${shellWord(parts)}`;
  return new UserError(
    `Shard ${shardText(shard)} ${why}; make it with "${again}" and the other settings of this build, then join again.`,
    { cause },
  );
}

/** Reads all parts in a folder, in order. @throws UserError naming the first that is missing, damaged, or does not belong to this build. */
export function readParts(folder: string, common: Common): ShardPart[] {
  const parts = partNames(folder).map((name) => readOne(folder, name, common));
  const [first] = parts;
  const count = first?.manifest.shard.count;
  if (count === undefined)
    throw new UserError(
      `There is no part in ${folder}; make parts with "rollcall build --shard 0/8 --parts ${shellWord(common.root)}" and the other settings of this build, 0 to 7.`,
    );
  const other = parts.find((part) => part.manifest.shard.count !== count);
  if (first && other)
    throw new UserError(
      `${folder} has parts of ${first.manifest.shard.count} and of ${other.manifest.shard.count} shards, such as ${first.name} and ${other.name}; remove those that should not be joined (rm -r), then join again.`,
    );
  const inOrder = parts.sort((one, next) => one.manifest.shard.number - next.manifest.shard.number);
  const missing = inOrder.findIndex(({ manifest }, at) => manifest.shard.number !== at);
  const gap = missing < 0 ? inOrder.length : missing;
  if (gap < count)
    throw unjoinable(common.root, { number: gap, count }, `is missing, one of ${count - inOrder.length}`);
  requireRanges(inOrder, common);
  return inOrder;
}

function readOne(folder: string, name: string, { madeOf, root }: Common): ShardPart {
  const part = readShardPart(folder, name);
  const shard = shardOfName(name) ?? { number: 0, count: 1 };
  if ("why" in part) throw unjoinable(root, shard, `is damaged: ${part.why}`);
  if (partName(shard, madeOf) === name) return part;
  const differing = Object.entries(madeOf).filter(
    ([key, digest]) => part.manifest.made_of[key as keyof MadeOf] !== digest,
  );
  const what = differing.map(([key]) => (key === "settings" ? "other settings" : `another ${key}`)).join(" and ");
  throw new UserError(
    `${join(folder, name)} does not belong to this build: it is shard ${shardText(shard)} of ${what}; remove it (rm -r ${shellWord(join(folder, name))}), and make that shard again if it is missing then.`,
  );
}

/** Checks that each page is in exactly one part. */
function requireRanges(parts: readonly ShardPart[], { total, settings, root }: Common): void {
  for (const { manifest } of parts) {
    const { shard, pages } = manifest;
    const wanted = taskOf(settings, total, shard).range;
    if (manifest.total !== total)
      throw unjoinable(root, shard, `was made from ${manifest.total} records, not ${total}`);
    if (pages.first !== wanted.first || pages.last !== wanted.last)
      throw unjoinable(root, shard, `has pages ${pages.first} to ${pages.last}, not ${wanted.first} to ${wanted.last}`);
  }
}

/** The digests of a part's pages, numbered from 1. @throws UserError if their file is damaged. */
export function digestsOf({ folder, manifest }: ShardPart, encodings: readonly Encoding[]): PageDigests {
  const variants: Variant[] = ["identity", ...encodings];
  const digests = new PageDigests(pagesOf(manifest.pages), variants);
  const path = join(folder, DIGESTS);
  const bytes = readFileSync(path);
  if (sha256(bytes) !== manifest.files[DIGESTS]) throw damaged(path);
  const each = bytes.length / variants.length;
  const slices = variants.map((variant, at) => [variant, bytes.subarray(at * each, (at + 1) * each)]);
  digests.fill(1, Object.fromEntries(slices));
  return digests;
}

/** Whether every file of a part matches its digest. */
export function isPartIntact(part: ShardPart, listing: string, encodings: readonly Encoding[]): boolean {
  const { folder, manifest } = part;
  for (const [name, digest] of Object.entries(manifest.files))
    if (hashPlain(join(folder, name)) !== digest) return false;
  if (manifest.problems.records > 0) return true;
  const digests = digestsOf(part, encodings);
  const paths = new PagePaths(listing);
  for (let page = 1; page <= digests.pages; page++)
    for (const variant of digests.variants) {
      const path = join(folder, paths.path(manifest.pages.first - 1 + page, variant));
      if (hashPlain(path) !== digests.get(page, variant)) return false;
    }
  return true;
}
