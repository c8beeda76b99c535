/** What Rollcall knows of one kind of host: what it can do, how much it takes, and the files that make it answer. */
import type { Encoding } from "../../contract/headers.js";
import type { Deployment } from "./deployment.js";
import type { Rules } from "./rules.js";

export interface Adapter {
  name: string;
  /** As people call it. */
  title: string;
  claims: Claims;
  /** Codings of which it can choose among a release's files; the others of a release lie there in vain. */
  siblings: readonly Encoding[];
  /** Whether it, or the network before it, compresses by itself. */
  compresses: boolean;
  limits: AdapterLimits;
  /** Where a release's folder goes, in a line or two, beside what each file says of itself. */
  steps: readonly string[];
  files(site: Deployment): AdapterFile[];
  /** The files that must lie in the published folder, as far as they say nothing of the release's id or pages. */
  published?(rules: Rules): AdapterFile[];
}

/** One row of the table of hosts. */
export interface Claims {
  /** How `?page=7` becomes a file; "no" where only links by path work. */
  query: string;
  headers: string;
  options: string;
  /** Of a method that is refused. */
  refusal: string;
  /** Of a page that is none. */
  missing: string;
  compression: string;
  tested: string;
}

/** What a host takes; absent where it sets no limit of its own. */
export interface AdapterLimits {
  files?: number;
  filesInFolder?: number;
  bytesInFile?: number;
  bytes?: number;
  /** Files of one upload. */
  upload?: number;
  /** Where the figures stand, for who wants to look them up. */
  source?: string;
}

export interface AdapterFile {
  /** Below the folder that files are written to, or below the published folder. */
  path: string;
  text: string;
  /** What it is and where it goes, where it cannot say so itself. */
  goes: string;
}

/** The comment that a file begins with: what it is, where it goes, how to check it. */
export function banner(
  prefix: string,
  what: string,
  site: Pick<Deployment, "release"> | undefined,
  goes: string,
): string {
  const url = site?.release.snapshot.base_url ?? "URL";
  const id = site === undefined ? "" : ` of release ${site.release.snapshot.id}`;
  const lines = [`${what}${id}, written by Rollcall.`, ...goes.split("\n"), `To check it: rollcall verify ${url}`];
  return `${lines.map((line) => `${prefix} ${visible(line)}\n`).join("")}\n`;
}

/** A value must not end the comment that it stands in. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}
