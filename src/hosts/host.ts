/** The interface of hosts: features, limits, and the files that make them answer as the contract says. */
import { extname } from "node:path";
import { INCLUDED } from "../release/layout.js";
import type { Snapshot } from "../release/snapshot-file.js";
import type { Deployment, HostedSite } from "./deployment.js";
import type { Compression, Rules } from "./rules.js";

export interface Host {
  /** Name in `rollcall host NAME`. */
  name: string;
  /** Display name; also its heading in docs/reference/hosts.md. */
  title: string;
  /** How the host maps `?page=7` to a file; "no" if it needs `--links path`. */
  query: string;
  /** Differences of its answers from the contract, for the table of hosts. */
  answers?: Partial<typeof ANSWERS>;
  compression: Compression;
  /** How the tests run its files. */
  tested: string;
  /** Undefined if the host has no limits. */
  limits?: HostLimits;
  /** Checks of `rollcall verify` that the host cannot pass, with reasons. */
  limitations?: Limitations;
  /** What to do with the release's folder. */
  steps: readonly string[];
  /**
   * The administrator's file with names, ports and certificates. It is written once. It includes the files of `included` by the
   * paths of `site.included`, so that a new release only changes the link `current`.
   */
  site?(site: HostedSite): FileSource | FileSource[];
  /**
   * Files for the host in each release. The host must read only one of them through the link `current`, or refuse a mix of two
   * releases.
   */
  included?(deployment: Deployment): FileSource[];
  /** Files for one release, written again for each. Undefined if the published ones are enough. */
  files?(deployment: Deployment, site: HostedSite): FileSource[];
  /** Files that must be in the published folder. They are part of the id, so they cannot contain it. */
  published?(rules: Rules): FileSource[];
}

/** The answers that the contract requires; `refusal` is of a method, `missing` of a page. */
export const ANSWERS = { headers: "all", options: "204", refusal: "405, JSON", missing: "404, JSON" };

export interface HostLimits {
  files?: number;
  filesInFolder?: number;
  bytesInFile?: number;
  bytes?: number;
  /** Files of one upload. */
  upload?: number;
  /** Where the host documents these numbers. */
  source: string;
}

export type Limitations = Readonly<Record<string, string>>;

/** Makes limitations of several checks with one reason. */
export function limitedBy(reason: string, checks: readonly string[]): Limitations {
  return Object.fromEntries(checks.map((check) => [check, reason]));
}

export interface HostFile {
  /** Relative to the output folder, or to the published folder. */
  path: string;
  text: string;
  /** What the file is, and where to put it. */
  instructions: string;
}

export interface FileSource extends HostFile {
  /** First words of the comment before the text. Undefined if the file cannot have comments. */
  what?: string;
}

/** The files that `rollcall host` writes: the site's, or all for one release, with published ones in the folder `published`. */
export function filesFor(host: Host, deployment: Deployment, site: HostedSite): HostFile[] {
  if (host.site) return [host.site(site)].flat().map((file) => withComment(file, { base_url: site.baseUrl }));
  const own = host.files?.(deployment, site).map((file) => withComment(file, deployment.snapshot)) ?? [];
  const others = publishedFor(host, deployment);
  return [...own, ...others.map((file) => ({ ...file, path: `published/${file.path}` }))];
}

/** The files for a host in a release, with their paths in the release. */
export function includedFor({ included }: Host, deployment: Deployment): HostFile[] {
  const files = included?.(deployment).map((file) => withComment(file, deployment.snapshot)) ?? [];
  return files.map((file) => ({ ...file, path: `${INCLUDED}/${file.path}` }));
}

/** The files for a host in the published folder. */
export function publishedFor({ published }: Host, rules: Rules): HostFile[] {
  return published?.(rules).map((file) => withComment(file, {})) ?? [];
}

/** Begin of a comment by file extension; `#` for all others. */
const COMMENTS: Readonly<Record<string, string>> = { ".js": "//", ".jsonc": "//" };

function withComment(
  { path, what, instructions, text }: FileSource,
  { id, base_url = "URL" }: Partial<Pick<Snapshot, "id" | "base_url">>,
): HostFile {
  if (what === undefined) return { path, instructions, text };
  const lines = [
    `${what}${id === undefined ? "" : ` of release ${id}`}, written by Rollcall.`,
    ...instructions.split("\n"),
    `To check it: rollcall verify ${base_url}`,
  ];
  const comment = lines.map((line) => `${COMMENTS[extname(path)] ?? "#"} ${onOneLine(line)}\n`);
  return { path, instructions, text: `${comment.join("")}\n${text}` };
}

/** Escapes a value so that it cannot end the comment. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}
