/** Opens a published site: several listings, as of one point in time. */
import { LISTING_NAME } from "../contract/links.js";
import type { SiteSnapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import { hexDigest, linesOf } from "./digests.js";
import { ListingError, malformed, usage } from "./errors.js";
import { readVerified, SUMS } from "./find-snapshot.js";
import { openHost } from "./host.js";
import { readOnce } from "./kept.js";
import { listingOf } from "./listing.js";
import { CALL, checked } from "./option-checks.js";
import type { CallOptions, OpenSite, SiteListing, SiteOptions } from "./options.js";
import type { Requests } from "./requests.js";
import {
  type Host,
  type PromisedSnapshot,
  proofOf,
  readSnapshotFile,
  type SnapshotFile,
  snapshotOf,
} from "./snapshot.js";
import { isPlainObject, objectOf } from "./utf8.js";

/** Maximum size of SHA256SUMS at the top of a site: a line for each listing, and a few others. */
const SUMS_BYTES = 262_144;

/** The verified files at the top of a site. */
interface Top {
  file: SnapshotFile;
  snapshot: SiteSnapshot;
  /** The digests that SHA256SUMS lists, by path. */
  digests: ReadonlyMap<string, string>;
  signed: Date | undefined;
}

/**
 * Opens a site that Rollcall has published. Sends no request. It stays with the first snapshot that it reads: open it again after
 * a change.
 * @param baseUrl the base URL of the site: `https://shop.example.com`.
 * @throws ListingError (usage) for a wrong base URL or option.
 */
export function openSite(baseUrl: string | URL, given: SiteOptions = {}): OpenSite {
  const host = openHost(baseUrl, given);
  const { baseUrl: url, options } = host;
  if (options.unproved || options.path !== undefined)
    throw usage(
      url,
      "cannot be read with unproved or path: a site has SHA256SUMS, and the name of a listing is its path",
    );
  const signalOf = (how: CallOptions) => checked(url, how, CALL).signal;
  let top: Top | undefined;
  const read = (signal: AbortSignal | undefined) =>
    readOnce(host.finding, "", signal, async (own) => {
      top = await readTop(host, own);
      return top;
    });

  return {
    baseUrl: url,
    get proof() {
      return top && proofOf(top);
    },
    async listings(how = {}) {
      const { snapshot } = await read(signalOf(how));
      return Object.entries(snapshot.listings).map(([name, facts]): SiteListing => ({ name, ...facts }));
    },
    listing<T = User>(name: string) {
      const own = openHost(`${url}/${name}`, given);
      const find = async (signal: AbortSignal | undefined): Promise<PromisedListing> => {
        const { digests, snapshot } = await read(signal);
        const facts = snapshot.listings[name];
        const sums = digests.get(`${name}/${SUMS}`);
        if (facts && sums !== undefined) return { ...facts, sums };
        throw usage(own.baseUrl, "is not a listing of the site", Object.keys(snapshot.listings).join(", "), name);
      };
      own.promised = find;
      own.requests = boundRequests(own, find);
      return listingOf<T>(own);
    },
    async requireCurrent(how = {}) {
      const signal = signalOf(how);
      const { file, snapshot } = await read(signal);
      const now = await host.requests.retry(signal, async () => {
        const found = await readSnapshotFile(host, file, { signal });
        return found === file ? file : readSnapshotFile(host, file, { signal, past: file.digest });
      });
      if (now !== file) throw changed(now.url, snapshot.id, siteOf(now.bytes, now.url).id);
    },
  };
}

interface PromisedListing extends PromisedSnapshot {
  /** The digest of its SHA256SUMS. */
  sums: string;
}

/**
 * Requests of a listing that accept only the snapshot.json and the SHA256SUMS of the site's snapshot.
 * @throws ListingError (changed) for others
 */
function boundRequests(
  { requests, baseUrl }: Host,
  find: (signal: AbortSignal | undefined) => Promise<PromisedListing>,
): Requests {
  return {
    ...requests,
    async get(url, ask) {
      const { sums, ...promised } = await find(ask.signal);
      const name = url.slice(baseUrl.length + 1);
      const expected = { [SUMS]: sums, "snapshot.json": nameOf(promised) }[name];
      const read = async (past: string | undefined) => {
        const answer = await requests.get(url, { ...ask, past });
        const { status, bytes } = answer;
        if (expected === undefined || status !== 200) return { answer, received: expected };
        return { answer, received: name === SUMS ? await hexDigest(bytes) : nameOf(snapshotOf(bytes, url)) };
      };
      const first = await read(ask.past);
      if (first.received === expected) return first.answer;
      // A cache may have shown an old one.
      const again = await read(sums);
      if (again.received === expected) return again.answer;
      throw changed(url, `${expected}`, `${again.received}`);
    },
  };
}

function nameOf({ id, state }: PromisedSnapshot): string {
  return `${id} with state ${state}`;
}

function changed(url: string, expected: string, received: string): ListingError {
  return new ListingError(
    "changed",
    url,
    "is of another snapshot of the site; open the site again",
    expected,
    received,
  );
}

/** Reads the files at the top, and verifies them. */
function readTop(host: Host, signal: AbortSignal): Promise<Top> {
  return readVerified(
    host,
    { signal },
    ({ bytes, url }) => ({ snapshot: siteOf(bytes, url), maxBytes: SUMS_BYTES }),
    ({ file, snapshot, sums, sumsUrl, signed }): Top => {
      const digests = new Map(linesOf(sums, sumsUrl));
      for (const name of Object.keys(snapshot.listings))
        if (!digests.has(`${name}/${SUMS}`)) throw malformed(sumsUrl, `a line for ${name}/${SUMS}`, "none");
      return { file, snapshot, digests, signed };
    },
  );
}

/** Patterns of the facts about a listing, as JSON. */
const FACTS: Readonly<Record<keyof SiteSnapshot["listings"][string], RegExp>> = {
  count: /^\d{1,15}$/,
  id: /^"[0-9a-f]{12}"$/,
  pages: /^[1-9]\d{0,8}$/,
  state: /^"[0-9a-f]{64}"$/,
};

/** Parses the snapshot.json at the top of a site. Additional members are allowed. @throws ListingError (malformed or usage) */
function siteOf(bytes: Uint8Array, url: string): SiteSnapshot {
  const said = objectOf(bytes, url);
  const { id, base_url, listings } = said;
  if (!isPlainObject(listings)) throw usage(url, "is of one listing, not of a site; open it with openListing");
  if (!FACTS.id.test(JSON.stringify(id)) || typeof base_url !== "string") throw malformed(url, "other id", id);
  for (const [name, facts] of Object.entries(listings)) {
    if (!LISTING_NAME.test(name)) throw malformed(url, "names of listings", name);
    for (const [member, pattern] of Object.entries(FACTS)) {
      const value = isPlainObject(facts) ? facts[member] : undefined;
      if (!pattern.test(`${JSON.stringify(value)}`)) throw malformed(url, `other ${member} of ${name}`, value);
    }
  }
  return said as unknown as SiteSnapshot;
}
