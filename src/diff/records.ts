/** Reads single users of a snapshot from its pages, without reading whole pages if possible. */
import { fstatSync, readSync } from "node:fs";
import { parseAs } from "../contract/json.js";
import { recordPattern } from "../contract/record-text.js";
import { type User, userSchema } from "../contract/user.js";
import { UserError } from "../errors.js";
import { closing, MAX_PAGE, openPlain } from "../release/files.js";
import { PagePaths } from "../release/layout.js";
import { userDigest } from "../release/user-index.js";
import { badPage } from "./index-pages.js";
import type { IndexEntry } from "./match.js";
import type { Side } from "./side.js";

const NEWLINE = 10;
const COMMA = 44;
/** Bytes that are read around the place where a record should be; most records are within, and most pages are longer. */
const WINDOW = 8192;

export class RecordReader {
  /** With any image URL: records that do not match are checked by the schema. */
  readonly #pattern = recordPattern("https://example.com/");
  #memory = Buffer.alloc(2 ** 17);
  /** The average in the last page that was read whole, to estimate where a record is. */
  #bytesAUser = 0;

  readonly #paths: PagePaths;

  constructor(private readonly side: Side) {
    this.#paths = new PagePaths(side.facts.contract.listing.path);
  }

  /** @throws UserError when the page is missing, or does not hold this user as the index says. */
  read(entry: IndexEntry): User {
    const { facts } = this.side;
    const page = Math.floor(entry.at / facts.pageSize) + 1;
    const record = this.#find(page, entry);
    const user = record && this.#parse(record);
    // A page that was altered must neither be reported as the snapshot's nor pass a gate.
    if (record && user?.id === entry.id && userDigest(record) === entry.digest) return user;
    if (user?.id === entry.id)
      throw new UserError(
        `User ${entry.id} on page ${page} of ${facts.name} is not as its digest says; check it with "rollcall verify".`,
      );
    throw badPage(facts, page, `does not hold user ${entry.id}, or not as a valid user`);
  }

  #parse(record: Buffer): User | undefined {
    const text = record.toString("utf8");
    // The pattern accepts only what the schema accepts, in a tenth of the time.
    if (this.#pattern.takes(record.toString("latin1"), 1)) return JSON.parse(text);
    return parseAs(userSchema, text);
  }

  #find(page: number, { id, at }: IndexEntry): Buffer | undefined {
    const { facts, folder } = this.side;
    const { pageSize, count } = facts;
    const file = openPlain(`${folder}/${this.#paths.path(page)}`);
    if (file === undefined) throw badPage(facts, page, "is not there");
    return closing(file, () => {
      const middle = Math.floor(this.#bytesAUser * ((at % pageSize) + 0.5));
      const line = findLine(this.#read(file, Math.max(0, middle - WINDOW / 2), WINDOW), id);
      if (line) return line;
      const { size } = fstatSync(file);
      if (size > MAX_PAGE) throw badPage(facts, page, `has ${size} bytes, more than a page may`);
      // The count of an invalid snapshot may be any number.
      this.#bytesAUser = size / Math.max(1, Math.min(pageSize, count - (page - 1) * pageSize));
      return findLine(this.#read(file, 0, size), id);
    });
  }

  #read(file: number, begin: number, length: number): Buffer {
    if (length > this.#memory.length) this.#memory = Buffer.alloc(2 * length);
    return this.#memory.subarray(0, readSync(file, this.#memory, 0, length, begin));
  }
}

/** The complete line of a user's record, or undefined when it is not in these bytes. */
function findLine(bytes: Buffer, id: string): Buffer | undefined {
  const key = `"id":"${id}"`;
  // `circles` may hold the same key and id; then the search goes on in the next line.
  for (let from = 0; ; ) {
    const found = bytes.indexOf(key, from);
    const end = found < 0 ? -1 : bytes.indexOf(NEWLINE, found);
    if (end < 0) return undefined;
    from = end + 1;
    const begin = bytes.lastIndexOf(NEWLINE, found) + 1;
    if (begin === 0) continue;
    const line = bytes.subarray(begin, bytes[end - 1] === COMMA ? end - 1 : end);
    if (line.indexOf(key, line.lastIndexOf('"id":"')) >= 0) return line;
  }
}
