/** changes.json, which lists the steps to the state of its release, and handing steps on from one release to the next. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import { readAs } from "../contract/json.js";
import { CHANGES, CHANGES_FOLDER, MAX_PACKED } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { findDigest, readReleaseFileSync } from "../release/plain-files.js";
import { makeFolder } from "../release/sharing.js";
import { linkFile, writeFlushedSync } from "../release/writer.js";
import { countSchema, digestSchema, readIntact } from "./artifact.js";

const stepSchema = z.strictObject({
  from: digestSchema,
  to: digestSchema,
  file: z.string(),
  /** Of the file as it is. */
  bytes: countSchema.max(MAX_PACKED),
  /** Of the plain bytes. */
  sha256: digestSchema,
  /** Lines that put a record, and lines that remove one. */
  put: countSchema,
  remove: countSchema,
});

const changesSchema = z
  .strictObject({ state: digestSchema, steps: z.array(stepSchema) })
  .superRefine(({ state, steps }, context) => {
    const note = (at: number, name: string, message: string) =>
      context.addIssue({ code: "custom", path: ["steps", at, name], message });
    let expected = state;
    for (const [at, { from, to, file }] of steps.entries()) {
      if (to !== expected) note(at, "to", `must be ${expected}, as the step before it begins`);
      if (file !== stepPath(from, to)) note(at, "file", `must be ${stepPath(from, to)}`);
      expected = from;
    }
  });

export type Changes = z.infer<typeof changesSchema>;
export type Step = Changes["steps"][number];

/** The path of the step between two states inside a release. */
export function stepPath(from: string, to: string): string {
  return `${CHANGES_FOLDER}/${from.slice(0, 12)}-${to.slice(0, 12)}.ndjson.gz`;
}

export function encodeChanges(changes: Changes): string {
  return `${stringify(changes)}\n`;
}

/** What changes.json says, or why it says nothing, as the end of a sentence. */
export function parseChanges(text: string): Changes | { why: string } {
  return readAs(changesSchema, text);
}

/** A step of a release, with the digest of its file. */
export interface StepFile {
  step: Step;
  digest: string;
}

/** How much a release may hand on. */
export interface Room {
  steps: number;
  /** Of all files together. */
  bytes: number;
}

/**
 * The newest steps of a release for which there is room, up to the first that is not whole.
 * @param state of the release, to which they lead.
 * @param own a step that the next release has already. Where the same file would have to be another one, they end.
 */
export function findCarried(
  { folder, sums }: Pick<Release, "folder" | "sums">,
  state: string,
  room: Room,
  own?: StepFile,
): StepFile[] {
  const text = readIntact({ folder, sums }, CHANGES);
  const changes = text === undefined ? undefined : parseChanges(text);
  if (!changes || "why" in changes || changes.state !== state) return [];
  const carried: StepFile[] = [];
  let left = room.bytes;
  for (const step of changes.steps.slice(0, room.steps)) {
    const digest = sums.others.get(step.file);
    left -= step.bytes;
    if (digest === undefined || left < 0) break;
    const isOther = step.file === own?.step.file && digest !== own.digest;
    if (isOther || !isWhole(join(folder, step.file), step.bytes, digest)) break;
    carried.push({ step, digest });
  }
  return carried;
}

function isWhole(path: string, bytes: number, digest: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.size === bytes && findDigest(path, Buffer.alloc(2 ** 16)) === digest;
}

/** Puts steps of one release into the folder of another, as hard links where that is possible. */
export function carry(files: Iterable<string>, from: string, to: string): void {
  for (const file of files) {
    makeFolder(to, CHANGES_FOLDER);
    if (linkFile(join(from, file), join(to, file))) continue;
    writeFlushedSync(join(to, file), [readReleaseFileSync(join(from, file)) ?? new Uint8Array()]);
  }
}
