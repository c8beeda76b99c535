/** What an adapter says: what its host can do, how much it takes, and the files that make it answer as the contract says. */
import type { Deployment } from "./deployment.js";
import type { Compression, Rules } from "./rules.js";

export interface Adapter {
  /** As in `rollcall adapt NAME`. */
  name: string;
  /** As people call the host; also its heading in docs/hosts.md. */
  title: string;
  /** How the host turns `?page=7` into a file; "no" where only releases with links by path work. */
  query: string;
  answers: Answers;
  compression: Compression;
  /** How the tests run what is written. */
  tested: string;
  /** Nothing unless the host sets a limit of its own. */
  limits?: AdapterLimits;
  /** What the host cannot do, by the name of the check in `rollcall verify`, each with the reason. */
  limitations?: Limitations;
  /** Where the release's folder goes, in a line or two. */
  steps: readonly string[];
  /** The files for one release. */
  files(deployment: Deployment): AdapterFile[];
  /** The files that must lie in the published folder. They are part of the release, so they cannot know its id or its pages. */
  published?(rules: Rules): AdapterFile[];
  /** What the host cannot do with the published files alone, where these can be used without the others. */
  publishedLimitations?: Limitations;
}

/** How the host answers, in the words of the table of hosts. */
interface Answers {
  headers: string;
  options: string;
  /** To a method that is refused. */
  refusal: string;
  /** To a page that does not exist. */
  missing: string;
}

/** How a host does all that the contract asks of answers. */
export const ALL_ANSWERS: Answers = { headers: "all", options: "204", refusal: "405, JSON", missing: "404, JSON" };

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

/** The published files as `files` lists them: in a folder of their own. */
export function besidePublished(files: readonly AdapterFile[]): AdapterFile[] {
  return files.map((file) => ({ ...file, path: `published/${file.path}` }));
}

/** A file that begins with a comment: what it is, where it goes and how to check it. */
export function commentedFile(
  path: string,
  { comment, what, release, instructions, text }: CommentedFile,
): AdapterFile {
  const url = release?.snapshot.base_url ?? "URL";
  const id = release === undefined ? "" : ` of release ${release.snapshot.id}`;
  const lines = [
    `${what}${id}, written by Rollcall.`,
    ...instructions.split("\n"),
    `To check it: rollcall verify ${url}`,
  ];
  return { path, instructions, text: `${lines.map((line) => `${comment} ${onOneLine(line)}\n`).join("")}\n${text}` };
}

interface CommentedFile extends Omit<AdapterFile, "path"> {
  /** What begins a comment. */
  comment: string;
  what: string;
  /** Nothing for a file of the release itself. */
  release?: Deployment["release"];
}

/** A value must not end the comment that it is part of. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").replaceAll("*/", "* /");
}
