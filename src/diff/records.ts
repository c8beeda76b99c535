/** Reads single users out of a snapshot's pages. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Frame, readFrame } from "../contract/envelope.js";
import { type User, userSchema } from "../contract/user.js";
import { codeOf, UserError } from "../errors.js";
import { pagePath } from "../release/layout.js";
import type { Side } from "./side.js";

const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads users by their number in published order; fastest when numbers rise, since it holds one page. */
export class RecordReader {
  readonly #side: Side;
  #memory = Buffer.alloc(2 ** 17);
  #page = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #frame: Frame | undefined;

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
    const place = number % pageSize;
    if (page !== this.#page) this.#open(page);
    const { data, error } = userSchema.safeParse(this.#parse(place));
    if (data) return data;
    const { path = [], message = "" } = error.issues[0] ?? {};
    throw new UserError(
      `Page ${page} of ${name} holds no valid user in place ${place + 1}: ${path.join(".")} ${message}. Check it with "rollcall verify".`,
    );
  }

  #parse(place: number): unknown {
    const [begin, end] = this.#frame?.records[place] ?? [0, 0];
    try {
      return JSON.parse(this.#bytes.toString("utf8", begin, end));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #open(page: number): void {
    this.#bytes = this.#readFile(page);
    this.#frame = readFrame(this.#bytes);
    this.#page = page;
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
