/**
 * What a build remembers of its source beside its releases, so that the next one reads only rows that may be others:
 * a digest of every page of the SQLite file that holds rows. Without it, or with that of another release, all are read.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pageFrame } from "../contract/page.js";
import { CONTRACT_VERSION } from "../contract/user.js";
import { codeOf } from "../errors.js";
import { IMPRINT, NEXT_IMPRINT } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { Footprint } from "../source/footprint.js";
import { KEY_BYTES } from "../source/leaves.js";
import { pageRows } from "../source/order.js";
import { pageTextSql } from "../source/page-text.js";
import type { Share } from "../source/reader.js";
import type { Order } from "./messages.js";
import type { Collection } from "./pages.js";

/** File pages in one order: some megabytes. */
const LEAVES_AN_ORDER = 1024;

/** Telling more rows than that apart takes longer than it saves, or more memory than a build should. */
const MOST_SUSPECTS = { share: 0.1, rows: 200_000 };

export class Imprint {
  readonly #dist: string;
  #before: number | undefined;
  #after: number | undefined;
  #madeFrom = "";
  #suspects: Set<number> | undefined;
  #most = 0;
  #isLost = false;

  /** @param dist whose lock is held. */
  constructor(dist: string) {
    this.#dist = dist;
  }

  /**
   * Begins to make the imprint of a source; every reply to the orders must be taken.
   * @param previous the release that pages could be taken over from.
   */
  *begin(
    { database, leaves, shape }: Footprint,
    { relation, kind, defaultAvatar }: Share,
    collection: Collection,
    previous: Release | undefined,
  ): Generator<Order, void> {
    // All that pages are made from besides rows: text in which anything differs makes none of them known.
    const text = pageTextSql(pageRows(relation, kind));
    const frame = pageFrame({ ...collection, page: 2 });
    this.#madeFrom = JSON.stringify([CONTRACT_VERSION, shape, text, defaultAvatar, collection, frame]);
    this.#before = previous && this.#openBefore(previous.snapshot.id);
    this.#suspects = this.#before === undefined ? undefined : new Set();
    this.#most = Math.min(collection.count * MOST_SUSPECTS.share, MOST_SUSPECTS.rows);
    const after = openSync(join(this.#dist, NEXT_IMPRINT), "w");
    this.#after = after;
    for (let at = 0; at < leaves.length; at += LEAVES_AN_ORDER) {
      const some = leaves.slice(at, at + LEAVES_AN_ORDER);
      yield { kind: "look", leaves: { database, leaves: some, before: this.#before, after } };
    }
  }

  /** @param suspects of one order; undefined when the source's file is not understood, and there will be no imprint. */
  take(suspects: readonly number[] | undefined): void {
    // Other threads may still be at work on their orders, so files stay open until all is placed.
    this.#isLost ||= suspects === undefined;
    for (const rowid of suspects ?? []) this.#suspects?.add(rowid);
    if (this.#isLost || (this.#suspects?.size ?? 0) > this.#most) this.#suspects = undefined;
  }

  /** Row ids; all other rows are as they were at the last build. Undefined when nothing is known of any. */
  get suspects(): ReadonlySet<number> | undefined {
    return this.#suspects;
  }

  /** Keeps the imprint for the next build, as that of the source of a release. */
  finish(release: string): void {
    if (this.#after === undefined || this.#isLost) {
      this.discard();
      return;
    }
    writeSync(this.#after, this.#keyOf(release), 0, KEY_BYTES, 0);
    this.#close();
    renameSync(join(this.#dist, NEXT_IMPRINT), join(this.#dist, IMPRINT));
  }

  discard(): void {
    this.#close();
    this.#suspects = undefined;
    this.#isLost = false;
    rmSync(join(this.#dist, NEXT_IMPRINT), { force: true });
  }

  #openBefore(release: string): number | undefined {
    const file = openIfThere(join(this.#dist, IMPRINT));
    if (file === undefined) return undefined;
    const key = Buffer.alloc(KEY_BYTES);
    readSync(file, key, 0, KEY_BYTES, 0);
    if (key.equals(this.#keyOf(release))) return file;
    closeSync(file);
    return undefined;
  }

  #keyOf(release: string): Buffer {
    return createHash("sha256").update(`${release}\n${this.#madeFrom}`).digest();
  }

  #close(): void {
    for (const file of [this.#before, this.#after]) if (file !== undefined) closeSync(file);
    this.#before = undefined;
    this.#after = undefined;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
