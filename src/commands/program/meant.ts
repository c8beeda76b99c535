/** Says what is wrong with a command line in one line, and recognises words in the wrong place. */
import { statSync } from "node:fs";
import type { CommanderError } from "commander";
import { isHttpUrl } from "../../contract/links.js";
import { usageError } from "../../errors.js";
import { shellWord } from "../../print/text.js";
import { at } from "../../settings/kinds.js";
import { isSqlite } from "../../sides/sqlite.js";

/** Makes a mistake in the command line one line that names the help. Help and version end the run as they are. */
export function refuseUsage(command: string, meant = () => "") {
  return (error: CommanderError) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    const line = error.message
      .replace(/^error: /, "")
      .replaceAll("\n", " ")
      .replace(/\.$/, "");
    const instead = error.code === "commander.excessArguments" ? meant() : "";
    throw usageError(`${line}${instead || `; see "${command} --help".`}`);
  };
}

/** The required arguments of verbs. */
const NEEDS: Readonly<Record<string, string>> = { publish: " FOLDER", use: " ID", forget: " ID", host: " NAME" };

/** @throws UserError (usage) for a URL in the place of the folder of releases, and for a SQLite file in the place of releases. */
export function refuseMisplaced(verb: string, given: Readonly<Record<string, string | undefined>>, cwd: string): void {
  const { dist } = given;
  if (dist !== undefined && isHttpUrl(dist))
    throw usageError(
      `${dist} is a URL, where the folder of the releases is expected; to check what is deployed there, run "rollcall verify ${shellWord(dist)}".`,
    );
  // `diff` also compares sources, `dev` builds from one, and a mirror is a SQLite file.
  if (["diff", "dev", "mirror"].includes(verb)) return;
  for (const word of Object.values(given)) {
    if (word === undefined || !isSqlite(at(cwd, word))) continue;
    throw usageError(
      `${word} is a SQLite file, where releases made from one are expected; run "rollcall build --db ${shellWord(word)}", then "rollcall ${verb}${NEEDS[verb] ?? ""}".`,
    );
  }
}

/** The end of the message about an argument that `build` does not take, where the meant command can be guessed. */
export function meantBy(verb: string, [word, ...others]: readonly string[], cwd: string): string {
  if (verb !== "build" || word === undefined || others.length > 0) return "";
  const isFolder = statSync(at(cwd, word), { throwIfNoEntry: false })?.isDirectory();
  return `; did you mean "rollcall build ${isFolder ? "--dist" : "--db"} ${shellWord(word)}"?`;
}
