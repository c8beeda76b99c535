/** Streams a file of any size, and verifies it at its end. */
import { notListed } from "./errors.js";
import type { ListingOptions } from "./options.js";
import { type Bytes, type Requests, requireOk, timed } from "./requests.js";
import { Sha256 } from "./sha256.js";

interface StreamedFile {
  url: string;
  /** Empty for a file that is not verified. */
  digest: string;
  /** Bypasses caches, since bytes that were returned cannot be requested again. */
  cacheKey?: string;
  /** @throws SnapshotChangedError if the host has another snapshot. */
  requireCurrent(signal: AbortSignal): Promise<void>;
}

/** Yields the chunks of a file, each within the timeout. @throws ListingError (mismatch) at the end, if the digest is another one */
export async function* streamFile(
  { requests, options }: { requests: Requests; options: ListingOptions },
  { url, digest, cacheKey, requireCurrent }: StreamedFile,
  signal: AbortSignal,
): AsyncGenerator<Bytes, void> {
  const control = new AbortController();
  const sha = new Sha256();
  const open = async (tries: number) => {
    const response = await requests.open(url, { signal, tries, cacheKey }, control.signal);
    requireOk(url, response.status);
    return response;
  };
  try {
    const { body } = await requests.retry(signal, open, () => requireCurrent(signal));
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
  await requireCurrent(signal);
  throw notListed(url, digest, received);
}
