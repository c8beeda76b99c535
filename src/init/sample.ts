/** The sample users: a starter config for them, and their file. */
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../errors.js";
import { replaceFile } from "../release/writer.js";
import { CONFIG_FILE, SAMPLE_FILE } from "../settings/file.js";
import { SETTINGS } from "../settings/table.js";
import { exists, refusal, refuseExisting } from "./existing.js";

const { host, port, dist, pageSize } = SETTINGS;

/** The settings of a first config that are not of the source. */
export const STARTER = { baseUrl: `http://${host.default}:${port.default}`, dist: dist.default };

/** @returns the paths that were written, below the folder. */
export async function writeSample(folder: string, signal: AbortSignal | undefined): Promise<string[]> {
  const [config, sample] = [join(folder, CONFIG_FILE), join(folder, SAMPLE_FILE)];
  await refuseExisting(folder, [CONFIG_FILE]);
  const isThere = await exists(sample);
  if (isThere && !(await isSample(sample))) throw refusal(SAMPLE_FILE);
  signal?.throwIfAborted();
  if (!isThere) {
    await mkdir(dirname(sample), { recursive: true });
    replaceFile(sample, await readFile(PACKAGED_SAMPLE));
  }
  // Last, since a run that finds the config writes nothing.
  // The sample's people are made up, so anyone may look through them.
  const settings = { db: SAMPLE_FILE, ...STARTER, pageSize: pageSize.default, explorer: true };
  replaceFile(config, `${JSON.stringify(settings, null, 2)}\n`);
  return isThere ? [CONFIG_FILE] : [CONFIG_FILE, SAMPLE_FILE];
}

/** The package's sample: two folders up from `lib/init`, as from `src/init`. */
const PACKAGED_SAMPLE = fileURLToPath(new URL(`../../${SAMPLE_FILE}`, import.meta.url));

async function isSample(path: string): Promise<boolean> {
  try {
    const [there, packaged] = await Promise.all([readFile(path), readFile(PACKAGED_SAMPLE)]);
    return there.equals(packaged);
  } catch (error) {
    // A folder, or a file that this user may not read.
    if (codeOf(error) !== undefined) return false;
    throw error;
  }
}
