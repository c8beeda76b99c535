/** Parses base URLs. */
import { type UserError, usageError } from "../errors.js";
import { asPattern, canParse, normalBaseUrl } from "./links.js";

/**
 * Normalises a base URL: `HTTPS://Example.com:443/directory/` becomes `https://example.com/directory`.
 * @param path of the listing, if it is known: the message about the URL of a page then names the base URL.
 * @throws UserError (usage) if it is not absolute http(s), or has a query, a fragment or credentials, or is the URL of a page.
 */
export function parseBaseUrl(text: string, path?: string): string {
  if (!/^https?:\/\/[^/]/i.test(text) || !canParse(text)) throw refusal(text, "is not an absolute http(s) URL");
  if (/[\s\\]/.test(text)) throw refusal(text, "has white space or a backslash");
  const base = path === undefined ? undefined : baseOfPage(text, path);
  if (path !== undefined && base !== undefined) throw ofListing(text, path, base);
  if (text.includes("#")) throw refusal(text, "has a fragment (#)");
  if (text.includes("?")) throw refusal(text, "has a query (?)");
  if (/^https?:\/\/[^/]*@/i.test(text)) throw refusal(text, "has credentials (@), which every page would publish");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw refusal(text, "has a % that does not begin an escape such as %20");
  return normalBaseUrl(new URL(text));
}

/** The error for the URL of a listing, or of one of its pages, instead of the base URL. */
function ofListing(text: string, path: string, base: string): UserError {
  return refusal(text, `is the URL of the listing itself, and every link adds ${path}`, base);
}

function refusal(text: string, why: string, instead = "one like https://directory.example.com"): UserError {
  // Keeps passwords out of messages and logs.
  const shown = JSON.stringify(text.replace(/^([^/]*\/\/)[^/]*@/, "$1...@"));
  return usageError(`Base URL ${shown} ${why}; give ${instead}.`);
}

/** The base URL within the URL of a listing's page, in any spelling; undefined for any other URL. */
function baseOfPage(text: string, path: string): string | undefined {
  const listing = asPattern(path.slice(0, -1));
  const page = "/*[?#].*|/+pages/\\d+\\.json(?:[?#].*)?";
  const [, base] = new RegExp(`^(https?://[^?#]+?)${listing}(?:${page})$`, "i").exec(text) ?? [];
  return base?.includes("@") ? undefined : base;
}
