/** The cases of test/cases: users, and the release of them. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, InvalidRecordsError } from "../../src/index.js";
import { writeUsers } from "./database.js";
import { scratch } from "./files.js";

const CASES = new URL("../cases/", import.meta.url).pathname;

/** The folder of each case, by name. */
export const CASE_FOLDERS: ReadonlyMap<string, string> = new Map(
  readdirSync(CASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith(".actual"))
    .map(({ name }) => [name, join(CASES, name)]),
);

/** Builds a case. @returns a folder with the release or the refusal, and with the problems if there are any. */
export async function buildCase(folder: string): Promise<string> {
  const work = scratch();
  const db = writeUsers(join(work, "users.sqlite"), [], readFileSync(join(folder, "users.sql"), "utf8"));
  const [dist, result] = [join(work, "dist"), join(work, "result")];
  mkdirSync(result);
  const problemsFile = join(result, "problems.ndjson");
  const options = JSON.parse(readFileSync(join(folder, "options.json"), "utf8"));
  try {
    const release = await build({
      db,
      baseUrl: "https://directory.example.com",
      dist,
      problems: problemsFile,
      ...options,
    });
    cpSync(release.folder, result, { recursive: true });
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    if (existsSync(join(dist, "current"))) throw new Error("A refused build left a current release.");
    writeFileSync(join(result, "refusal.txt"), `${error.message}\n`);
  }
  if (readFileSync(problemsFile, "utf8") === "") rmSync(problemsFile);
  return result;
}
