/** Reads single users out of a snapshot's pages. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { RECORD_SEPARATOR } from "../contract/record-text.js";
import { type User, userSchema } from "../contract/user.js";
import { codeOf, UserError } from "../errors.js";
import { pagePath } from "../release/layout.js";
import type { Side } from "./side.js";

const NEWLINE = 10;
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads users by their number in published order; fastest when numbers rise, since it holds one page. */
export class RecordReader {
  readonly #side: Side;
  #page = 0;
  #memory = Buffer.alloc(2 ** 17);
  #bytes: Buffer = Buffer.alloc(0);
  /** The record that was found last, and where it begins. */
  #index = 0;
  #at = 0;

  constructor(side: Side) {
    this.#side = side;
  }

  /**
   * User `number`, from 0.
   * @throws UserError when the page is not there or holds no such user.
   */
  read(number: number): User {
    const { pageSize, name } = this.#side.facts;
    const page = Math.floor(number / pageSize) + 1;
    if (page !== this.#page) this.#open(page);
    const user = userSchema.safeParse(this.#parse(number % pageSize));
    if (user.success) return user.data;
    const { path = [], message = "" } = user.error.issues[0] ?? {};
    throw new UserError(
      `${name} is no valid snapshot: on page ${page}, user ${(number % pageSize) + 1}: ${path.join(".")} ${message}. Check it with "rollcall verify".`,
    );
  }

  #parse(index: number): unknown {
    if (index < this.#index) [this.#index, this.#at] = [0, this.#bytes.indexOf(NEWLINE) + 1];
    for (; this.#index < index; this.#index++) this.#at = this.#bytes.indexOf(NEWLINE, this.#at) + 1;
    const end = this.#bytes.indexOf(NEWLINE, this.#at);
    const line = this.#bytes.toString("utf8", this.#at, end);
    try {
      return JSON.parse(line.endsWith(RECORD_SEPARATOR[0] ?? "") ? line.slice(0, -1) : line);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #open(page: number): void {
    this.#bytes = this.#readFile(page);
    this.#page = page;
    [this.#index, this.#at] = [0, this.#bytes.indexOf(NEWLINE) + 1];
  }

  #readFile(page: number): Buffer {
    const path = join(this.#side.folder, pagePath(page));
    let file: number;
    try {
      file = openSync(path, PLAIN);
    } catch (cause) {
      throw new UserError(
        `Page ${page} of ${this.#side.facts.name} cannot be read (${codeOf(cause)}); check it with "rollcall verify".`,
        { cause },
      );
    }
    try {
      const { size } = fstatSync(file);
      if (size > this.#memory.length) this.#memory = Buffer.alloc(2 * size);
      return this.#memory.subarray(0, readSync(file, this.#memory, 0, size, 0));
    } finally {
      closeSync(file);
    }
  }
}
