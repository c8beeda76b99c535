/** Tells from a sample of the records that a step would be far too large, in a hundredth of the time that making it takes. */
import { gzipSync } from "node:zlib";
import { RecordReader } from "../diff/records.js";
import type { Side } from "../diff/side.js";
import { RecordLines } from "../release/record/lines.js";
import { DIGEST_DIGITS, KEY_AT } from "../release/record/list.js";
import { createTurns } from "../workers/turns.js";
import { putLine, removeLine } from "./lines.js";

/** Of fewer records, a sample says little, and finding what differs takes no time. */
const WORTHWHILE = 100_000;
/** The first digits of the digests in the sample, and of how many records one is in it. What is the same on both sides is in both samples. */
const [SAMPLED, ONE_OF] = [Buffer.from("00"), 256];
/** Chance, and another order of the records, make less difference. */
const SURELY = 1.5;

/** Whether the step between two sides would surely have more than `most` bytes. Some that would are not found. */
export async function isSurelyLarger(old: Side, now: Side, most: number, signal?: AbortSignal): Promise<boolean> {
  if (Math.max(old.facts.count, now.facts.count) < WORTHWHILE) return false;
  const [before, after] = [await sampleOf(old, signal), await sampleOf(now, signal)];
  const put = [...after].filter(([line]) => !before.has(line));
  const gone = [...before].filter(([line]) => !after.has(line));
  const reader = new RecordReader(now);
  const entryOf = ([line, at]: [string, number]) => ({
    key: line.slice(KEY_AT),
    at,
    digest: line.slice(0, DIGEST_DIGITS),
  });
  const lines = [
    ...put.map((one) => putLine(reader.readText(entryOf(one)))),
    // A record that is other than it was is gone from the one sample, and mostly not in the other.
    ...gone.slice(put.length).map((one) => removeLine(now.facts.contract, entryOf(one).key)),
  ];
  return gzipSync(Buffer.concat(lines)).length * ONE_OF > SURELY * most;
}

/** The lines of a list that are in the sample, without their ends, and where they stand. */
async function sampleOf({ list: path }: Side, signal: AbortSignal | undefined): Promise<Map<string, number>> {
  const list = new RecordLines(path);
  const turn = createTurns(1, signal);
  const sample = new Map<string, number>();
  try {
    for (let at = 0, held = list.hold(0, 1); held > 0; held = list.hold(at, 1)) {
      await turn();
      for (const end = at + held; at < end; at++) {
        const [begin, next] = [list.startOf(at), list.startOf(at + 1)];
        if (list.memory.compare(SAMPLED, 0, SAMPLED.length, begin, begin + SAMPLED.length) === 0)
          sample.set(list.memory.toString("latin1", begin, next - 1), at);
      }
    }
    return sample;
  } finally {
    list.close();
  }
}
