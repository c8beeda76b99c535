/** Recognises words in the wrong place, and names the command that was probably meant. */
import { statSync } from "node:fs";
import { isHttpUrl } from "../../contract/links.js";
import { usageError } from "../../errors.js";
import { shellWord } from "../../print/text.js";
import { at } from "../../settings/kinds.js";
import { isSqlite } from "../../sides/sqlite.js";

/** Other names for verbs, which are spelled too differently to be guessed. */
const OTHER_NAMES: ReadonlyMap<string | undefined, string> = new Map([["host", "adapt"]]);

/** @throws UserError (usage) for a word that is not a verb but has the meaning of one. */
export function refuseOtherName(word: string | undefined): void {
  const verb = OTHER_NAMES.get(word);
  if (verb !== undefined) throw usageError(`unknown command '${word}'; did you mean ${verb}?`);
}

/** Verbs with their required argument. */
const NEEDS: ReadonlyMap<string, string> = new Map([
  ["publish", "publish FOLDER"],
  ["use", "use ID"],
  ["adapt", "adapt NAME"],
]);

/** @throws UserError (usage) for a URL in the place of the folder of releases, and for a SQLite file in the place of releases. */
export function refuseMisplaced(verb: string, given: Readonly<Record<string, string | undefined>>, cwd: string): void {
  const { dist } = given;
  if (dist !== undefined && isHttpUrl(dist))
    throw usageError(
      `${dist} is a URL, where the folder of the releases is expected; to check what is deployed there, run "rollcall verify ${shellWord(dist)}".`,
    );
  // `diff` also compares sources.
  if (verb === "diff") return;
  for (const word of Object.values(given)) {
    if (word === undefined || !isSqlite(at(cwd, word))) continue;
    throw usageError(
      `${word} is a SQLite file, where releases made from one are expected; run "rollcall build --db ${shellWord(word)}", then "rollcall ${NEEDS.get(verb) ?? verb}".`,
    );
  }
}

/** The end of the message about an argument that `build` does not take: the command that was probably meant, or nothing. */
export function meantBy(verb: string, [word, ...others]: readonly string[], cwd: string): string {
  if (verb !== "build" || word === undefined || others.length > 0) return "";
  const isFolder = statSync(at(cwd, word), { throwIfNoEntry: false })?.isDirectory();
  return `; did you mean "rollcall build ${isFolder ? "--out" : "--db"} ${shellWord(word)}"?`;
}
