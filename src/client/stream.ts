/** Streams a file of any size, and verifies it at its end. */
import { notListed } from "./errors.js";
import { type Bytes, requireOk, timed } from "./requests.js";
import { Sha256 } from "./sha256.js";
import type { Host, View } from "./view.js";

/**
 * Yields the chunks of a file of a snapshot, each within the timeout.
 * @throws ListingError (mismatch) at the end, if the digest is another one; SnapshotChangedError
 */
export async function* streamFile(
  { requests, options }: Pick<Host, "requests" | "options">,
  view: Pick<View, "fileAt" | "requireCurrent">,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Bytes, void> {
  const { url, digest, cacheKey } = view.fileAt(file);
  const control = new AbortController();
  const sha = new Sha256();
  // Bytes that were returned cannot be requested again, so caches are bypassed at once.
  const open = async (tries: number) => {
    const response = await requests.open(url, { signal, tries, cacheKey }, control.signal);
    requireOk(url, response.status);
    return response;
  };
  try {
    const { body } = await requests.retry(signal, open, () => view.requireCurrent(signal));
    const reader = body?.getReader();
    while (reader) {
      const { done, value } = await timed(options, url, signal, () => reader.read());
      if (done) break;
      sha.update(value);
      yield value;
    }
  } finally {
    control.abort();
  }
  const received = sha.digest();
  if (received === digest || !digest) return;
  await view.requireCurrent(signal);
  throw notListed(url, digest, received);
}
