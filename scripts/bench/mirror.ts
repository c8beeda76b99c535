/** Copies of a listing that are brought up to date: `rollcall mirror` beside a walk, rsync of the pages and a reload. */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { type Keeper, keepersOf, MIRROR } from "./copies.js";
import type { Asked } from "./logged.js";
import { OUTCOME_HEAD, type Outcome, outcomeCells, race, secondsOf, timesOf } from "./race.js";
import { fixed, type Verdict } from "./report.js";
import { EDITS, type Edit, openSite, type Site } from "./site.js";

/** Where a keeper has its copy, inside a folder of its own. */
const COPY = "copy";

interface Followed {
  edit: Edit;
  outcomes: Outcome[];
  asked: ReadonlyMap<string, Asked>;
  /** Bytes of all pages in gzip. */
  walk: number;
}

export const benchMirror: Part = async (bench) => {
  const users = bench.users?.[0] ?? (bench.isQuick ? 2_000 : 1_000_000);
  bench.say(`mirror: ${users.toLocaleString("en")} users`);
  const folder = join(bench.folder, "mirror");
  mkdirSync(folder);
  const site = await openSite(bench.sources.take(users), folder);
  try {
    const { keepers, missing } = keepersOf(site);
    for (const { name, update } of keepers) {
      mkdirSync(placeOf(site, name));
      await update(join(placeOf(site, name), COPY));
    }
    const followed: Followed[] = [];
    for (const edit of EDITS) {
      bench.say(`  ${edit.name}`);
      await site.publish(edit);
      followed.push({ edit, ...(await follow(bench, site, keepers)) });
    }
    return {
      tables: followed.map(({ edit, outcomes, asked }) => ({
        title: `A copy of ${users.toLocaleString("en")} users, 100 a page, brought up to date: ${edit.name}`,
        head: ["program", "time / rollcall", ...OUTCOME_HEAD, "requests", "kB on the way"],
        rows: outcomes.map((one) => {
          const { requests = 0, bytes = 0 } = asked.get(one.name) ?? {};
          const cells = [requests === 0 ? "-" : requests.toLocaleString("en"), fixed(bytes / 1e3)];
          return [one.name, fixed(timesOf(one, outcomes[0])), ...outcomeCells(one), ...cells];
        }),
      })),
      verdicts: followed.flatMap(judge),
      missing,
      figures: followed.map(({ asked, ...rest }) => ({ ...rest, asked: Object.fromEntries(asked) })),
    };
  } finally {
    await site.end();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Everybody begins with the copy of the release before, in each round, and must end with the state of the new one. */
async function follow(bench: Bench, site: Site, keepers: readonly Keeper[]): Promise<Omit<Followed, "edit">> {
  const asked = new Map<string, Asked>();
  const kept = (name: string) => placeOf(site, name);
  const work = (name: string) => `${placeOf(site, name)}-at-work`;
  const contestants = keepers.map(({ name, update, bytes }) => ({
    name,
    prepare() {
      rmSync(work(name), { recursive: true, force: true });
      cpSync(kept(name), work(name), { recursive: true, preserveTimestamps: true });
    },
    async run() {
      const [measured, requests] = await site.server.counting(() => update(join(work(name), COPY)));
      asked.set(name, bytes ? { requests: 0, bytes: bytes() } : requests);
      return measured;
    },
  }));
  const outcomes = await race(contestants, bench.rounds ?? (bench.isQuick ? 1 : 3), bench.say);
  for (const { name, state } of keepers) {
    const found = await state(join(work(name), COPY));
    if (found !== site.state()) throw new Error(`${name} ended in ${found}, and not in ${site.state()}`);
    rmSync(kept(name), { recursive: true });
    renameSync(work(name), kept(name));
  }
  return { outcomes, asked, walk: site.bytesOfPages() };
}

function placeOf({ scratch }: Site, name: string): string {
  return join(scratch, name.replaceAll(/\W+/g, "-"));
}

function judge({ edit, outcomes, asked, walk }: Followed): Verdict[] {
  const { requests, bytes } = asked.get(MIRROR) ?? { requests: Number.NaN, bytes: Number.NaN };
  const seconds = secondsOf(outcomes.find(({ name }) => name === MIRROR));
  return [
    {
      what: `${edit.name}: a mirror's bytes, % of all pages in gzip`,
      atMost: edit.most,
      measured: (100 * bytes) / walk,
    },
    { what: `${edit.name}: a mirror's requests`, atMost: 4, measured: requests },
    { what: `${edit.name}: a mirror's seconds`, atMost: 5, measured: seconds },
  ];
}
