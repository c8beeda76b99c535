/** changes.json: which steps lead from the states before to the one of its release. */
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import { readAs } from "../../contract/json.js";
import { CHANGES_FOLDER, MAX_PACKED } from "../../release/layout.js";

const count = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in hexadecimal" });

const stepSchema = z.strictObject({
  from: digest,
  to: digest,
  file: z.string(),
  /** Of the file as it is. */
  bytes: count.max(MAX_PACKED),
  /** Of the plain bytes. */
  sha256: digest,
  /** Lines that put a record, and lines that remove one. */
  put: count,
  remove: count,
});

const changesSchema = z
  .strictObject({ state: digest, steps: z.array(stepSchema) })
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
