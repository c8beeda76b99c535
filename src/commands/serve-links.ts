/** Warns if a release was built for this machine and its links lead to another address than the server's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { basePath } from "../contract/links.js";
import { shellWord } from "../print/text.js";
import { SNAPSHOT } from "../release/layout.js";
import { settingOf } from "../settings/settings.js";

/** Makes a function to call for each release that is served. It warns once for each base URL. */
export function createLinksNote(out: string, log: (line: string) => void) {
  let last: string | undefined;
  return (baseUrl: string, origin: string): void => {
    if (baseUrl === last) return;
    last = baseUrl;
    const note = linksNote(baseUrl, origin, out);
    if (note !== undefined) log(note);
  };
}

/** A base URL that is not this machine's own, or has TLS, is taken for that of a proxy in front, and not warned of. */
function linksNote(baseUrl: string, origin: string, out: string): string | undefined {
  const base = new URL(baseUrl);
  const here = new URL(origin);
  if (base.protocol !== "http:" || !isLoopback(base.hostname)) return undefined;
  const isEverywhere = here.hostname === "0.0.0.0" || here.hostname === "[::]";
  const isHere = base.hostname === here.hostname || base.hostname === "localhost";
  if (base.port === here.port && isHere && !isEverywhere && isLoopback(here.hostname)) return undefined;

  const target = isEverywhere ? `http://ADDRESS${here.port && `:${here.port}`}` : origin;
  // Neither for the default, nor for a single release's folder, where no build can go.
  const isUsual = out === settingOf("out").default || existsSync(join(out, SNAPSHOT));
  const outFlag = isUsual ? [] : ["--out", shellWord(out)];
  const command = ["rollcall build --base-url", shellWord(`${target}${basePath(baseUrl)}`), ...outFlag];
  const where = isEverywhere
    ? "which readers on other machines cannot follow"
    : "which is not where this server listens";
  const how = isEverywhere ? ", with the address that they use for ADDRESS," : "";
  return `Links lead to ${baseUrl}, ${where}; "${command.join(" ")}"${how} makes a release whose links lead here.`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
