/** Remembers which digest goes with which entity tag: an object with the same tag as before has the same bytes. */
import { z } from "zod";
import { parseAs } from "../../contract/json.js";
import { sha256 } from "../../release/files.js";
import { PagePaths } from "../../release/layout.js";
import { FileOrder, OWN_PREFIX, type ReleaseFiles } from "../files.js";
import { listingPath } from "../owned.js";

export const TAGS = `${OWN_PREFIX}tags`;

const TAG = 16;
const DIGEST = 32;
const RECORD = TAG + DIGEST;

const headSchema = z.strictObject({
  /** The version of this format, and of the headers that files have. */
  rollcall: z.literal(2),
  cacheControl: z.string(),
  path: listingPath,
  pages: z.int().min(0),
  variants: z.array(z.enum(["identity", "br", "gzip"])),
  others: z.array(z.string()),
  isSigned: z.boolean(),
});

/** The tags of a release's objects while it is published: 16 bytes for each file. */
export class Tags {
  readonly #tags: Buffer;

  constructor(private readonly files: ReleaseFiles) {
    this.#tags = Buffer.alloc(files.length * TAG);
  }

  set(index: number, etag: string): void {
    fingerprint(etag).copy(this.#tags, index * TAG);
  }

  /** The list as it is stored: one line of JSON, then for each file 16 bytes of its tag and 32 bytes of its digest. */
  encode(cacheControl: string): Buffer {
    const { length } = this.files;
    const { paths, ...shape } = this.files.shape;
    const head = Buffer.from(`${JSON.stringify({ rollcall: 2, cacheControl, path: paths.listing, ...shape })}\n`);
    const bytes = Buffer.alloc(head.length + length * RECORD);
    head.copy(bytes);
    for (const { index, digest } of this.files) {
      const at = head.length + index * RECORD;
      this.#tags.copy(bytes, at, index * TAG, (index + 1) * TAG);
      bytes.write(digest, at + TAG, DIGEST, "hex");
    }
    return bytes;
  }
}

/** The tags and digests that the last complete run has stored. */
export class KnownTags {
  /** @returns undefined when this is no such list, or when its objects have another Cache-Control. */
  static parse(bytes: Buffer, cacheControl: string): KnownTags | undefined {
    const end = bytes.indexOf("\n") + 1;
    const head = parseAs(headSchema, bytes.toString("utf8", 0, end));
    if (head?.cacheControl !== cacheControl) return undefined;
    const order = new FileOrder({ ...head, paths: new PagePaths(head.path) });
    return bytes.length === end + order.length * RECORD ? new KnownTags(order, bytes.subarray(end)) : undefined;
  }

  private constructor(
    private readonly order: FileOrder,
    private readonly records: Buffer,
  ) {}

  /** The digest of the object at `path`, or undefined when its tag is not the one that is known. */
  digestOf(path: string, etag: string): string | undefined {
    const index = this.order.indexOf(path);
    if (index === undefined || etag === "") return undefined;
    const record = this.records.subarray(index * RECORD, (index + 1) * RECORD);
    if (!record.subarray(0, TAG).equals(fingerprint(etag))) return undefined;
    return record.toString("hex", TAG);
  }
}

function fingerprint(etag: string): Buffer {
  return Buffer.from(sha256(etag), "hex").subarray(0, TAG);
}
