/** Opens a host for reading: checks its base URL and options. */
import { normalBaseUrl } from "../core/contract/links.js";
import { PAGE_BYTES } from "../core/contract/page.js";
import { quoted, usage } from "./errors.js";
import { checked, OPEN } from "./option-checks.js";
import type { ListingOptions } from "./options.js";
import { createRequests } from "./requests.js";
import type { Host } from "./view.js";

/** Parallel requests by default. */
const CONCURRENCY = 8;
/** Bulk parts in memory: the current one and the next. */
export const PARTS_AT_ONCE = 2;

/** Opens a host. Sends no request. @param names all allowed options. @throws ListingError (usage) for a wrong base URL or option */
export function openHost(given: string | URL, from: ListingOptions = {}, names = OPEN): Host {
  const baseUrl = parseBase(given instanceof URL ? given.href : given);
  const options = checked(baseUrl, from, names);
  const { publicKey = [], concurrency = CONCURRENCY, memoryBytes = CONCURRENCY * PAGE_BYTES } = options;
  const keys = [publicKey].flat();
  if (!keys.length && (options.requireSignature || options.maxAgeMs))
    throw usage(baseUrl, "needs a publicKey with requireSignature or maxAgeMs");
  const remedy = "raise memoryBytes";
  return {
    baseUrl,
    options,
    requests: createRequests(options),
    keys,
    concurrency,
    pages: { maxBytes: Math.floor(memoryBytes / concurrency), remedy },
    parts: { maxBytes: Math.floor(memoryBytes / PARTS_AT_ONCE), remedy },
    files: { maxBytes: memoryBytes, remedy: `use stream, or ${remedy}` },
    finding: new Map(),
  };
}

/** Normalises a base URL, which has no credentials, query or fragment. */
function parseBase(given: unknown): string {
  const text = typeof given === "string" ? given : quoted(given);
  try {
    // For non-ASCII URLs, URL.canParse is wrong in Node 20 and 22, see canParse in core/contract/links.ts.
    if (/^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  } catch {}
  throw usage(text.replace(/\/\/.*@/, "//...@"), "is not a base URL such as https://example.com");
}
