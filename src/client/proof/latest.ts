/** The snapshot that was asked for last, for all calls that are of it. */
import { SnapshotChangedError } from "../errors.js";
import { share } from "../shared.js";
import type { FindOptions } from "./find.js";
import type { Ground } from "./ground.js";

/** A listing, and the snapshot of it that was asked for last. */
export interface Latest {
  url: string;
  ground: Ground | undefined;
  find(options: FindOptions): Promise<Ground>;
}

/** What is being looked for, for all who ask meanwhile. */
const wanted = new WeakMap<Latest, ReturnType<typeof share<Ground>>>();

/** The latest snapshot. When what is read of it shows that the host has it no longer, the next call is of another. */
export async function groundOf(latest: Latest, signal: AbortSignal | undefined, isPast = false): Promise<Ground> {
  const ground = isPast ? await latest.find({ signal, isPast }) : (latest.ground ?? (await findOnce(latest, signal)));
  const watched =
    <A extends unknown[], V>(read: (...given: A) => Promise<V>) =>
    (...given: A) =>
      read(...given).catch((error: unknown) => {
        if (error instanceof SnapshotChangedError && latest.ground === ground) latest.ground = undefined;
        throw error;
      });
  const { readPage, readFile, requireCurrent } = ground;
  return {
    ...{ ...ground, readPage: watched(readPage), readFile: watched(readFile) },
    requireCurrent: watched(requireCurrent),
  };
}

function findOnce(latest: Latest, signal: AbortSignal | undefined): Promise<Ground> {
  const isOver = () => wanted.delete(latest);
  const find = async (own: AbortSignal) => {
    const ground = await latest.find({ signal: own });
    isOver();
    return ground;
  };
  const wait = wanted.get(latest) ?? share(find, isOver);
  wanted.set(latest, wait);
  return wait(signal);
}
