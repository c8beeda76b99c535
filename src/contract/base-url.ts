/** The base URL that a publisher gives, and what is refused as one. */
import { usageError } from "../errors.js";
import { USERS_CONTRACT } from "./contract.js";
import { asPattern, canParse, normalBaseUrl } from "./links.js";

/**
 * Normalises a base URL: `HTTPS://Example.com:443/directory/` becomes `https://example.com/directory`.
 * @param path of the listing, whose own URL is no base URL; null where nobody knows it yet.
 * @throws UserError (usage) when it is not absolute http(s), or has a query, a fragment or credentials.
 */
export function parseBaseUrl(text: string, path: string | null = USERS_CONTRACT.listing.path): string {
  // A message must not carry a password into a log.
  const shown = JSON.stringify(text.replace(/^([^/]*\/\/)[^/]*@/, "$1...@"));
  const refuse = (why: string, instead = "one like https://directory.example.com") =>
    usageError(`Base URL ${shown} ${why}; give ${instead}.`);
  if (!/^https?:\/\/[^/]/i.test(text) || !canParse(text)) throw refuse("is not an absolute http(s) URL");
  if (/[\s\\]/.test(text)) throw refuse("has white space or a backslash in it");
  const base = path === null ? undefined : baseOfListing(text, path);
  if (base !== undefined) throw refuse(`is of the listing itself, and every link adds ${path}`, base);
  if (text.includes("#")) throw refuse("has a fragment (#)");
  if (text.includes("?")) throw refuse("has a query (?)");
  if (/^https?:\/\/[^/]*@/i.test(text)) throw refuse("has credentials (@), which every page would publish");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw refuse("has a % that begins no escape");
  return normalBaseUrl(new URL(text));
}

/** The base URL of a URL of the listing or of one of its pages, however that is written; undefined for any other. */
function baseOfListing(text: string, path: string): string | undefined {
  const listing = asPattern(path.slice(0, -1));
  const [, base] = new RegExp(`^(https?://[^?#]+)${listing}/*(?:pages/[^?#]*)?(?:[?#].*)?$`, "i").exec(text) ?? [];
  return base?.includes("@") ? undefined : base;
}
