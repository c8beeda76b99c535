/**
 * A thousand switches while the client reads, from a host and through a cache that keeps pages for a minute. Beside it,
 * helpers that many programs page with read the same listing; how many of their walks are of two releases is printed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { ListingError, openListing, type Position, SnapshotChangedError } from "../../../src/client/index.js";
import { plainRows, type Row, userId } from "../../support/database.js";
import { engine, isMissing } from "../../support/installed.js";
import { draws, seeded } from "../../support/random.js";
import { now, pause } from "../../support/time.js";
import { until } from "../../support/until.js";
import { markOf } from "./cases.mjs";
import { type Host, stationOf, type Turn } from "./hosts.js";

const SWITCHES = draws(1_000);
/** Most time between two switches, on average. A walk that takes as long sees none of them every third time. */
const MOST_PAUSE_MS = 150;
/** After this many switches, the hosts pause until each reader has completed a walk. */
const STILL_EVERY = 40;
/** Between two walks of a reader. */
const THINK_MS = 50;
const HELPERS = ["octokit", "got"] as const;
const PAGINATORS = new URL("../../engines/paginators.mjs", import.meta.url).pathname;

const TURNS: readonly Turn[] = ["first", "second", "third", "fourth"];

/** Other counts and other orders: records come at the top, go from the middle, and all are turned round. */
const SOURCES: Record<Turn, Row[]> = {
  second: plainRows(263).filter((_, at) => at % 50 !== 3),
  third: plainRows(231).map((row, at) => ({ ...row, id: userId(230 - at), username: `user${230 - at}` })),
  fourth: [...plainRows(250), ...plainRows(25).map((row, at) => ({ ...row, ...newest(at) }))],
  first: plainRows(250),
};

function newest(at: number): Row {
  return { id: userId(5_000 + at), date_joined: `2026-02-01T00:00:${String(at).padStart(2, "0")}.000000Z` };
}

/** What a kind of reader met. */
interface Tally {
  walks: number;
  /** Walks of one release, from its first record to its last. */
  whole: number;
  /** Walks that ended by themselves with other records than those of one release. */
  mixed: number;
  duplicates: number;
  holes: number;
  restarts: number;
  /** Walks that said that the listing had moved. */
  moved: number;
  /** Walks that ended with another of the client's errors: the host never held still for as long as its proofs take to read. */
  refused: number;
  errors: string[];
}

test.skipIf(isMissing("nginx", "minisign", engine("got"), engine("@octokit/core")))(
  `no walk of the client is of two releases in ${SWITCHES} switches`,
  { timeout: 1_800_000 },
  async () => {
    const random = seeded();
    const stations = [await stationOf("serve", SOURCES), await stationOf("cache", SOURCES)];
    for (const { switchTo } of stations) await switchTo("first");
    const isOver = new AbortController();
    const tallies = new Map<string, Tally>();
    const reading = stations.flatMap(({ host }) => readAll(host, isOver.signal, tallies));

    const wholeWalks = (where: string) => {
      const own = [...tallies].filter(([name]) => name.endsWith(where) && !HELPERS.some((one) => name.startsWith(one)));
      return own.map(([, { whole }]) => whole);
    };

    const began = now();
    let turn: Turn = "first";
    for (let switches = 0; switches < SWITCHES; switches++) {
      // It means something only if there are walks to the end.
      if (switches % STILL_EVERY === 0)
        await until(() => wholeWalks("serve").every((count) => count > switches / STILL_EVERY));
      await pause(-Math.log(1 - random.next()) * MOST_PAUSE_MS);
      turn = random.of(TURNS.filter((other) => other !== turn));
      await Promise.all(stations.map(({ switchTo }) => switchTo(turn)));
    }
    isOver.abort();
    await Promise.all(reading);

    const lines = [...tallies].map(
      ([name, { errors, ...tally }]) => `${name}: ${JSON.stringify({ ...tally, errors: errors.length })}`,
    );
    process.stdout.write(`${SWITCHES} switches in ${Math.round((now() - began) / 1000)} s\n${lines.join("\n")}\n`);
    for (const [name, { mixed, duplicates, holes, errors }] of tallies) {
      if (HELPERS.some((helper) => name.startsWith(helper))) continue;
      expect([name, mixed, duplicates, holes, errors]).toEqual([name, 0, 0, 0, []]);
    }
    // Through a cache full of other releases' pages, few walks end.
    expect(wholeWalks("cache").reduce((sum, whole) => sum + whole)).toBeGreaterThan(SWITCHES / 100);
    for (const helper of HELPERS) expect(tallies.get(`${helper}, serve`)?.mixed).toBeGreaterThan(0);
  },
);

/** Every kind of walk, again and again, and the helpers. */
function readAll(host: Host, isOver: AbortSignal, tallies: Map<string, Tally>): Promise<void>[] {
  const open = () => openListing(host.baseUrl, { publicKey: host.publicKey });
  const tallyFor = (name: string) => {
    const tally: Tally = {
      walks: 0,
      whole: 0,
      mixed: 0,
      duplicates: 0,
      holes: 0,
      restarts: 0,
      moved: 0,
      refused: 0,
      errors: [],
    };
    tallies.set(`${name}, ${host.name}`, tally);
    return tally;
  };
  const again = async (name: string, walk: (tally: Tally) => Promise<void>) => {
    const tally = tallyFor(name);
    while (!isOver.aborted) {
      // So that switches, hosts and readers share two cores.
      await pause(THINK_MS);
      tally.walks++;
      await walk(tally).catch((error) => {
        if (error instanceof SnapshotChangedError) tally.moved++;
        else if (error instanceof ListingError) tally.refused++;
        else tally.errors.push(`${error}`);
      });
    }
  };
  const listing = open();
  const readWhole = (via: "pages" | "bulk", restart: boolean) => async (tally: Tally) => {
    let records: unknown[] = [];
    const onRestart = () => {
      requireBeginning(host, records);
      records = [];
      tally.restarts++;
    };
    try {
      for await (const record of listing.records({ via, restart, onRestart })) records.push(record);
    } catch (error) {
      requireBeginning(host, records);
      throw error;
    }
    judge(host, records, tally);
  };
  const inParts = async (tally: Tally) => {
    const records: unknown[] = [];
    let after: Position | undefined;
    for (;;) {
      const walk = open().records(after && { after });
      const { length } = records;
      while (records.length < length + 95) {
        const { done, value } = await walk.next();
        if (done) return judge(host, records, tally);
        records.push(value);
      }
      after = JSON.parse(JSON.stringify(walk.position)) as Position;
      await walk.return?.();
    }
  };
  return [
    again("by pages", readWhole("pages", false)),
    again("by pages, restarting", readWhole("pages", true)),
    again("by bulk, restarting", readWhole("bulk", true)),
    again("in parts", inParts),
    ...HELPERS.map((helper) => withHelper(helper, host, isOver, tallyFor(helper))),
  ];
}

/** A program of its own that reads with one of the helpers. */
async function withHelper(helper: string, host: Host, isOver: AbortSignal, tally: Tally): Promise<void> {
  const child = spawn(process.execPath, [PAGINATORS, helper, `${host.baseUrl}/api/users/`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  isOver.addEventListener("abort", () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    if (isOver.aborted) break;
    const { records, error } = JSON.parse(line) as { records?: unknown[]; error?: string };
    tally.walks++;
    if (records) judge(host, records, tally);
    else tally.errors.push(error ?? "");
  }
  await ended;
}

function judge({ releases }: Host, records: readonly unknown[], tally: Tally): void {
  const marks = records.map((record) => markOf(JSON.stringify(record)));
  const all = Object.values(releases);
  if (all.some((release) => isSame(release.marks, marks))) tally.whole++;
  else tally.mixed++;
  const ids = new Set(records.map(idOf));
  if (ids.size < records.length) tally.duplicates++;
  // A record that every release has is in every walk that has no hole.
  const [first, ...others] = all.map((release) => release.ids);
  const inAll = first?.filter((id) => others.every((list) => list.includes(id))) ?? [];
  if (inAll.some((id) => !ids.has(id))) tally.holes++;
}

/** @throws Error when what a walk handed out before it stopped is not the beginning of one release. */
function requireBeginning({ releases }: Host, records: readonly unknown[]): void {
  const marks = records.map((record) => markOf(JSON.stringify(record)));
  if (Object.values(releases).some((release) => isSame(release.marks.slice(0, marks.length), marks))) return;
  throw new Error(`${marks.length} records of more than one release`);
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

function idOf(record: unknown): string {
  return (record as { id: string }).id;
}
