/** Who publishes a listing, by chance: builds, ways back, losses and damages, and what of them reaches the host. */
import { join } from "node:path";
import type { Random } from "../../support/random.js";
import { now } from "../../support/time.js";
import type { Current, Deed, Made } from "./disk.js";
import type { Lane } from "./lanes.js";
import { deliver } from "./sources.js";
import { Table } from "./table.js";

const MINUTE = 60_000;

/** What may happen, and how often it does, beside others. */
const CHANCES = {
  ...{ builds: 9, buildsAgain: 1, isKilled: 2, hasFullDisk: 2, isGated: 1, isRefused: 1, skips: 1 },
  ...{ goesBack: 2, goesBackAndForth: 1, losesAll: 1, isDelivered: 1, hasAnotherContract: 1, isDamaged: 1 },
};
type Name = keyof typeof CHANCES;
const BAG = Object.entries(CHANCES).flatMap(([name, weight]) => Array<Name>(weight).fill(name as Name));

/** Who is told of what happens. */
export interface Witness {
  count(what: string): void;
  tell(line: string): void;
  /** There is such a state, by a release that was built. */
  exists(current: Current): void;
  /** The host may have this state from now on. */
  serves(state: string): void;
}

export class Publisher {
  readonly #lane: Lane;
  readonly #history: number;
  readonly #random: Random;
  readonly #witness: Witness;
  readonly #table: Table;
  readonly #steps: number | undefined;
  readonly #isBulk: boolean;
  readonly #isSigned: boolean;
  #contract = 0;
  #time: number;
  #current: Current | undefined;
  /** What a bucket has, which is not always what was built last. */
  #published: Current | undefined;
  /** Whether the last publish was whole. */
  #isWhole = true;
  /** Milliseconds that a build, a switch and a publish take. */
  readonly #usual = { build: 60, use: 15, publish: 300 };
  /** Folders of releases that a step was damaged in. */
  readonly #damaged = new Set<string>();
  /** Whether releases came otherwise than by a build where they are, since the last rest. */
  #isMoved = false;

  constructor(lane: Lane, history: number, isSigned: boolean, random: Random, witness: Witness) {
    this.#lane = lane;
    this.#history = history;
    this.#random = random;
    this.#witness = witness;
    this.#table = new Table(lane.collection, random);
    this.#steps = random.of([undefined, 1, 2, 6, 50, 50, 50]);
    this.#isBulk = random.chance(0.5);
    this.#isSigned = isSigned;
    this.#time = Date.UTC(2026, 0, 1) + history * 1000 * MINUTE;
  }

  /** How long what happens takes, about. */
  get usualTime(): number {
    const { build, publish } = this.#usual;
    return this.#lane.kind === "bucket" ? build + publish : build;
  }

  async begin(): Promise<void> {
    await this.#do({ deed: "lose" });
    await this.builds();
  }

  /** Something happens. */
  async act(): Promise<void> {
    await this[this.#random.of(BAG)]();
    if (this.#lane.kind === "bucket") await this.#publishMaybe();
  }

  async builds(): Promise<void> {
    this.#table.edit();
    requireDone(await this.#build());
  }

  /** Has the host take up what is current. @returns it, and whether steps that it has can be relied on. */
  async rest(): Promise<{ now: Current; isSure: boolean }> {
    const isBucket = this.#lane.kind === "bucket";
    if (isBucket) await this.#publishWhole();
    else if (!this.#current || this.#isRefused(this.#current)) requireDone(await this.#build());
    await this.#lane.refresh();
    const now = isBucket ? this.#published : this.#current;
    if (!now) throw new Error("There is no current release.");
    const isSure = !this.#isMoved && !this.#damaged.has(now.folder);
    this.#isMoved = false;
    return { now, isSure };
  }

  /** Rollcall's own host takes up no release that is damaged, and goes on with the one before. */
  #isRefused({ folder }: Current): boolean {
    return this.#lane.kind === "serve" && this.#damaged.has(folder);
  }

  /** @throws Error when something is wrong with the current release. */
  async verify(): Promise<void> {
    const { result, error } = await this.#do({ deed: "verify" });
    const found = JSON.stringify(error ?? result);
    if (found !== "[]") throw new Error(`What is current is damaged: ${found}.`);
  }

  async buildsAgain(): Promise<void> {
    requireDone(await this.#build());
  }

  async isKilled(): Promise<void> {
    this.#table.edit();
    const { isKilled } = await this.#build({}, { killAfter: this.#random.next() * 1.3 * this.#usual.build });
    this.#witness.count(isKilled ? "build killed" : "build not killed in time");
  }

  async hasFullDisk(): Promise<void> {
    this.#table.edit();
    const { error } = await this.#build({}, { leaves: this.#random.below(250_000) });
    if (error && !/disk is full/.test(error.message)) throw new Error(`On a full disk: ${error.message}`);
    this.#witness.count(error ? "disk full" : "disk not full");
  }

  async isGated(): Promise<void> {
    this.#table.edit();
    const made = await this.#build({ gates: { maxChanged: 0, maxAdded: 0, maxRemoved: 1 } });
    if (made.error?.name !== "GateError") return requireDone(made);
    this.#witness.count("refused by gates");
    const [, refused] = /rollcall use ([0-9a-f]+)/.exec(made.error.message) ?? [];
    if (this.#random.chance(0.5)) return;
    requireDone(await this.#do({ deed: "use", word: refused, time: this.#tick() }));
    this.#witness.count("accepted after all");
  }

  async isRefused(): Promise<void> {
    this.#table.spoil();
    const { error } = await this.#build();
    this.#table.mend();
    if (error?.name !== "InvalidRecordsError") throw new Error(`With invalid records: ${error?.message}`);
    this.#witness.count("refused for invalid records");
  }

  async skips(): Promise<void> {
    this.#table.edit();
    this.#table.spoil();
    requireDone(await this.#build({ skipInvalid: true }));
    this.#table.mend();
    this.#witness.count("invalid records skipped");
  }

  async goesBack(): Promise<void> {
    const killAfter = this.#random.chance(0.4) ? this.#random.next() * 1.5 * this.#usual.use : undefined;
    const began = now();
    const { error, isKilled } = await this.#do({ deed: "use", word: "previous", time: this.#tick() }, killAfter);
    this.#witness.count(isKilled ? "use killed" : error ? "nothing to go back to" : "went back");
    if (!error && !isKilled) this.#usual.use = (this.#usual.use + now() - began) / 2;
  }

  async goesBackAndForth(): Promise<void> {
    await this.goesBack();
    await this.goesBack();
  }

  async losesAll(): Promise<void> {
    // Another run might be at work where one was begun from releases that nobody has any more.
    if (!this.#isWhole) return;
    this.#isMoved = true;
    await this.#do({ deed: "lose" });
    requireDone(await this.#build());
    this.#witness.count("all releases lost");
  }

  async isDelivered(): Promise<void> {
    this.#table.edit();
    this.#isMoved = true;
    const isFresh = this.#random.chance(0.5);
    requireDone(await this.#build({ root: this.#lane.disk.dist }, {}, { deed: "deliver", isFresh }));
    this.#witness.count("built elsewhere");
  }

  async hasAnotherContract(): Promise<void> {
    this.#contract = this.#random.below(this.#lane.collection.contracts.length);
    requireDone(await this.#build());
    this.#witness.count("another contract");
  }

  async isDamaged(): Promise<void> {
    const how = this.#random.of(["changed", "cut", "missing"]);
    const { error } = await this.#do({ deed: "damage", how, at: this.#random.below(10_000) });
    if (error || !this.#current) return;
    this.#damaged.add(this.#current.folder);
    this.#witness.count("step damaged");
  }

  async #build(
    more: object = {},
    { killAfter, leaves }: { killAfter?: number; leaves?: number } = {},
    deed: Deed = { deed: "build" },
  ): Promise<Made> {
    const { collection, folder } = this.#lane;
    const db = join(folder, "source.sqlite");
    deliver(collection, db, this.#table.rows);
    const options = { db, ...this.#settings(), ...more };
    const began = now();
    const made = await this.#do({ ...deed, options, time: this.#tick(), leaves }, killAfter);
    if (made.result === undefined) return made;
    this.#usual.build = (this.#usual.build + now() - began) / 2;
    this.#table.remember();
    if (made.current?.steps?.length) this.#witness.count("releases with steps");
    return made;
  }

  /** Mostly those of this history. */
  #settings(): object {
    const random = this.#random;
    const { kind, collection, key } = this.#lane;
    const contract = collection.contracts[this.#contract];
    const steps = random.chance(0.85) ? this.#steps : random.of([undefined, 0, 1, 50]);
    return {
      ...{ baseUrl: this.#lane.baseUrlOf(this.#history), encodings: ["gzip"], keep: random.of([0, 1, 5]) },
      ...{ links: kind === "bucket" ? "path" : "query", pageSize: random.chance(0.9) ? 10 : 7 },
      ...{ bulk: random.chance(0.9) ? this.#isBulk : !this.#isBulk, workers: random.chance(0.1) ? 2 : 0 },
      ...(kind === "nginx" && { adapt: ["nginx"] }),
      ...(contract && { contract }),
      ...(steps !== undefined && { changes: steps }),
      ...(this.#isSigned && { signKey: key.secret }),
    };
  }

  async #do(deed: Deed, killAfter?: number): Promise<Made> {
    const made = await this.#lane.maker.do(deed, killAfter);
    const { current } = made;
    const outcome = made.isKilled ? "killed" : (made.error?.message ?? "done");
    this.#witness.tell(`${deed.deed}: ${outcome}; ${current?.state.slice(0, 12)}, ${current?.steps?.length} steps`);
    this.#current = current;
    if (!current) return made;
    this.#witness.exists(current);
    if (this.#lane.kind !== "bucket") this.#witness.serves(current.state);
    return made;
  }

  async #publishMaybe(): Promise<void> {
    const random = this.#random;
    if (!this.#current || random.chance(0.3)) return;
    const killAfter = random.chance(0.25) ? random.next() * 1.2 * this.#usual.publish : undefined;
    const loses = random.chance(0.15) ? () => random.chance(0.1) : undefined;
    await this.#publish({ killAfter, loses });
  }

  async #publishWhole(): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      if (!this.#current) requireDone(await this.#build());
      const { error } = await this.#publish({});
      if (!error) return;
      // A release that was damaged is not published, and the next build replaces it.
      this.#witness.count("publish refused");
      requireDone(await this.#build());
    }
    throw new Error("No publish was whole.");
  }

  async #publish(trouble: Parameters<Lane["publish"]>[1]): Promise<Made> {
    const began = now();
    const wanted = this.#current;
    if (wanted) this.#witness.serves(wanted.state);
    const made = await this.#lane.publish(this.#history, trouble);
    this.#isWhole = !made.isKilled && !made.error;
    this.#witness.tell(`publish: ${made.isKilled ? "killed" : (made.error?.message ?? "done")}`);
    this.#witness.count(this.#isWhole ? "published" : "publish cut off");
    if (!this.#isWhole) return made;
    this.#published = wanted;
    this.#usual.publish = (this.#usual.publish + now() - began) / 2;
    return made;
  }

  /** Some time passes: mostly enough for releases to be pruned. */
  #tick(): number {
    this.#time += this.#random.chance(0.8) ? 2 * MINUTE : 1000;
    return this.#time;
  }
}

function requireDone({ error }: Made): void {
  if (error) throw new Error(`It should have been done: ${error.name}: ${error.message}`);
}
