/** `rollcall mirror`: keeps a copy of a published listing in a SQLite file, and updates it. */
import { ListingError, type ListingErrorCode } from "../client/errors.js";
import { openListing } from "../client/listing.js";
import type { OpenListing, SyncResult } from "../client/options.js";
import { parseBaseUrl } from "../contract/base-url.js";
import { type AnyRecord, USERS_CONTRACT } from "../contract/contract.js";
import { unlessStopped, usageError } from "../errors.js";
import { explainListing, findHostSite } from "../hosted.js";
import { listed, shellWord } from "../print/text.js";
import { publicKeyOf } from "../settings/keys.js";
import { at, toMilliseconds } from "../settings/kinds.js";
import type { OptionsFor } from "../settings/settings.js";
import { tableFor } from "./schema.js";
import { createSqliteStore } from "./sqlite-store.js";

/** The options of `mirror`. */
export interface MirrorOptions extends OptionsFor<"mirror"> {
  /** The base URL of the listing. */
  url: string;
  /** The path of the mirror's file, which is created if it does not exist. */
  file: string;
}

export interface MirrorEffects {
  /** Called with the number of records put or removed so far, and of all to do. */
  onProgress?: ((done: { records: number; total: number }) => void) | undefined;
  /** Stops the run, which throws the signal's reason. The mirror is either unchanged or updated. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths are resolved against; the working directory by default. */
  cwd?: string | undefined;
}

/** The result of an update. */
export interface MirrorResult extends SyncResult {
  url: string;
  file: string;
  /** The table of the records. */
  table: string;
  /** The contract's words for a record and for many. */
  words: readonly [one: string, many: string];
  /** Requests sent, and bytes of response bodies, decompressed. */
  requests: number;
  bytes: number;
}

/**
 * Updates a mirror, or creates it.
 * @throws UserError if the file is not a mirror, or the listing cannot be read or verified; the signal's reason. The mirror is
 *   unchanged then.
 */
export async function mirror(options: MirrorOptions, effects: MirrorEffects = {}): Promise<MirrorResult> {
  const { signal, cwd = "." } = effects;
  const trust = readTrust(options, cwd);
  return unlessStopped(signal, async () => {
    const { fetch, transferred } = countedFetch();
    const how = { ...trust, fetch, signal, timeoutMs: TIMEOUT_MS };
    const listing = openListing<AnyRecord>(parseBaseUrl(options.url), how);
    return update(listing, options.file, transferred, effects);
  });
}

/** Timeout of a request: enough for a step of 24 MB on a slow line. */
const TIMEOUT_MS = 120_000;

/** The keys that must have signed, and the maximum age of a signature. */
function readTrust({ key, maxAge }: MirrorOptions, cwd: string) {
  if (maxAge !== undefined && key === undefined)
    throw usageError("--max-age (maxAge) is the maximum age of a signature: give --key (key), too.");
  return {
    ...(key && { publicKey: key.map((text) => publicKeyOf(text, cwd)) }),
    maxAgeMs: maxAge === undefined ? undefined : toMilliseconds(maxAge),
  };
}

/** Updates the mirror. */
async function update(
  listing: OpenListing<AnyRecord>,
  file: string,
  transferred: Pick<MirrorResult, "requests" | "bytes">,
  { onProgress, signal, cwd = "." }: MirrorEffects,
): Promise<MirrorResult> {
  const store = createSqliteStore(at(cwd, file), listing.baseUrl);
  try {
    const { anew, ...result } = await listing.sync(store, { onProgress, signal });
    const contract = store.contract ?? USERS_CONTRACT;
    const why = store.distrust ?? anew;
    return {
      url: listing.baseUrl,
      file,
      table: tableFor(contract),
      words: contract.listing.words,
      ...result,
      ...(why !== undefined && { anew: why }),
      ...transferred,
    };
  } catch (error) {
    if (error instanceof ListingError) await refuseSite(listing.baseUrl, file, signal);
    throw explainListing(error, listing, ADVICE);
  } finally {
    store.close();
  }
}

/** @throws UserError (usage) if the URL is that of a site of several listings, each of which has a mirror of its own */
async function refuseSite(baseUrl: string, file: string, signal: AbortSignal | undefined): Promise<void> {
  const site = await findHostSite(baseUrl, signal);
  if (!site) return;
  const names = Object.keys(site.listings);
  throw usageError(
    `${baseUrl} is a site of listings ${listed(names)}; name one of them: rollcall mirror ${baseUrl}/${names[0]} ${shellWord(file)}`,
  );
}

/** Wraps fetch to count requests and decompressed bytes of bodies. */
function countedFetch() {
  const total = { requests: 0, bytes: 0 };
  const counted: typeof fetch = async (input, init) => {
    total.requests++;
    const response = await fetch(input, init);
    const { body, status, headers } = response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, control) {
        total.bytes += chunk.length;
        control.enqueue(chunk);
      },
    });
    return body ? new Response(body.pipeThrough(counter), { status, headers }) : response;
  };
  return { fetch: counted, transferred: total };
}

const ADVICE: Readonly<Partial<Record<ListingErrorCode, string>>> = {
  busy: "Run this again later.",
  changed: "Run this again when nothing is being deployed; if that does not help, its servers have different releases.",
  mismatch: 'Run "rollcall verify" to see what the host serves wrongly.',
  malformed: 'Run "rollcall verify" to see what the host serves wrongly.',
  signature: "The mirror accepts only a release that one of the keys has signed recently enough; it is unchanged.",
};
