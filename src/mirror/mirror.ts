/** The verb that keeps a copy of a published listing in a SQLite file, and brings it up to date. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ListingError, type ListingErrorCode } from "../client/errors.js";
import { openListing } from "../client/listing.js";
import type { OpenListing, SyncResult } from "../client/options.js";
import { type AnyRecord, USERS_CONTRACT } from "../contract/contract.js";
import { isHttpUrl } from "../contract/links.js";
import { hasCode, type UserError, unlessStopped, usageError } from "../errors.js";
import { baseUrlOf, explainListing } from "../hosted.js";
import { repeat } from "../repeat.js";
import { publicKeyOf } from "../settings/keys.js";
import { at, isPath, toMilliseconds } from "../settings/kinds.js";
import { abortSignal, callback, checkOptions, folder, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { tableFor } from "./schema.js";
import { createSqliteStore } from "./sqlite-store.js";

/** With the settings of `rollcall mirror`. */
export interface MirrorOptions extends OptionsOf<"key" | "maxAge" | "every"> {
  /** The base URL of the listing. */
  url: string;
  /** A mirror, or the path that one is to have. */
  file: string;
}

export interface MirrorEffects {
  /** Told how many records were put or removed so far, of how many. */
  onProgress?: ((done: { records: number; total: number }) => void) | undefined;
  /** Told each time that the mirror was brought up to date. */
  onSynced?: ((result: MirrorResult) => void) | undefined;
  /** With `every`: told of what has kept the mirror from being brought up to date this time. It is as it was. */
  onTrouble?: ((error: UserError) => void) | undefined;
  /** Stops it, with the signal's reason; the mirror is as it was, or brought up to date. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths start from; the process's own unless given. */
  cwd?: string | undefined;
}

/** What was done to the mirror. */
export interface MirrorResult extends SyncResult {
  url: string;
  file: string;
  /** The table that the records are in. */
  table: string;
  /** The contract's words for a record and for many. */
  words: readonly [one: string, many: string];
  /** Requests that were sent, and bytes of the bodies that came, unpacked. */
  requests: number;
  bytes: number;
  /** What it took. */
  seconds: number;
}

const OPTIONS: OptionRules<MirrorOptions> = {
  url: { schema: z.string().refine(isHttpUrl), allowed: "a URL like https://directory.example.com" },
  file: { schema: z.string().refine(isPath), allowed: "a file's path on this machine" },
  ...pick("key", "maxAge", "every"),
};
const EFFECTS: OptionRules<MirrorEffects> = {
  ...{ onProgress: callback, onSynced: callback, onTrouble: callback },
  ...{ signal: abortSignal, cwd: folder },
};

/**
 * Brings a mirror up to date, or makes it. With `every` it goes on until it is stopped.
 * @throws UserError when the file is no mirror, or the listing cannot be read or is not what it says it is; what the signal
 *   was aborted with. The mirror is as it was then.
 */
export async function mirror(given: MirrorOptions, effects: MirrorEffects = {}): Promise<MirrorResult> {
  const options = checkOptions("mirror", given, OPTIONS, ["url", "file"]);
  const watch = checkOptions("mirror's second argument", effects, EFFECTS);
  const { signal } = watch;
  const demand = readDemand(options, watch.cwd ?? ".");
  return unlessStopped(signal, async () => {
    const { fetch, moved } = countedFetch();
    const how = { ...demand, fetch, signal, timeoutMs: PATIENCE_MS };
    const listing = openListing<AnyRecord>(baseUrlOf(options.url), how);
    return bringUpEvery(options.every, watch, () => bringUp(listing, options.file, moved, watch));
  });
}

/** For a step of 24 MB on a slow line. */
const PATIENCE_MS = 120_000;

function readDemand({ key, maxAge }: MirrorOptions, cwd: string) {
  if (maxAge !== undefined && key === undefined)
    throw usageError("--max-age (maxAge) says how old a signature may be: give --key (key), too.");
  return {
    ...(key && { publicKey: key.map((text) => publicKeyOf(text, cwd)) }),
    maxAgeMs: maxAge === undefined ? undefined : toMilliseconds(maxAge),
  };
}

/** Brings the mirror up to date once, or again and again. */
async function bringUpEvery(
  every: string | undefined,
  { onSynced, onTrouble, signal }: MirrorEffects,
  bringUpOnce: () => Promise<MirrorResult>,
): Promise<MirrorResult> {
  let hasSynced = false;
  const step = async () => {
    const result = await bringUpOnce();
    hasSynced = true;
    onSynced?.(result);
    return result;
  };
  if (every === undefined) return step();
  return repeat(async () => void (await step()), {
    pause: () => sleep(toMilliseconds(every), undefined, { signal }),
    onTrouble(error) {
      // After a first success any failure may pass. A first step that fails mostly is a mistake in the command.
      if (!hasSynced && !isPassing(error)) throw error;
      onTrouble?.(error);
    },
    signal,
  });
}

async function bringUp(
  listing: OpenListing<AnyRecord>,
  file: string,
  moved: ReturnType<typeof countedFetch>["moved"],
  { onProgress, signal, cwd = "." }: MirrorEffects,
): Promise<MirrorResult> {
  const store = createSqliteStore(at(cwd, file), listing.baseUrl);
  const [before, began] = [moved(), performance.now()];
  try {
    const { anew, ...result } = await listing.sync(store, { onProgress, signal });
    const contract = store.contract ?? USERS_CONTRACT;
    const why = store.doubt ?? anew;
    const { requests, bytes } = moved();
    return {
      ...{ url: listing.baseUrl, file, table: tableFor(contract), words: contract.listing.words },
      ...{ ...result, ...(why !== undefined && { anew: why }) },
      ...{ requests: requests - before.requests, bytes: bytes - before.bytes },
      seconds: Math.round(performance.now() - began) / 1000,
    };
  } catch (error) {
    throw await explainListing(error, listing, ADVICE);
  } finally {
    store.close();
  }
}

/** The runtime's fetch, and how many requests it has sent and bytes of bodies it has given, unpacked. */
function countedFetch() {
  const moved = { requests: 0, bytes: 0 };
  const counted: typeof fetch = async (input, init) => {
    moved.requests++;
    const response = await fetch(input, init);
    const { body, status, headers } = response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, control) {
        moved.bytes += chunk.length;
        control.enqueue(chunk);
      },
    });
    return body ? new Response(body.pipeThrough(counter), { status, headers }) : response;
  };
  return { fetch: counted, moved: () => ({ ...moved }) };
}

/** Whether the next time may go well: the host may be there again, and the disk have room. */
function isPassing({ cause }: UserError): boolean {
  if (cause instanceof ListingError) return cause.code !== "usage";
  return hasCode(cause, "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_FULL");
}

const ADVICE: Readonly<Partial<Record<ListingErrorCode, string>>> = {
  busy: "Run this again later.",
  changed: "Run this again when nothing is being deployed; if that does not help, its servers have different releases.",
  mismatch: 'See what the host serves wrongly with "rollcall verify".',
  malformed: 'See what the host serves wrongly with "rollcall verify".',
  signature: "Only what one of the keys has signed, and not too long ago, is taken; the mirror is as it was.",
};
