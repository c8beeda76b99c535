/** A part: the folder that one shard makes, described by its shard.json. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import { readAs } from "../../core/contract/json.js";
import { readPlain, sha256 } from "../../core/release/plain-files.js";
import type { Shard } from "../../core/shards.js";
import type { Artifact } from "../artifacts/artifact.js";
import type { MadeOf } from "./made-of.js";

export const MANIFEST = "shard.json";
/** The file of page digests, 32 bytes each, variant after variant. */
export const DIGESTS = "digests";
/** The file of problems: one piece per invalid record, in published order. */
export const PROBLEMS = "problems";

/** The name of the file of pieces for an artifact: one piece per batch, in published order. */
export function piecesName({ name }: Pick<Artifact, "name">): string {
  return `${name}.pieces`;
}

const whole = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const manifestSchema = z.strictObject({
  rollcall: z.literal(1),
  shard: z.strictObject({ number: whole, count: whole.min(1) }),
  made_of: z.strictObject({ source: digest, contract: digest, settings: digest, version: digest }),
  /** Records of the whole source. */
  total: whole,
  pages: z.strictObject({ first: whole, last: whole }),
  records: whole,
  /** Bytes of all page files. */
  bytes: whole,
  /** The digests of all files but this one and pages. */
  files: z.record(z.string(), digest),
  warnings: z.record(z.string(), whole),
  /** Numbers of invalid records and of their problems. A part with any has no pages. */
  problems: z.strictObject({ records: whole, count: whole }),
});

export type ShardManifest = z.infer<typeof manifestSchema>;

export interface ShardPart {
  name: string;
  folder: string;
  manifest: ShardManifest;
}

/** The name of a part's folder, from the shard and a digest of its inputs. */
export function partName({ number, count }: Shard, madeOf: MadeOf): string {
  return `${number}-of-${count}-${sha256(stringify(madeOf)).slice(0, 16)}`;
}

const NAME = /^(\d{1,9})-of-(\d{1,9})-[0-9a-f]{16}$/;

/** The shard in the name of a part's folder; undefined for any other name. */
export function shardOfName(name: string): Shard | undefined {
  const [, number, count] = NAME.exec(name) ?? [];
  return number === undefined ? undefined : { number: Number(number), count: Number(count) };
}

/** Encodes shard.json, the manifest of a part. */
export function encodeManifest(manifest: ShardManifest): string {
  return `${stringify(manifest)}\n`;
}

/** Reads a part's shard.json. @returns `why` it cannot be used, as the end of a sentence, if it is missing or damaged. */
export function readShardPart(parts: string, name: string): ShardPart | { why: string } {
  const folder = join(parts, name);
  const text = readPlain(join(folder, MANIFEST));
  const manifest = text === undefined ? { why: "is missing" } : readAs(manifestSchema, String(text));
  if ("why" in manifest) return { why: `its ${MANIFEST} ${manifest.why}` };
  if (partName(manifest.shard, manifest.made_of) !== name) return { why: `its ${MANIFEST} is that of another part` };
  return { name, folder, manifest };
}

/** The names of all parts in a folder, if it exists. Ignores anything else there, such as parts that are being written. */
export function partNames(parts: string): string[] {
  const names = existsSync(parts) ? readdirSync(parts) : [];
  return names.filter((name) => shardOfName(name) !== undefined);
}
