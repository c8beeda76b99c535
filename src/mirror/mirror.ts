/** `rollcall mirror`: keeps a copy of a published listing, or of a site, in a SQLite file. */
import { ListingError, type ListingErrorCode } from "../client/errors.js";
import { explainListing } from "../client/explain.js";
import { openListing } from "../client/listing.js";
import { openSite } from "../client/open-site.js";
import type { OpenListing, OpenSite, SiteOptions, SyncResult } from "../client/options.js";
import { MOST_RESTARTS } from "../client/walk.js";
import { parseBaseUrl } from "../core/contract/base-url.js";
import type { AnyRecord } from "../core/contract/contract.js";
import { mirrorTable, noteOnMirrorTable } from "../core/contract/listing-names.js";
import { USERS_CONTRACT } from "../core/contract/users.js";
import { UserError, unlessStopped, usageError } from "../core/errors.js";
import { listed } from "../core/print/text.js";
import { publicKeyOf } from "../core/settings/keys.js";
import { at, toMilliseconds } from "../core/settings/kinds.js";
import type { OptionsFor } from "../core/settings/settings.js";
import { createSqliteStores, type SqliteStores } from "./sqlite-store.js";

/** The options of `mirror`. */
export interface MirrorOptions extends OptionsFor<"mirror"> {
  /** The base URL of the listing or the site. */
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

/** A table of a mirror, and its update. */
export interface MirroredTable extends SyncResult {
  table: string;
  /** The contract's words for a record and for many. */
  words: readonly [one: string, many: string];
  /** Why it does not have the name of its listing, if so. */
  note?: string;
}

/** The result of an update. */
export interface MirrorResult {
  url: string;
  file: string;
  /** The tables of records: one, or one for each listing of a site. */
  tables: MirroredTable[];
  /** The listings that the site no longer has, whose tables were dropped. */
  dropped: string[];
  /** Requests sent, and bytes of response bodies, decompressed. */
  requests: number;
  bytes: number;
}

/**
 * Updates a mirror of a listing, or of all listings of a site as of one point in time. Creates it if it does not exist.
 * @throws UserError if the file is not a mirror, or the listing cannot be read or verified; the signal's reason. The mirror is
 *   unchanged then.
 */
export async function mirror(options: MirrorOptions, effects: MirrorEffects = {}): Promise<MirrorResult> {
  const { signal, cwd = "." } = effects;
  const { file } = options;
  const url = parseBaseUrl(options.url);
  const trust = readTrust(options, cwd);
  return unlessStopped(signal, async () => {
    const { fetch, transferred } = countedFetch();
    const stores = createSqliteStores(at(cwd, file), url);
    try {
      const how = { ...trust, fetch, signal, timeoutMs: TIMEOUT_MS };
      const updated = await updateAll({ url, file, how, stores }, effects);
      stores.commit();
      return { url, file, ...updated, ...transferred };
    } catch (error) {
      throw explainListing(error, { baseUrl: url }, ADVICE);
    } finally {
      stores.close();
    }
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

interface Update {
  url: string;
  file: string;
  how: SiteOptions;
  stores: SqliteStores;
}

/**
 * Updates all tables. When the site has another snapshot, it begins again, a few times, from what the transaction has by then.
 */
async function updateAll(update: Update, effects: MirrorEffects): Promise<Pick<MirrorResult, "tables" | "dropped">> {
  const { url, how, stores } = update;
  const before = stores.names();
  const updated = new Map<string, MirroredTable>();
  for (let restarts = 0; ; restarts++) {
    const site = openSite(url, how);
    const listings = await namesIn(site);
    requireSameKind(update, listings);
    const names = listings ?? [PLAIN];
    try {
      stores.keepOnly(names);
      for (const name of names) {
        const listing = listings ? site.listing<AnyRecord>(name) : openListing<AnyRecord>(url, how);
        const table = await updateTable(listing, name, stores, effects);
        updated.set(name, withEarlier(updated.get(name), table));
      }
      return {
        tables: names.flatMap((name) => updated.get(name) ?? []),
        dropped: before.filter((name) => !names.includes(name)),
      };
    } catch (error) {
      const isChanged = error instanceof ListingError && error.code === "changed";
      if (!listings || !isChanged || restarts === MOST_RESTARTS) throw error;
    }
  }
}

/** The name of a listing that is not of a site. */
const PLAIN = "";

/** The names of a site's listings; undefined if there is one listing, and no site. */
async function namesIn(site: OpenSite): Promise<string[] | undefined> {
  try {
    return (await site.listings()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof ListingError && error.code === "usage") return undefined;
    throw error;
  }
}

/** @throws UserError if one listing is published where the mirror's site was, or the other way round */
function requireSameKind({ url, file, stores }: Update, names: readonly string[] | undefined): void {
  const [first] = stores.names();
  if (first === undefined || (first === PLAIN) === !names) return;
  const [was, is] = names ? ["one listing", `a site of listings ${listed(names)}`] : ["a site", "one listing"];
  throw new UserError(`${file} is a mirror of ${was}, and ${url} is ${is}; name another file.`);
}

async function updateTable(
  listing: OpenListing<AnyRecord>,
  name: string,
  stores: SqliteStores,
  { onProgress, signal }: MirrorEffects,
): Promise<MirroredTable> {
  const store = stores.store(name);
  const { anew, ...result } = await listing.sync(store, { onProgress, signal });
  const contract = store.contract ?? USERS_CONTRACT;
  const why = store.distrust ?? anew;
  const note = noteOnMirrorTable(name, contract.listing.words[1]);
  return {
    table: mirrorTable(name, contract.listing.words[1]),
    words: contract.listing.words,
    ...result,
    ...(why !== undefined && { anew: why }),
    ...(note !== undefined && { note }),
  };
}

/** From the least to the most that was read. */
const WAYS: readonly SyncResult["via"][] = ["nothing", "changes", "bulk", "pages"];

/** Adds up two updates of a table in one transaction. */
function withEarlier(first: MirroredTable | undefined, next: MirroredTable): MirroredTable {
  if (!first) return next;
  return {
    ...next,
    from: first.from,
    via: WAYS.indexOf(first.via) > WAYS.indexOf(next.via) ? first.via : next.via,
    put: first.put + next.put,
    removed: first.removed + next.removed,
  };
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
