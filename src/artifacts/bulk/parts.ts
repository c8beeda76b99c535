/** bulk.json: which files hold all records together, and what their bytes must be. */
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import { readAs } from "../../contract/json.js";
import { BULK_FOLDER, MAX_PACKED } from "../../release/layout.js";

const count = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in hexadecimal" });

const partSchema = z.strictObject({
  file: z.string(),
  /** Records in it. */
  count,
  /** Of the file as it is. */
  bytes: count.max(MAX_PACKED),
  /** Of the plain bytes. */
  sha256: digest,
});

const bulkSchema = z
  .strictObject({ count, sha256: digest, parts: z.array(partSchema).min(1) })
  .superRefine(({ count, parts }, context) => {
    const note = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    for (const [at, { file }] of parts.entries())
      if (file !== partPath(at + 1)) note(["parts", at, "file"], `must be ${partPath(at + 1)}`);
    const sum = parts.reduce((sum, part) => sum + part.count, 0);
    if (sum !== count) note(["count"], `must be the sum of the parts' counts, ${sum}`);
  });

export type Bulk = z.infer<typeof bulkSchema>;
export type BulkPart = Bulk["parts"][number];

/** Records that are compressed together: enough that a member compresses as well as all records would, few enough for memory. */
const RECORDS_TOGETHER = 1000;

/** How many pages are compressed together. The first of them is page 1, or follows others that are. */
export function pagesTogether(pageSize: number): number {
  return Math.ceil(RECORDS_TOGETHER / pageSize);
}

/** The path of a part, from 1, inside a release. */
export function partPath(number: number): string {
  return `${BULK_FOLDER}/${number}.ndjson.gz`;
}

export function encodeBulk(bulk: Bulk): string {
  return `${stringify(bulk)}\n`;
}

/** What bulk.json says, or why it says nothing, as the end of a sentence. */
export function parseBulk(text: string): Bulk | { why: string } {
  return readAs(bulkSchema, text);
}
