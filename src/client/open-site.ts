/** Opens a published site: several listings, as of one point in time. */
import { LISTING_NAME, SNAPSHOT, SUMS } from "../core/contract/links.js";
import type { SiteSnapshot } from "../core/contract/snapshot.js";
import type { User } from "../core/contract/user.js";
import { digestLines, hexDigest } from "./digests.js";
import { ListingError, malformed, usage } from "./errors.js";
import { readVerified } from "./find-view.js";
import { readOnce } from "./kept.js";
import { listingOf } from "./listing.js";
import { openHost } from "./open-host.js";
import { CALL, checked, OPEN_SITE } from "./option-checks.js";
import type { CallOptions, OpenSite, SiteListing, SiteOptions } from "./options.js";
import type { Reply, Requests } from "./requests.js";
import { isPlainObject, objectOf } from "./utf8.js";
import {
  type Host,
  type PromisedView,
  proofOf,
  readAgain,
  requireMember,
  type SnapshotFile,
  snapshotOf,
} from "./view.js";

/** Maximum size of SHA256SUMS at the top of a site: a line for each listing, and a few others. */
const SUMS_BYTES = 262_144;

/** The verified files at the top of a site. */
interface Top {
  file: SnapshotFile;
  snapshot: SiteSnapshot;
  listings: ReadonlyMap<string, PromisedListing>;
  signed: Date | undefined;
}

/**
 * Opens a site that Rollcall has published. Sends no request. It stays with the first snapshot that it reads: open it again after
 * a change.
 * @param baseUrl the base URL of the site: `https://shop.example.com`.
 * @throws ListingError (usage) for a wrong base URL or option.
 */
export function openSite(baseUrl: string | URL, given: SiteOptions = {}): OpenSite {
  const host = openHost(baseUrl, given, OPEN_SITE);
  const { baseUrl: url } = host;
  const signalOf = (how: CallOptions) => checked(url, how, CALL).signal;
  let top: Top | undefined;
  const read = (signal: AbortSignal | undefined) =>
    readOnce(host.finding, "", signal, async (own) => {
      top = await readTop(host, own);
      return top;
    });

  const requireCurrent = async (signal: AbortSignal | undefined) => {
    const { file } = await read(signal);
    const now = await host.requests.retry(signal, () => readAgain(host, file, signal));
    if (now !== file) throw changed(now.url);
  };

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
      const own = openHost(`${url}/${name}`, given, OPEN_SITE);
      const find = async (signal: AbortSignal | undefined): Promise<PromisedListing> => {
        const { listings } = await read(signal);
        const listing = listings.get(name);
        if (listing) return listing;
        throw usage(own.baseUrl, "is not a listing of the site", [...listings.keys()].join(", "), name);
      };
      own.promised = find;
      own.requests = boundRequests(own, find, requireCurrent);
      return listingOf<T>(own);
    },
    requireCurrent: async (how = {}) => requireCurrent(signalOf(how)),
  };
}

interface PromisedListing extends PromisedView {
  /** The digest of its SHA256SUMS. */
  sums: string;
}

/**
 * Requests of a listing that accept only the snapshot.json and the SHA256SUMS of the site's snapshot.
 * @param requireCurrent checks, for a listing without these files, whether the site has dropped it.
 * @throws ListingError (changed) for others
 */
function boundRequests(
  { requests, baseUrl }: Host,
  find: (signal: AbortSignal | undefined) => Promise<PromisedListing>,
  requireCurrent: (signal: AbortSignal | undefined) => Promise<void>,
): Requests {
  return {
    ...requests,
    async get(url, ask) {
      const { id, state, sums } = await find(ask.signal);
      const snapshotUrl = `${baseUrl}/${SNAPSHOT}`;
      const sumsUrl = `${baseUrl}/${SUMS}`;
      const isOfSite = async ({ status, bytes }: Reply) => {
        if (status !== 200) {
          // A host without these files may have dropped the listing.
          if (status > 399) await requireCurrent(ask.signal);
          return true;
        }
        if (url === sumsUrl) return (await hexDigest(bytes)) === sums;
        const snapshot = snapshotOf(bytes, url);
        return snapshot.id === id && snapshot.state === state;
      };
      const answer = await requests.get(url, ask);
      if ((url !== snapshotUrl && url !== sumsUrl) || (await isOfSite(answer))) return answer;
      // A cache may have shown an old one.
      const again = await requests.get(url, { ...ask, cacheKey: sums });
      if (await isOfSite(again)) return again;
      throw changed(url);
    },
  };
}

function changed(url: string): ListingError {
  return new ListingError("changed", url, "is of another snapshot; open the site again");
}

/** Reads the files at the top, and verifies them. */
function readTop(host: Host, signal: AbortSignal): Promise<Top> {
  return readVerified(
    host,
    { signal },
    ({ bytes, url }) => ({ snapshot: siteOf(bytes, url), maxBytes: SUMS_BYTES }),
    ({ file, snapshot, sums, sumsUrl, signed }): Top => {
      const digests = new Map(digestLines(sums, sumsUrl));
      const listings = new Map<string, PromisedListing>();
      for (const [name, facts] of Object.entries(snapshot.listings)) {
        const path = `${name}/${SUMS}`;
        const digest = digests.get(path);
        if (digest === undefined) throw malformed(sumsUrl, path, "none");
        listings.set(name, { ...facts, sums: digest });
      }
      return { file, snapshot, listings, signed };
    },
  );
}

/** Members of snapshot.json of a listing that the top has, too. */
const FACTS = ["count", "id", "pages", "state"] as const;

/** Parses the snapshot.json at the top of a site. Additional members are allowed. @throws ListingError (malformed or usage) */
function siteOf(bytes: Uint8Array, url: string): SiteSnapshot {
  const said = objectOf(bytes, url);
  const { listings } = said;
  if (!isPlainObject(listings)) throw usage(url, "is not of a site: use openListing");
  requireMember(said, "id", url);
  requireMember(said, "base_url", url);
  const names = Object.keys(listings);
  if (names.length === 0 || !names.every((name) => LISTING_NAME.test(name))) throw malformed(url, "listings", names);
  for (const facts of Object.values(listings)) for (const member of FACTS) requireMember(Object(facts), member, url);
  return said as unknown as SiteSnapshot;
}
