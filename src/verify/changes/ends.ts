/** Compares a step with the lists of records before and after it, as far as they are there: it is all that differs between them. */

import { fromBytes } from "../../contract/record/key.js";
import { shorten } from "../../print/text.js";
import { RecordLines } from "../../release/record/lines.js";
import { createTurns } from "../../workers/turns.js";
import type { Difference } from "./lines.js";
import type { End, StepTable } from "./table.js";

const LINES_AT_ONCE = 2 ** 14;
const LONGEST_SHOWN = 60;

/** The paths of lists of records, whose bytes were proved to be those of the states. */
export type EndLists = Partial<Record<End, string | undefined>>;

/** Reads each list once. @throws UserError for a list that is none. */
export async function checkEnds(
  table: StepTable,
  { from, to }: EndLists,
  add: (difference: Difference) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const turn = createTurns(LINES_AT_ONCE, signal);
  const [before, after] = [openOthers(table, "from", from), openOthers(table, "to", to)];
  let left: Difference | undefined;
  try {
    for (;;) {
      await turn();
      const [one, other] = [before?.next(), after?.next()];
      if (!one && !other) break;
      // Whatever a step says nothing of stands on both sides alike, in one order.
      if (before && after && !left && !isSame(one, other)) left = leftOut(one, other);
    }
  } finally {
    for (const side of [before, after]) side?.close();
  }
  if (left) add(left);
  for (const end of ["from", "to"] as const)
    if ({ from, to }[end] !== undefined) for (const flaw of table.flaws(end)) add(flaw);
}

interface Line {
  key: string;
  digest: string;
}

function isSame(one: Line | undefined, other: Line | undefined): boolean {
  return one?.key === other?.key && one?.digest === other?.digest;
}

function leftOut(one: Line | undefined, other: Line | undefined): Difference {
  const keys = [
    ...new Set([one, other].flatMap((line) => (line ? [shorten(fromBytes(line.key), LONGEST_SHOWN)] : []))),
  ];
  const expected = `what differs of ${keys.join(", or of ")}`;
  return { ...(keys[0] !== undefined && keys.length === 1 && { id: keys[0] }), found: "no line", expected };
}

/** The records of a list that a step says nothing of, in order; the others are met on the way. */
function openOthers(table: StepTable, end: End, path: string | undefined) {
  if (path === undefined) return undefined;
  const list = new RecordLines(path);
  let [at, held] = [0, 0];
  return {
    next(): Line | undefined {
      for (;;) {
        if (held === 0) held = list.hold(at, 1);
        if (held === 0) return undefined;
        const line = at;
        [at, held] = [at + 1, held - 1];
        const key = list.key(line);
        const digest = list.digest(line);
        if (!table.meet(end, key, () => digest)) return { key, digest };
      }
    },
    close: () => list.close(),
  };
}
