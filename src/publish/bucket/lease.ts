/** Allows one run at a time in a bucket, from any machine: the list of what is owned is also the lock. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { OWNED } from "../../release/layout.js";
import { encodeOwned, type Owned, parseOwned } from "../owned.js";
import { OWN_HEADERS } from "./headers.js";
import { hasStatus } from "./refusals.js";
import type { ObjectStore, PutCondition } from "./store.js";

/** In milliseconds: between two heartbeats, until one without any counts as dead, and between two looks for another run's. */
export interface Heartbeat {
  every: number;
  dead: number;
  look: number;
}

const HEARTBEAT: Heartbeat = { every: 8_000, dead: 30_000, look: 3_000 };

/**
 * Each write of the list names the version that it replaces, and a store that supports conditional writes refuses it if
 * another run was faster. A running publish writes a new number regularly. Whoever finds an incomplete run watches that
 * number, by its own clock alone, and takes over if it does not change. All shards of one release are one run here, of a name
 * that they share: they write equal lists, put equal bytes, and are alive as long as one of them is.
 */
export class Lease {
  readonly name: string;
  /** How long this run goes on without a successful heartbeat: it stops well before others take it for dead. */
  readonly #longestSilence: number;
  #seen: { owned: Owned | undefined; etag: string | undefined } = { owned: undefined, etag: undefined };
  #beating: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lastBeat: number | undefined;

  constructor(
    private readonly store: ObjectStore,
    private readonly target: string,
    private readonly shared?: string,
    private readonly heartbeat: Heartbeat = HEARTBEAT,
  ) {
    this.name = shared ?? randomUUID();
    this.#longestSilence = heartbeat.dead * 0.7;
  }

  /** Reads what is owned. Later writes replace this version and no other. */
  async read(): Promise<Owned | undefined> {
    const found = await this.store.find(OWNED);
    const owned = found && parseOwned(String(found.bytes), `${this.target}/${OWNED}`);
    this.#seen = { owned, etag: found?.etag };
    return owned;
  }

  /** @throws UserError when somebody has changed the list since `read`. */
  async requireSame(): Promise<void> {
    const { etag } = this.#seen;
    if ((await this.store.find(OWNED))?.etag !== etag) throw this.#taken();
  }

  /** Waits until the run that `read` has found counts as dead. @throws UserError when it is alive. */
  async outwait(onWait: (milliseconds: number) => void, signal?: AbortSignal): Promise<void> {
    const { dead, look } = this.heartbeat;
    const before = this.#seen.etag;
    onWait(dead);
    for (let waited = 0; waited < dead; waited += look) {
      await sleep(look, undefined, { signal });
      const found = await this.store.find(OWNED);
      if (found?.etag !== before) throw this.#taken();
    }
  }

  /** Takes the target for this run, until `end` or `stop`. @throws UserError when another run was faster. */
  async begin(owned: Owned): Promise<void> {
    await this.#writeNext(owned);
    this.#beating = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#beat());
    }, this.heartbeat.every);
    this.#beating.unref();
  }

  /** @throws UserError when the target belongs to another run, or may do so. */
  check(): void {
    // After a process was suspended, this may run before the timer does.
    if (this.#lastBeat !== undefined && performance.now() - this.#lastBeat > this.#longestSilence) this.#giveUp();
    this.store.check();
  }

  /**
   * Sends a change of the target, and breaks it off when the target no longer belongs to this run: a slow request must
   * not overwrite what another run has put since. @throws UserError as `check` does, and whatever `send` throws.
   */
  async during<T>(send: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await send();
    } catch (error) {
      this.check();
      throw error;
    }
  }

  /** Asks the store whether the target still belongs to this run. @throws UserError when it does not. */
  async confirm(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#beat());
    await this.#writing;
    this.check();
  }

  /** Stores what is owned after the last change, and lets the next run in. */
  async end(owned: Owned): Promise<void> {
    clearInterval(this.#beating);
    await this.#writing;
    this.check();
    await this.#write(owned);
    this.stop();
  }

  stop(): void {
    clearInterval(this.#beating);
    clearTimeout(this.#ending);
  }

  #giveUp(): void {
    const silence = `could not be reached for ${Math.round(this.#longestSilence / 1000)} s`;
    const why = `${this.target} ${silence}, so that another run may have begun; run this again.`;
    this.store.breakOff(new UserError(why));
  }

  /** One heartbeat. If it fails because the store cannot be reached, the run goes on until its silence is too long. */
  async #beat(): Promise<void> {
    if (!this.#seen.owned?.run) return;
    try {
      this.check();
      await this.#writeNext(await this.#look());
    } catch (error) {
      if (error instanceof UserError) this.store.breakOff(error);
    }
  }

  /** Reads the current version of the list. @throws UserError when it is not this run's. */
  async #look(): Promise<Owned> {
    const owned = await this.read();
    if (owned?.run?.name !== this.name) throw this.#taken();
    return owned;
  }

  async #writeNext(owned: Owned): Promise<void> {
    const { run } = this.#seen.owned ?? {};
    await this.#write({ ...owned, run: { name: this.name, beat: run?.name === this.name ? run.beat + 1 : 0 } });
  }

  async #write(owned: Owned): Promise<void> {
    const began = performance.now();
    const bytes = Buffer.from(encodeOwned(owned));
    this.#seen = { owned, etag: await this.#put(bytes) };
    this.#lastBeat = began;
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#giveUp(), began + this.#longestSilence - performance.now()).unref();
  }

  /**
   * An answer of the store may get lost. Then the list there is a version that this run has written without knowing:
   * this one or the one before.
   */
  async #put(bytes: Buffer): Promise<string> {
    try {
      return await this.#putIf(bytes);
    } catch (error) {
      if (![404, 409, 412].some((status) => hasStatus(error, status))) throw error;
      const found = await this.store.find(OWNED);
      if (found?.bytes.equals(bytes)) return found.etag;
      await this.#look();
      // Of shards, another one was faster, and has said that they are alive.
      return this.shared === undefined ? this.#putIf(bytes) : (this.#seen.etag ?? "");
    }
  }

  async #putIf(bytes: Buffer): Promise<string> {
    const { etag } = this.#seen;
    const condition: PutCondition = etag === undefined ? { IfNoneMatch: "*" } : { IfMatch: etag };
    const facts = { headers: OWN_HEADERS };
    return this.during(async () => {
      try {
        return await this.store.put(OWNED, bytes, { ...facts, condition });
      } catch (error) {
        // The store does not support conditional writes.
        if (!hasStatus(error, 501)) throw error;
        return this.store.put(OWNED, bytes, facts);
      }
    });
  }

  #taken(): UserError {
    return new UserError(
      `${this.target} is being published to by another run; wait until it has ended, then run this again.`,
    );
  }
}
