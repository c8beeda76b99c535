/** Warns if a release was built for this machine and its links lead to another address than the server's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { basePath } from "../contract/links.js";
import { shellWord } from "../print/text.js";
import { SNAPSHOT } from "../release/layout.js";
import { settingOf } from "../settings/settings.js";

/**
 * Makes a function to call for each release that is served. It logs a line where it should, once for each base URL.
 * @param out the folder that is served, for the command in that line
 */
export function createLinksNote(out: string, log: (line: string) => void) {
  let last: string | undefined;
  return (baseUrl: string, origin: string): void => {
    if (baseUrl === last) return;
    last = baseUrl;
    const note = linksNote(baseUrl, origin, out);
    if (note !== undefined) log(note);
  };
}

/**
 * A base URL that is not this machine's own, or has TLS, is taken for that of a proxy in front, and not warned of.
 * @param origin where the server listens, such as `http://127.0.0.1:8080`
 */
function linksNote(baseUrl: string, origin: string, out: string): string | undefined {
  const base = new URL(baseUrl);
  const here = new URL(origin);
  if (base.protocol !== "http:" || !isLoopback(base.hostname)) return undefined;
  const isEverywhere = here.hostname === "0.0.0.0" || here.hostname === "[::]";
  const isHere = base.hostname === here.hostname || base.hostname === "localhost";
  if (base.port === here.port && isHere && !isEverywhere && isLoopback(here.hostname)) return undefined;

  const target = isEverywhere ? `http://ADDRESS${here.port && `:${here.port}`}` : origin;
  const command = ["rollcall build --base-url", shellWord(`${target}${basePath(baseUrl)}`), ...outFlag(out)];
  const where = isEverywhere
    ? "which readers on other machines cannot follow"
    : "which is not where this server listens";
  const how = isEverywhere ? ", with the address that they use for ADDRESS," : "";
  return `Links lead to ${baseUrl}, ${where}; "${command.join(" ")}"${how} makes a release whose links lead here.`;
}

/** The `--out` of the command; none for the default, nor for a single release's folder, where no build can go. */
function outFlag(out: string): string[] {
  if (out === settingOf("out").default || existsSync(join(out, SNAPSHOT))) return [];
  return ["--out", shellWord(out)];
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
