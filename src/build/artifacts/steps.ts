/** Reads and writes changes.json, and reuses steps of the last release. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import { readAs } from "../../core/contract/json.js";
import { CHANGES, CHANGES_FOLDER, isPart, MAX_PACKED } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { hashPlain } from "../../core/release/plain-files.js";
import { makeFolder } from "../../core/release/sharing.js";
import { carryFile } from "../../core/release/times.js";
import { countSchema, digestSchema, readIntact } from "./artifact.js";

const stepSchema = z.strictObject({
  from: digestSchema.describe("The state before the step."),
  to: digestSchema.describe("The state after the step."),
  file: z.string().describe("The step's path below the base URL."),
  bytes: countSchema.max(MAX_PACKED).describe("The size of the file."),
  sha256: digestSchema.describe("The SHA-256 of its plain bytes."),
  put: countSchema.describe("Number of records that are new or changed."),
  remove: countSchema.describe("Number of removed records."),
});

/** The form of changes.json. openapi.json shows its descriptions. */
export const changesSchema = z
  .strictObject({
    state: digestSchema.describe("The snapshot's state, to which the first listed step leads."),
    steps: z
      .array(stepSchema)
      .describe("Newest first. The `to` of each step is the `from` of the step before it in the list."),
  })
  .superRefine(({ state, steps }, context) => {
    const note = (at: number, name: string, message: string) =>
      context.addIssue({ code: "custom", path: ["steps", at, name], message });
    let expected = state;
    for (const [at, { from, to, file }] of steps.entries()) {
      if (to !== expected) note(at, "to", `must be ${expected}, the "from" of the step before it`);
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

/** Writes changes.json. */
export function encodeChanges(changes: Changes): string {
  return `${stringify(changes)}\n`;
}

/** Parses changes.json, or says why it is invalid, as the end of a sentence. */
export function parseChanges(text: string): Changes | { why: string } {
  return readAs(changesSchema, text);
}

/** A step of a release, with the digest of its file. */
export interface StepFile {
  step: Step;
  digest: string;
}

/** Limits on the steps of a release. */
export interface StepLimits {
  steps: number;
  /** Total size of all files. */
  bytes: number;
}

/**
 * Finds the newest steps of a release that are within limits, up to the first damaged one.
 * @param state the release's state, to which they lead.
 * @param own the step that the new release already has. The list ends before a step of the same file with other bytes.
 */
export function findReusableSteps(
  { folder, sums }: Pick<Release, "folder" | "sums">,
  state: string,
  room: StepLimits,
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
    if (isOther || !isIntact(join(folder, step.file), step.bytes, digest)) break;
    carried.push({ step, digest });
  }
  return carried;
}

function isIntact(path: string, bytes: number, digest: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.size === bytes && hashPlain(path) === digest;
}

/** The bytes that a reader of everything downloads: bulk parts or, without them, compressed pages or plain ones. */
export function bytesOfAll({ folder, sums }: Pick<Release, "folder" | "sums">): number {
  const { paths, pages, others } = sums;
  const sizeOf = (path: string) => lstatSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0;
  const ofParts = [...others.keys()].filter(isPart).reduce((sum, path) => sum + sizeOf(path), 0);
  if (ofParts > 0) return ofParts;
  const variant = pages.variants.includes("gzip") ? "gzip" : "identity";
  let bytes = 0;
  for (let page = 1; page <= pages.pages; page++) bytes += sizeOf(paths.path(page, variant));
  return bytes;
}

/** Adds steps of one release to the folder of another, as hard links if possible. */
export function linkSteps(files: Iterable<string>, from: string, to: string): void {
  for (const file of files) {
    makeFolder(to, CHANGES_FOLDER);
    carryFile(join(from, file), join(to, file));
  }
}
