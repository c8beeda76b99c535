/** `rollcall init`: writes a starter config and sample users. It never changes a file that is there. */
import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, hasCode, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import { replaceFile } from "../release/write.js";
import { CONFIG_FILE } from "../settings/file.js";
import { abortSignal, checkOptions, type OptionRules } from "../settings/options.js";
import { SETTINGS } from "../settings/table.js";

export const SAMPLE = "data/users.sqlite";
const { host, port, out, pageSize } = SETTINGS;
const baseUrl = `http://${host.default}:${port.default}`;
const STARTER = { db: SAMPLE, baseUrl, out: out.default, pageSize: pageSize.default };

export interface InitEffects {
  /** Stops it before anything is written. It then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface InitResult {
  /** The config's path below the folder. */
  config: string;
  /** The path of the sample users below the folder. */
  db: string;
  /** Those of the two that were written; the other was there. */
  written: string[];
}

const EFFECTS: OptionRules<InitEffects> = { signal: abortSignal };

/** Writes each file whole or not at all. @throws UserError when other files are there, or nothing can be written. */
export async function initialize(folder: string, effects: InitEffects = {}): Promise<InitResult> {
  const { signal } = checkOptions("init's second argument", effects, EFFECTS);
  try {
    return { config: CONFIG_FILE, db: SAMPLE, written: await writeStarter(folder, signal) };
  } catch (cause) {
    if (cause instanceof UserError || !(cause instanceof Error) || codeOf(cause) === undefined) throw cause;
    const why = findRefusal(dirname(join(folder, SAMPLE))) ?? cause.message;
    throw new UserError(
      `Cannot write ${CONFIG_FILE} and ${SAMPLE} here (${why}); mend that, or run this in another folder.`,
      { cause },
    );
  }
}

async function writeStarter(folder: string, signal: AbortSignal | undefined): Promise<string[]> {
  const [config, sample] = [join(folder, CONFIG_FILE), join(folder, SAMPLE)];
  if (await exists(config)) throw refusal(CONFIG_FILE);
  const isThere = await exists(sample);
  if (isThere && !(await isSample(sample))) throw refusal(SAMPLE);
  signal?.throwIfAborted();
  if (!isThere) {
    await mkdir(dirname(sample), { recursive: true });
    replaceFile(sample, await readFile(PACKAGED_SAMPLE));
  }
  // Last, since a run that finds the config writes nothing.
  replaceFile(config, `${JSON.stringify(STARTER, null, 2)}\n`);
  return isThere ? [CONFIG_FILE] : [CONFIG_FILE, SAMPLE];
}

/** The package's sample: two folders up from `lib/init`, as from `src/init`. */
const PACKAGED_SAMPLE = fileURLToPath(new URL(`../../${SAMPLE}`, import.meta.url));

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

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

function refusal(name: string): UserError {
  return new UserError(`${name} is there already, so nothing was written; move it away, or run "rollcall build".`);
}
