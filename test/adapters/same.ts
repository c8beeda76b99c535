/** Whether a host answers as `rollcall serve` does, by the parts of an answer that the contract names. */
import { type Answer, type Request, send } from "../client/raw.js";

/** The headers that the contract names. */
const NAMED = [
  ...["allow", "content-type", "vary", "cache-control", "etag", "snapshot-id", "content-encoding"],
  ...["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"],
  ...["access-control-max-age", "access-control-expose-headers", "x-content-type-options", "location", "link"],
  ...["content-security-policy", "x-robots-tag"],
];

/** The parts that the contract names. Redirects may be absolute or not, and have any body or none. */
function essence(answer: Answer, origin: string, without: readonly string[]) {
  const headers = answer.headers
    .filter(([name]) => NAMED.includes(name) && !without.includes(name))
    .filter(([name]) => name !== "content-type" || answer.status !== 301)
    .map(([name, value]) => `${name}: ${value.replace(/\s*,\s*/g, ", ").replace(origin, "")}`)
    // The type of an answer that has no body by its status does not matter.
    .filter((line) => ![204, 304].includes(answer.status) || !line.startsWith("content-type"));
  return {
    status: answer.status,
    headers: headers.sort(),
    body: answer.status === 301 ? "" : answer.body.toString("latin1"),
  };
}

function short(seen: ReturnType<typeof essence> | undefined) {
  return { ...seen, body: `${seen?.body.slice(0, 80)} (${seen?.body.length} bytes)` };
}

/** Cloudflare compresses by itself, and a .htaccess does not answer for what lies outside its folder. */
export function isSkipped(server: string, base: string, { target, headers }: Request): boolean {
  if (server === "htaccess") return !target.startsWith(`${base}/`);
  return server === "cloudflare" && JSON.stringify(headers ?? "").includes("Accept-Encoding");
}

/** What a server cannot have as `rollcall serve` has it: a .htaccess has tags of its own. */
function leftOut(server: string, target: string): string[] {
  // The tags of SHA256SUMS and its signature cannot be their digests where it lists a configuration that has all tags.
  return server === "htaccess" || /\/SHA256SUMS(\.minisig)?$/.test(target) ? ["etag"] : [];
}

/** The requests that two origins answer differently, the first of which is that of `rollcall serve`. */
export async function differing(server: string, origins: readonly string[], requests: readonly Request[]) {
  const found: unknown[] = [];
  for (const request of requests) {
    const without = leftOut(server, request.target);
    const [mine, other] = await Promise.all(
      origins.map(async (origin) => essence(await send(new URL(origin), request), origin, without)),
    );
    // The beginnings and lengths of long bodies are enough for a message.
    if (JSON.stringify(mine) !== JSON.stringify(other)) found.push({ request, mine: short(mine), other: short(other) });
  }
  return found;
}
