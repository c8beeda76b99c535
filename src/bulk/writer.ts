/** Writes all records into a few files while pages are written: members come in any order, and are joined to parts in turn. */
import { createHash, type Hash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.js";
import { closing, digestFile, openPlain } from "../release/files.js";
import { BULK_FOLDER, MAX_PACKED } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { makeFolder } from "../release/sharing.js";
import { DigestedFile } from "../release/sums/digested.js";
import { asidePath, linkFile } from "../release/write.js";
import { type BulkMember, emptyMember } from "./members.js";
import { type Bulk, type BulkPart, encodeBulk, partPath } from "./parts.js";
import { findBulk } from "./reader.js";
import { MembersInTurn, type WrittenBulk } from "./turn.js";

const MEMORY = 2 ** 16;

interface OpenPart {
  path: string;
  file: DigestedFile;
  count: number;
  /** Of the plain bytes; undefined for the first part, whose are the first of all. */
  plain: Hash | undefined;
}

/** To be closed in a `finally`. */
export class BulkWriter extends MembersInTurn {
  readonly #hash = createHash("sha256");
  readonly #parts: BulkPart[] = [];
  readonly #files: [path: string, digest: string][] = [];
  readonly #before: Bulk | undefined;
  #part: OpenPart | undefined;

  /** @param previous the release to link unchanged parts from. */
  constructor(
    private readonly folder: string,
    private readonly previous: Release | undefined,
  ) {
    super();
    makeFolder(folder, BULK_FOLDER);
    this.#before = previous && findBulk(previous);
  }

  override finish(): WrittenBulk {
    // An empty collection has a part, too, so that readers need not know about it.
    if (this.#parts.length === 0 && !this.#part) this.write(emptyMember());
    this.#endPart();
    const count = this.#parts.reduce((sum, part) => sum + part.count, 0);
    const text = encodeBulk({ count, sha256: this.#hash.digest("hex"), parts: this.#parts });
    return { files: this.#files, text };
  }

  override close(): void {
    super.close();
    this.#part?.file.close();
    this.#part = undefined;
  }

  /** @throws UserError when a record is too large for a part. */
  protected override write({ bytes, plain, count }: BulkMember): void {
    if (bytes.length > MAX_PACKED)
      throw new UserError(
        `Record ${this.#count() + 1} takes ${bytes.length} bytes when compressed, and a part of --bulk holds at most ${MAX_PACKED}; build without --bulk.`,
      );
    if (this.#part && this.#part.file.bytes + bytes.length > MAX_PACKED) this.#endPart();
    this.#part ??= this.#beginPart();
    const part = this.#part;
    part.file.write(bytes);
    part.plain?.update(plain);
    this.#hash.update(plain);
    part.count += count;
  }

  #count(): number {
    return this.#parts.reduce((sum, part) => sum + part.count, this.#part?.count ?? 0);
  }

  #beginPart(): OpenPart {
    const path = partPath(this.#parts.length + 1);
    const plain = this.#parts.length > 0 ? createHash("sha256") : undefined;
    return { path, file: new DigestedFile(join(this.folder, path)), count: 0, plain };
  }

  #endPart(): void {
    if (!this.#part) return;
    const { path, file, plain, count } = this.#part;
    const { bytes } = file;
    const part: BulkPart = { file: path, count, bytes, sha256: (plain ?? this.#hash.copy()).digest("hex") };
    const kept = this.#keep(part);
    this.#parts.push(kept?.part ?? part);
    this.#files.push([path, kept?.digest ?? file.finish()]);
    file.close();
    this.#part = undefined;
  }

  /** Links a part from the last release, after looking at its bytes: one damaged since must not be carried on. */
  #keep({ file, sha256: plain }: BulkPart): { part: BulkPart; digest: string } | undefined {
    const part = this.#before?.parts.find((before) => before.file === file && before.sha256 === plain);
    const digest = this.previous?.sums.others.get(file);
    if (!part || !this.previous || digest === undefined) return undefined;
    const [from, to] = [join(this.previous.folder, file), join(this.folder, file)];
    const found = openPlain(from);
    if (found === undefined || closing(found, () => digestFile(found, Buffer.allocUnsafe(MEMORY))) !== digest)
      return undefined;
    const aside = asidePath(to);
    rmSync(aside, { force: true });
    if (!linkFile(from, aside)) return undefined;
    renameSync(aside, to);
    return { part, digest };
  }
}
