/** What an adapter says: what its host can do, how much it takes, and the files that make it answer as the contract says. */
import { extname } from "node:path";
import type { Snapshot } from "../../release/snapshot.js";
import type { Deployment } from "./deployment.js";
import type { Compression, Rules } from "./rules.js";

export interface Adapter {
  /** As in `rollcall adapt NAME`. */
  name: string;
  /** As people call the host; also its heading in docs/hosts.md. */
  title: string;
  /** How the host turns `?page=7` into a file; "no" where only releases with links by path work. */
  query: string;
  /** How the host's answers differ from what the contract asks, in the words of the table of hosts. */
  answers?: Partial<typeof ANSWERS>;
  compression: Compression;
  /** How the tests run what is written. */
  tested: string;
  /** Nothing unless the host sets a limit of its own. */
  limits?: AdapterLimits;
  /** What the host cannot do, by the name of the check in `rollcall verify`, each with the reason. */
  limitations?: Limitations;
  /** Where the release's folder goes, in a line or two. */
  steps: readonly string[];
  /** The files for one release; nothing where the published ones are all. */
  files?(deployment: Deployment): FileSource[];
  /** The files that must lie in the published folder. They are part of the release, so they cannot know its id or its pages. */
  published?(rules: Rules): FileSource[];
  /** What the host cannot do with the published files alone, where these can be used without the others. */
  publishedLimitations?: Limitations;
}

/** Answers as the contract asks. The refusal is of a method; what is missing is a page. */
export const ANSWERS = { headers: "all", options: "204", refusal: "405, JSON", missing: "404, JSON" };

export interface AdapterLimits {
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

/** One reason for several checks. */
export function limitedBy(reason: string, checks: readonly string[]): Limitations {
  return Object.fromEntries(checks.map((check) => [check, reason]));
}

export interface AdapterFile {
  /** Relative to the folder that the files are written to, or to the published folder. */
  path: string;
  text: string;
  /** What the file is and where it goes. */
  instructions: string;
}

export interface FileSource extends AdapterFile {
  /** Begins the comment at the top, which has the instructions as well; nothing for a file without comments. */
  what?: string;
}

/** The files for one release, and the published ones in a folder of their own. */
export function filesFor(adapter: Adapter, deployment: Deployment): AdapterFile[] {
  const own = adapter.files?.(deployment).map((file) => withComment(file, deployment.release.snapshot)) ?? [];
  const others = publishedFor(adapter, deployment);
  return [...own, ...others.map((file) => ({ ...file, path: `published/${file.path}` }))];
}

/** The files that must lie in the published folder. */
export function publishedFor({ published }: Adapter, rules: Rules): AdapterFile[] {
  return published?.(rules).map((file) => withComment(file)) ?? [];
}

/** A comment of one line, by the ending of a file's name. */
const COMMENTS: Readonly<Record<string, string>> = { ".js": "//", ".jsonc": "//", ".lua": "--" };

function withComment({ path, what, instructions, text }: FileSource, snapshot?: Snapshot): AdapterFile {
  if (what === undefined) return { path, instructions, text };
  const lines = [
    `${what}${snapshot ? ` of release ${snapshot.id}` : ""}, written by Rollcall.`,
    ...instructions.split("\n"),
    `To check it: rollcall verify ${snapshot?.base_url ?? "URL"}`,
  ];
  const comment = lines.map((line) => `${COMMENTS[extname(path)] ?? "#"} ${onOneLine(line)}\n`);
  return { path, instructions, text: `${comment.join("")}\n${text}` };
}

/** A value must not end the comment that it is part of. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}
