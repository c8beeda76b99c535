/** The rows of one history: what its source holds now, and what it held before. */
import type { Row } from "../../support/database.js";
import type { Random } from "../../support/random.js";
import type { Collection } from "./sources.js";

export class Table {
  readonly #collection: Collection;
  readonly #random: Random;
  readonly #spoilt = new WeakSet<Row>();
  /** Valid rows of builds before. */
  readonly #past: Row[][] = [];
  rows: Row[];

  constructor(collection: Collection, random: Random) {
    this.#collection = collection;
    this.#random = random;
    this.rows = collection.pool.filter(() => random.chance(0.4));
  }

  /** Mostly some few changes, now and then many, none, or what there was before. */
  edit(): void {
    const { pool, key, change } = this.#collection;
    const random = this.#random;
    if (this.#past.length > 0 && random.chance(0.15)) this.rows = random.of(this.#past);
    if (random.chance(0.1)) return;
    const share = random.chance(0.15) ? 0.6 : 0.03;
    const there = new Set(this.rows.map((row) => row[key]));
    const kept = this.rows.filter(() => !random.chance(share));
    const coming = pool.filter((row) => !there.has(row[key]) && random.chance(share));
    this.rows = [...kept.map((row) => (random.chance(share) ? change(row, random) : row)), ...coming];
  }

  /** Makes a row invalid. */
  spoil(): void {
    const { pool, key, spoil } = this.#collection;
    const bad = spoil(this.#random.of(this.rows.length > 0 ? this.rows : pool));
    this.#spoilt.add(bad);
    this.rows = [...this.rows.filter((row) => row[key] !== bad[key]), bad];
  }

  /** Removes what is invalid. */
  mend(): void {
    this.rows = this.#valid();
  }

  /** Has `edit` come back to what there is now, some time. */
  remember(): void {
    this.#past.push(this.#valid());
  }

  #valid(): Row[] {
    return this.rows.filter((row) => !this.#spoilt.has(row));
  }
}
