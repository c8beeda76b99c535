/** Proves changes.json and its steps: their form, and that each is what differs between its ends, where those are there. */
import { createReadStream, fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Changes, Step } from "../../artifacts/steps/steps.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { openPlain } from "../../release/files.js";
import { CHANGES, CHANGES_FOLDER, isPart, MAX_PACKED, RECORDS } from "../../release/layout.js";
import { checkEnds } from "../changes/ends.js";
import { type Difference, type LineContext, lineContext } from "../changes/lines.js";
import { MAX_CHANGES, readStep } from "../changes/step.js";
import { StepTable } from "../changes/table.js";
import { CHANGES_HEAD, noteUnnamed, readHead } from "../heads.js";
import type { Findings } from "../verdict.js";
import { readPlainFile } from "./files.js";
import type { Manifest } from "./manifest.js";
import { StateLists } from "./states.js";
import type { Tree } from "./tree.js";

const CHUNK = 2 ** 18;

type Note = (path: string, difference: Difference) => void;

/** Whether a release has any of it. Where it has not, there is nothing to prove. */
export function hasChanges({ others }: Manifest, tree: Tree): boolean {
  return others.has(CHANGES) || tree.has(CHANGES) || stepsIn(tree).length > 0;
}

/** The paths of all that stands where steps do. */
export function stepsIn(tree: Tree): string[] {
  return [...tree.keys(`${CHANGES_FOLDER}/`)];
}

export async function checkChanges(
  folder: string,
  tree: Tree,
  manifest: Manifest,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { snapshot, contract, others } = manifest;
  if (!hasChanges(manifest, tree) || !snapshot || !contract) return;
  const note: Note = (path, difference) => findings.add({ check: "changes", path, ...difference });
  const text = await readPlainFile(folder, tree, CHANGES, MAX_CHANGES);
  const changes = readHead(CHANGES_HEAD, text ?? { why: "is no file to read" }, note);
  if (!changes) return;
  const state = others.get(RECORDS);
  if (state !== undefined && changes.state !== state)
    note(CHANGES, { found: `state ${changes.state}`, expected: `${state}, the digest of ${RECORDS}` });
  for (const { file } of changes.steps) if (!tree.has(file)) note(file, { found: "no such file", expected: "a step" });
  noteUnnamed(CHANGES_HEAD, changes.steps, stepsIn(tree), note);
  checkSize(folder, tree, manifest, changes, note);
  const context = lineContext(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  const lists = new StateLists(folder);
  for (const step of changes.steps)
    if (tree.get(step.file) === "file") await checkStep({ folder, context, lists, signal }, step, note);
}

/** Who takes all steps must not move more than half of what there is without them: the parts, else the pages. */
function checkSize(folder: string, tree: Tree, { paths }: Manifest, { steps }: Changes, note: Note): void {
  const sum = (isMeant: (path: string) => boolean) => {
    let bytes = 0;
    for (const path of tree.files()) if (isMeant(path)) bytes += statSync(join(folder, path)).size;
    return bytes;
  };
  const isPage = (kind: string) => (path: string) => paths.find(path)?.variant === kind;
  const all = sum(isPart) || sum(isPage("gzip")) || sum(isPage("identity"));
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) note(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
}

interface Context {
  folder: string;
  context: LineContext;
  lists: StateLists;
  signal: AbortSignal | undefined;
}

async function checkStep({ folder, context, lists, signal }: Context, step: Step, note: Note): Promise<void> {
  const { file, bytes } = step;
  const fd = openPlain(join(folder, file));
  if (fd === undefined) return;
  const packed = createReadStream("", { fd, highWaterMark: CHUNK });
  const { size } = fstatSync(fd);
  if (size !== bytes) note(file, { found: `${size} bytes`, expected: `${bytes}, as in ${CHANGES}` });
  if (size > MAX_PACKED) return void packed.destroy();
  const table = new StepTable();
  try {
    const difference = await readStep({ packed, size, step }, context, (key, digest) => table.add(key, digest), signal);
    if (difference) return note(file, difference);
    const ends = { from: await lists.find(step.from), to: await lists.find(step.to) };
    await checkEnds(table, ends, (flaw) => note(file, flaw), signal);
  } finally {
    table.close();
  }
}
