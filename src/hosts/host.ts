/** What a host holds: what its host can do, its limits, and the files that make it answer as the contract says. */
import { extname } from "node:path";
import { INCLUDED } from "../release/layout.js";
import type { Snapshot } from "../release/snapshot-file.js";
import type { Deployment, HostedSite } from "./deployment.js";
import type { Compression, Rules } from "./rules.js";

export interface Host {
  /** As in `rollcall host NAME`. */
  name: string;
  /** The host's usual name; also its heading in docs/reference/hosts.md. */
  title: string;
  /** How the host turns `?page=7` into a file; "no" where only releases with links by path work. */
  query: string;
  /** How the host's answers differ from what the contract asks, in the words of the table of hosts. */
  answers?: Partial<typeof ANSWERS>;
  compression: Compression;
  /** How the tests run what is written. */
  tested: string;
  /** Absent where the host sets no limit. */
  limits?: HostLimits;
  /** What the host cannot do, by the name of the check in `rollcall verify`, each with the reason. */
  limitations?: Limitations;
  /** Where the release's folder goes, in a line or two. */
  steps: readonly string[];
  /**
   * What an administrator owns: names, ports and certificates. It is written once, and includes what `included`
   * gives, by the path that `site.included` has for it. So every change of release is the change of one link.
   */
  site?(site: HostedSite): FileSource | FileSource[];
  /**
   * The files that a release holds for the host, in its folder `hosts`. The host must read only one of them through the
   * link to the current release, or refuse those of two releases together.
   */
  included?(deployment: Deployment): FileSource[];
  /** The files for one release, which are written again for each; absent where the published ones are enough. */
  files?(deployment: Deployment, site: HostedSite): FileSource[];
  /** The files that must lie in the published folder. They are part of the id, so they cannot hold it. */
  published?(rules: Rules): FileSource[];
}

/** How a host answers that does all that the contract asks; `refusal` is of a method, `missing` of a page. */
export const ANSWERS = { headers: "all", options: "204", refusal: "405, JSON", missing: "404, JSON" };

export interface HostLimits {
  files?: number;
  filesInFolder?: number;
  bytesInFile?: number;
  bytes?: number;
  /** Files of one upload. */
  upload?: number;
  /** Where the host publishes these numbers. */
  source: string;
}

export type Limitations = Readonly<Record<string, string>>;

/** Several checks with one reason. */
export function limitedBy(reason: string, checks: readonly string[]): Limitations {
  return Object.fromEntries(checks.map((check) => [check, reason]));
}

export interface HostFile {
  /** Relative to the folder that the files are written to, or to the published folder. */
  path: string;
  text: string;
  /** What the file is and where it goes. */
  instructions: string;
}

export interface FileSource extends HostFile {
  /** The beginning of a comment that is put before the text, with the instructions; absent where a file cannot have comments. */
  what?: string;
}

/** The files that `rollcall host` writes: the site's own, or all for one release, with the published ones in the folder `published`. */
export function filesFor(host: Host, deployment: Deployment, site: HostedSite): HostFile[] {
  if (host.site) return [host.site(site)].flat().map((file) => withComment(file, { base_url: site.baseUrl }));
  const own = host.files?.(deployment, site).map((file) => withComment(file, deployment.snapshot)) ?? [];
  const others = publishedFor(host, deployment);
  return [...own, ...others.map((file) => ({ ...file, path: `published/${file.path}` }))];
}

/** The files that a release holds for a host, by their paths in the release. */
export function includedFor({ included }: Host, deployment: Deployment): HostFile[] {
  const files = included?.(deployment).map((file) => withComment(file, deployment.snapshot)) ?? [];
  return files.map((file) => ({ ...file, path: `${INCLUDED}/${file.path}` }));
}

/** The files that must lie in the published folder. */
export function publishedFor({ published }: Host, rules: Rules): HostFile[] {
  return published?.(rules).map((file) => withComment(file, {})) ?? [];
}

/** What begins a comment, by the ending of the file's name; it is `#` for all others. */
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

/** Keeps a value from ending the comment that it is part of. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}
