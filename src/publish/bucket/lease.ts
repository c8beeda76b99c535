/** One run at a time in a bucket, whatever machine it is on: the list of what is owned is the lock as well. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { OWNED } from "../names.js";
import { encodeOwned, type Owned, parseOwned } from "../owned.js";
import { OWN_HEADERS } from "./headers.js";
import { hasStatus } from "./refusals.js";
import type { Condition, Store } from "./store.js";

/** How a run shows that it lives, and how long others wait to see it; in milliseconds. */
export interface Heartbeat {
  /** Between two signs of life. */
  beat: number;
  /** Without a sign for this long, a run has ended. */
  dead: number;
  /** Between two looks at another run's signs. */
  look: number;
}

const PULSE: Heartbeat = { beat: 8_000, dead: 30_000, look: 3_000 };

/**
 * Each write of the list names the version that it replaces, and a store that knows conditions refuses it when another
 * run was faster. A run that lives writes a new number again and again. So whoever finds an unfinished run waits for
 * that, by nothing but its own clock, and takes over when nothing moves.
 */
export class Lease {
  /** Of this run, as others see it. */
  readonly name = randomUUID();
  readonly #store: Store;
  readonly #target: string;
  readonly #pulse: Heartbeat;
  #seen: { owned: Owned | undefined; etag: string | undefined } = { owned: undefined, etag: undefined };
  #beating: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lastBeat: number | undefined;

  constructor(store: Store, target: string, pulse: Heartbeat = PULSE) {
    this.#store = store;
    this.#target = target;
    this.#pulse = pulse;
  }

  /** What is owned now; later writes replace this version and no other. */
  async read(): Promise<Owned | undefined> {
    const found = await this.#store.find(OWNED);
    const owned = found && parseOwned(String(found.bytes), `${this.#target}/${OWNED}`);
    this.#seen = { owned, etag: found?.etag };
    return owned;
  }

  /** Waits until the run that `read` has found shows no sign of life any more. @throws UserError when it lives. */
  async outwait(onWait: (milliseconds: number) => void, signal?: AbortSignal): Promise<void> {
    const before = this.#seen.etag;
    onWait(this.#pulse.dead);
    for (let waited = 0; waited < this.#pulse.dead; waited += this.#pulse.look) {
      await sleep(this.#pulse.look, undefined, { signal });
      const found = await this.#store.find(OWNED);
      if (found?.etag !== before) throw this.#taken();
    }
  }

  /** Makes the target this run's, until `end` or `stop`. @throws UserError when another run was faster. */
  async begin(owned: Owned): Promise<void> {
    await this.#write({ ...owned, run: { name: this.name, beat: 0 } });
    this.#beating = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#beat());
    }, this.#pulse.beat);
    this.#beating.unref();
  }

  /** @throws UserError when the target is another run's, or may be by now. */
  check(): void {
    // A process that was frozen may come here before its timer does.
    if (this.#lastBeat !== undefined && performance.now() - this.#lastBeat > this.#patience) this.#giveUp();
    this.#store.check();
  }

  /**
   * Sends what changes the target, and breaks it off when the target ceases to be this run's: what is on its way for long
   * must not land on what another run has put there since.
   * @throws UserError as `check` does, and whatever `send` throws.
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

  /** The same, asking the store. */
  async confirm(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#beat());
    await this.#writing;
    this.check();
  }

  /** Stores what is owned once all is done, and lets the next run in. */
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

  /** How long this run goes on without a sign of life: it ends well before anybody else takes it for dead. */
  get #patience(): number {
    return this.#pulse.dead * 0.7;
  }

  #giveUp(): void {
    const silence = `could not be reached for ${Math.round(this.#patience / 1000)} s`;
    const why = `${this.#target} ${silence}, so that another run may have begun; run this again.`;
    this.#store.breakOff(new UserError(why));
  }

  /** One sign of life. A store that cannot be reached is no reason to stop before the run may count as dead. */
  async #beat(): Promise<void> {
    const { owned } = this.#seen;
    if (!owned?.run) return;
    try {
      this.check();
      await this.#look();
      await this.#write({ ...owned, run: { name: this.name, beat: owned.run.beat + 1 } });
    } catch (error) {
      if (error instanceof UserError) this.#store.breakOff(error);
    }
  }

  /** Finds out which version of the list is there now. @throws UserError when it is not this run's. */
  async #look(): Promise<void> {
    const found = await this.#store.find(OWNED);
    const owned = found && parseOwned(String(found.bytes), `${this.#target}/${OWNED}`);
    if (owned?.run?.name !== this.name) throw this.#taken();
    this.#seen = { owned, etag: found?.etag };
  }

  async #write(owned: Owned): Promise<void> {
    const began = performance.now();
    const bytes = Buffer.from(encodeOwned(owned));
    this.#seen = { owned, etag: await this.#put(bytes) };
    this.#lastBeat = began;
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#giveUp(), began + this.#patience - performance.now()).unref();
  }

  /**
   * Answers may get lost on their way: then what is there is a version that this run has written without knowing, this
   * very one or the one before.
   */
  async #put(bytes: Buffer): Promise<string> {
    try {
      return await this.#putIf(bytes);
    } catch (error) {
      if (![404, 409, 412].some((status) => hasStatus(error, status))) throw error;
      const found = await this.#store.find(OWNED);
      if (found?.bytes.equals(bytes)) return found.etag;
      await this.#look();
      return this.#putIf(bytes);
    }
  }

  async #putIf(bytes: Buffer): Promise<string> {
    const { etag } = this.#seen;
    const condition: Condition = etag === undefined ? { IfNoneMatch: "*" } : { IfMatch: etag };
    const facts = { headers: OWN_HEADERS };
    return this.during(async () => {
      try {
        return await this.#store.put(OWNED, bytes, { ...facts, condition });
      } catch (error) {
        // A store that knows no conditions at all.
        if (!hasStatus(error, 501)) throw error;
        return this.#store.put(OWNED, bytes, facts);
      }
    });
  }

  #taken(): UserError {
    return new UserError(
      `${this.#target} is being published to by another run; wait until it has ended, then run this again.`,
    );
  }
}
