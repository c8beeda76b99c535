/** The snapshot that was asked for last, for all calls that are of it. */
import { SnapshotChangedError } from "../errors.js";
import { share } from "../shared.js";
import type { FindOptions, Ground } from "./ground.js";

/** A listing, and the snapshot of it that was asked for last. */
export interface Latest {
  url: string;
  ground: Ground | undefined;
  find(options: FindOptions): Promise<Ground>;
  /** Waits for what is being looked for, with all who ask meanwhile. */
  wait?: ReturnType<typeof share<Ground>> | undefined;
}

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
  const isOver = () => {
    latest.wait = undefined;
  };
  latest.wait ??= share(async (own) => {
    const ground = await latest.find({ signal: own });
    isOver();
    return ground;
  }, isOver);
  return latest.wait(signal);
}
