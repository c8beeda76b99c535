/** What several wait for, and is read once for all of them. */
import type { Host, SnapshotView } from "./proof/view.js";
import { within } from "./transfer.js";

/** Nobody waits so long. */
const EVER_MS = 2 ** 31 - 1;

/**
 * Begins to read. It goes on as long as somebody waits.
 * @param isGone is called when it failed, or was given up, so that whoever asks next begins anew.
 * @returns what waits for it.
 */
export function share<V>(
  read: (signal: AbortSignal) => Promise<V>,
  isGone: () => void,
): (signal: AbortSignal | undefined) => Promise<V> {
  const control = new AbortController();
  let [waiting, isThere] = [0, false];
  const value = read(control.signal);
  value.then(() => {
    isThere = true;
  }, isGone);
  return async (signal) => {
    waiting++;
    try {
      return await within(
        [signal],
        EVER_MS,
        () => value,
        () => value,
      );
    } finally {
      if (--waiting === 0 && !isThere) {
        isGone();
        control.abort();
      }
    }
  };
}

/** The latest snapshot: that of the last call, unless the host was seen to have another one since. */
export async function latestView(host: Host, signal: AbortSignal | undefined, isPast = false): Promise<SnapshotView> {
  if (isPast) return host.find({ signal, isPast });
  if (host.view && host.view.snapshot !== host.gone) return host.view;
  const isOver = () => {
    host.wait = undefined;
  };
  host.wait ??= share(async (own) => {
    const view = await host.find({ signal: own });
    isOver();
    return view;
  }, isOver);
  return host.wait(signal);
}
