/** Parses base URLs. */
import { usageError } from "../errors.js";
import { USERS_CONTRACT } from "./contract.js";
import { asPattern, canParse, normalBaseUrl } from "./links.js";

/**
 * Normalises a base URL: `HTTPS://Example.com:443/directory/` becomes `https://example.com/directory`.
 * @param path of the listing, whose own URL is refused; null if it is not known yet.
 * @throws UserError (usage) if it is not absolute http(s), or has a query, a fragment or credentials.
 */
export function parseBaseUrl(text: string, path: string | null = USERS_CONTRACT.listing.path): string {
  // Keeps passwords out of messages and logs.
  const shown = JSON.stringify(text.replace(/^([^/]*\/\/)[^/]*@/, "$1...@"));
  const refuse = (why: string, instead = "one like https://directory.example.com") =>
    usageError(`Base URL ${shown} ${why}; give ${instead}.`);
  if (!/^https?:\/\/[^/]/i.test(text) || !canParse(text)) throw refuse("is not an absolute http(s) URL");
  if (/[\s\\]/.test(text)) throw refuse("has white space or a backslash");
  const base = path === null ? undefined : baseOfListing(text, path);
  if (base !== undefined) throw refuse(`is the URL of the listing itself, and every link adds ${path}`, base);
  if (text.includes("#")) throw refuse("has a fragment (#)");
  if (text.includes("?")) throw refuse("has a query (?)");
  if (/^https?:\/\/[^/]*@/i.test(text)) throw refuse("has credentials (@), which every page would publish");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw refuse("has a % that does not begin an escape such as %20");
  return normalBaseUrl(new URL(text));
}

/** The base URL within the URL of a listing or of one of its pages, in any spelling; undefined for any other URL. */
function baseOfListing(text: string, path: string): string | undefined {
  const listing = asPattern(path.slice(0, -1));
  const [, base] = new RegExp(`^(https?://[^?#]+)${listing}/*(?:pages/[^?#]*)?(?:[?#].*)?$`, "i").exec(text) ?? [];
  return base?.includes("@") ? undefined : base;
}
