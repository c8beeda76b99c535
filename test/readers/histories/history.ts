/** One history of a listing, by chance, while copies of it are brought up to date. */
import { ListingError, type SyncResult } from "../../../src/client/index.js";
import type { Random } from "../../support/random.js";
import { pause } from "../../support/time.js";
import { type Copy, memoryCopy, sqliteCopy } from "./copies.js";
import type { Current } from "./disk.js";
import type { Lane } from "./lanes.js";
import { Publisher } from "./publisher.js";

/** What happened, how often. */
export type Tally = Map<string, number>;

const DEEDS = 4;
/** How often a copy may fail to come to what a host at rest has. */
const MOST_TRIES = 100;
/** How often a host is asked at most whether it has taken up a release. */
const MOST_LOOKS = 5000;

/** How probable it is that each copy is brought up to date while something happens, and then at rest. */
const OFTEN = [0.9, 0.5, 0.15];

export class History {
  readonly #lane: Lane;
  readonly #url: string;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #publisher: Publisher;
  readonly #copies: readonly Copy[];
  /** States that the host may have had since the last rest. */
  #possible = new Set<string>();
  readonly #digests = new Map<string, string>();
  /** What was done, for who reads of a failure. */
  readonly told: string[] = [];

  constructor(lane: Lane, number: number, random: Random, tally: Tally) {
    this.#lane = lane;
    this.#random = random;
    this.#tally = tally;
    this.#url = lane.baseUrlOf(number);
    const isSigned = random.chance(0.2);
    this.#publisher = new Publisher(lane, number, isSigned, random, {
      count: (what) => this.#count(what),
      tell: (line) => this.told.push(line),
      exists: ({ state, digests }) => this.#digests.set(state, `${digests}`),
      serves: (state) => this.#possible.add(state),
    });
    const origin = { baseUrl: this.#url, publicKey: isSigned ? lane.key.public : undefined };
    this.#copies = [
      memoryCopy("often", origin, random),
      sqliteCopy(`file-${number}`, origin, lane.folder),
      memoryCopy("seldom", origin, random),
    ];
  }

  async play(): Promise<void> {
    await this.#publisher.begin();
    await this.#comeToRest();
    for (let count = 0; count < DEEDS; count++) {
      await this.#during(() => this.#publisher.act());
      if (this.#random.chance(0.6)) await this.#comeToRest();
    }
    await this.#during(() => this.#publisher.builds());
    await this.#comeToRest(true);
    await this.#publisher.verify();
    for (const copy of this.#copies) {
      const state = (await copy.held())?.state ?? "";
      if (`${await copy.madeDigests()}` === this.#digests.get(state)) continue;
      throw new Error(`The copy "${copy.name}" does not hold the records of ${state}, which it says.`);
    }
  }

  /** Does something, while copies are brought up to date. */
  async #during(deed: () => Promise<void>): Promise<void> {
    const copies = this.#copies.filter((_, index) => this.#random.chance(OFTEN[index] ?? 0));
    const syncs = copies.map(async (copy) => {
      await pause(this.#random.next() * this.#publisher.usualTime);
      return this.#try(copy);
    });
    const done = deed();
    // All are over before anything is said of one.
    await Promise.allSettled([done, ...syncs]);
    const [, ...attempts] = await Promise.all([done, ...syncs]);
    for (const attempt of attempts) await this.#judge(attempt);
  }

  async #try(copy: Copy): Promise<Attempt> {
    const before = { held: await copy.held(), digests: await copy.digests() };
    try {
      return { copy, before, result: await copy.sync() };
    } catch (error) {
      if (!(error instanceof ListingError)) throw error;
      return { copy, before, error };
    }
  }

  /** After each attempt, a copy holds the records of a state that its host had, or what it held before. */
  async #judge({ copy, before, result, error }: Attempt): Promise<void> {
    const [held, digests] = [await copy.held(), `${await copy.digests()}`];
    const state = held?.state ?? "";
    const wrong = (why: string) => new Error(`The copy "${copy.name}" ${why}.`, { cause: error });
    if (!result) {
      this.#count("sync failed");
      if (state !== (before.held?.state ?? "") || digests !== `${before.digests}`)
        throw wrong("changed in a sync that failed");
      return;
    }
    this.#count(`sync by ${result.via}`);
    if (before.held && isWhole(result)) this.#count("read everything anew");
    this.told.push(`${copy.name}: ${result.via} to ${state.slice(0, 12)} ${result.anew ?? ""}`);
    if (state !== result.state) throw wrong(`holds ${state}, and says ${result.state}`);
    if (!this.#possible.has(state)) throw wrong(`holds ${state}, which its host did not have`);
    if (digests !== this.#digests.get(state)) throw wrong(`does not hold the records of ${state}`);
    if (result.via === "nothing" && before.held?.state !== state) throw wrong(`read nothing, and moved to ${state}`);
  }

  /** Waits until the host has what is current, and brings some copies to it, or all. */
  async #comeToRest(isForAll = false): Promise<void> {
    const { now, isSure } = await this.#publisher.rest();
    await this.#untilServed(now);
    this.#possible = new Set([now.state]);
    for (const [index, copy] of this.#copies.entries())
      if (isForAll || this.#random.chance(OFTEN[index] ?? 0)) await this.#bring(copy, now, isSure);
  }

  async #bring(copy: Copy, now: Current, isSure: boolean): Promise<void> {
    const mayTakeSteps = isSure && hasChain(await copy.held(), now);
    let last = await this.#try(copy);
    await this.#judge(last);
    for (let tries = 1; !last.result; tries++) {
      if (tries === MOST_TRIES)
        throw new Error(`The copy "${copy.name}" does not come to what its host has.`, { cause: last.error });
      await pause(20);
      last = await this.#try(copy);
      await this.#judge(last);
    }
    if (!mayTakeSteps) return;
    this.#count("steps could be taken");
    if (!isWhole(last.result) && last.result.anew === undefined) return;
    const { via, anew } = last.result;
    throw new Error(`The copy "${copy.name}" read ${via}, though steps lead to ${now.state}: ${anew}`);
  }

  async #untilServed({ id, state }: Current): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      // A server that takes up another release closes connections that are open.
      const text = await fetch(`${this.#url}/snapshot.json?rest`, { headers: { connection: "close" } }).then(
        (answer) => answer.text(),
        () => "",
      );
      if (text.includes(`"${id}"`) && text.includes(`"${state}"`)) return;
      await pause(10);
    }
    throw new Error(`The host does not take up ${id}.`);
  }

  #count(what: string): void {
    const name = `${this.#lane.kind}: ${what}`;
    this.#tally.set(name, (this.#tally.get(name) ?? 0) + 1);
  }
}

/** What came of an attempt to bring a copy up to date, and what it held before. */
interface Attempt {
  copy: Copy;
  before: { held: Awaited<ReturnType<Copy["held"]>>; digests: string[] };
  result?: SyncResult;
  error?: ListingError;
}

function isWhole({ via }: SyncResult): boolean {
  return via === "pages" || via === "bulk";
}

/** Whether steps lead from what a copy holds to a release. */
function hasChain(held: Attempt["before"]["held"], { state, steps = [], contract }: Current): boolean {
  if (!held || held.contract !== contract) return false;
  return held.state === state || steps.some(({ from }) => from === held.state);
}
