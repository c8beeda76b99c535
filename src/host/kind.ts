/** The interface of hosts: features, limits of size, checks that they cannot pass, and the files that make them answer as the contract says. */
import { extname } from "node:path";
import type { HostedSite } from "./hosted-site.js";
import type { Compression, SiteRules } from "./rules.js";

export interface HostKind {
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
  /** Undefined if the host takes any release. */
  sizeLimits?: SizeLimits;
  /** Checks of `rollcall verify` that the host cannot pass, with reasons. */
  unmetChecks?: UnmetChecks;
  /** What to do with the release's folder. */
  steps: readonly string[];
  /** Files that the administrator may edit, so they are written once. They name `dist/current` and no release. */
  site?: readonly FileSource<HostedSite>[];
  /** Files that are written again each time. */
  files?: readonly FileSource<HostedSite>[];
  /** Files that a release must have, at its top: a build with `--adapt` writes them. */
  inRelease?: readonly FileSource<SiteRules>[];
}

/** The answers that the contract requires; `refusal` is of a method, `missing` of a page. */
export const ANSWERS = { headers: "all", options: "204", refusal: "405, JSON", missing: "404, JSON" };

export interface SizeLimits {
  files?: number;
  filesInFolder?: number;
  bytesInFile?: number;
  bytes?: number;
  /** Where the host documents these numbers. */
  source: string;
}

export type UnmetChecks = Readonly<Record<string, string>>;

/** Gives several checks that a host cannot pass one reason. */
export function limitedBy(reason: string, checks: readonly string[]): UnmetChecks {
  return Object.fromEntries(checks.map((check) => [check, reason]));
}

/** The checks that hosts cannot pass which make ETags of time and size, and cannot read a header from a file. */
export const OWN_TAGS: UnmetChecks = {
  "etag-digest": "ETags are made of a file's time and size",
  "snapshot-id": "It sends no header that changes with the release",
  "not-modified-type": "Its 304 has no Content-Type",
};

export interface HostFile {
  /** Relative to the output folder, or to the published folder. */
  path: string;
  text: string;
  /** What the file is, and where to put it. */
  instructions: string;
}

interface FileSource<Source> extends Omit<HostFile, "text"> {
  /** First words of the comment before the text. Undefined if the file cannot have comments. */
  what?: string;
  text(source: Source): string;
}

/** A note on a site's file, after its place. */
export const ONCE =
  "You can edit it: Rollcall does not overwrite it.\nNothing in it is of one release: builds and switches need no reload.";

/** The files that `rollcall host` writes, with those of a release in the folder `published`. */
export function filesFor(host: HostKind, site: HostedSite): HostFile[] {
  const own = [...(host.site ?? []), ...(host.files ?? [])];
  const others = filesInRelease(host, site.rules);
  return [
    ...own.map((file) => withComment(file, file.text(site), host.name, site.baseUrl)),
    ...others.map((file) => ({ ...file, path: `published/${file.path}` })),
  ];
}

/** The files of a host in a release. */
export function filesInRelease({ name, inRelease = [] }: HostKind, rules: SiteRules): HostFile[] {
  return inRelease.map((file) => withComment(file, file.text(rules), name, "URL"));
}

/** How a comment begins, by file extension; `#` for all others. */
const COMMENTS: Readonly<Record<string, string>> = { ".js": "//", ".jsonc": "//" };

function withComment(
  { path, what, instructions }: Omit<FileSource<never>, "text">,
  text: string,
  host: string,
  baseUrl: string,
): HostFile {
  if (what === undefined) return { path, instructions, text };
  const lines = [
    `${what}, written by Rollcall.`,
    ...instructions.split("\n"),
    `To check it: rollcall verify ${baseUrl} --adapt ${host}`,
  ];
  const comment = lines.map((line) => `${COMMENTS[extname(path)] ?? "#"} ${onOneLine(line)}\n`);
  return { path, instructions, text: `${comment.join("")}\n${text}` };
}

/** Escapes a value so that it cannot end the comment. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}

/** Indents lines by a step. */
export function indent(all: readonly string[], step = "  "): string[] {
  return all.map((line) => (line === "" ? line : step + line));
}

/** Ends a file that is made of lines. */
export function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
