/** Text output of `rollcall dev`: one block for each build, with the time and the changed files. */
import { statSync } from "node:fs";
import { InvalidRecordsError } from "../../build/problems.js";
import type { Diff } from "../../core/compare/change.js";
import type { Contract } from "../../core/contract/contract.js";
import { count, duration, number, size } from "../../core/print/numbers.js";
import { type Line, painter } from "../../core/print/style.js";
import { listed, toJson, visible } from "../../core/print/text.js";
import { sourceFiles } from "../../core/source/text-files.js";
import { nameOfSource, type SourcePath, shellSource } from "../../core/source/text-format.js";
import type { DevBuild, DevListing, DevScreen } from "../../dev/dev.js";
import { CHANGE_KINDS, reportOf } from "../../diff/report/model.js";
import { changesText, contractText } from "../../diff/report/text.js";
import { skippedLines, warningLines } from "../build/summary.js";
import { reportFailure } from "../program/failure.js";
import { type Io, say, sayLines } from "../program/verb.js";

/** Maximum number of tables or columns on a line. */
const MOST_LISTED = 8;
/** Maximum number of changes of each kind in a block. */
const MOST_CHANGES = 3;

/** Bytes of a source from which a line says that it is being read: smaller ones are built within a second. */
const SLOW_BYTES = 5_000_000;

/** Makes the screen that prints blocks on stderr. @param db the source. */
export function blocks(io: Io, db: SourcePath): DevScreen {
  const paint = painter(io.stderr, io.env);
  let origin = "";
  let isFirst = true;
  /** The error that is on the screen and not corrected yet. */
  let shownError: string | undefined;
  /** Notes on contracts that were made for the last build. */
  let shownNotes: readonly string[] = [];

  const timeAndFiles = (files: readonly string[]) =>
    `${paint("dim", io.date().toTimeString().slice(0, "17:05:03".length))}  ${visible(listed(files))} changed`;

  return {
    onListening(where) {
      origin = where;
      const bytes = sizeOf(db);
      if (bytes < SLOW_BYTES) return;
      sayLines(io, [
        { verb: "read", value: nameOfSource(db), detail: `${size(bytes)}; ${origin} answers when it is built` },
      ]);
    },
    async onBuilt(build) {
      const { url, db, listings, result, milliseconds, files } = build;
      const took = `in ${duration(milliseconds)}`;
      const [first] = listings;
      const contract = first?.name === "" ? first.release.contract : undefined;
      const notes = listings.flatMap((listing) => warningLines(listing.result, listing.release.contract));
      notes.push(...skippedLines(result, { contract, problemsFile: build.problemsFile }));
      if (files.length > 0) {
        const corrected = shownError === undefined ? "" : "the error is corrected, ";
        say(io, `${timeAndFiles(files)}: ${corrected}${whatDiffers(build)}, ${took}`);
      }
      for (const { name, changes } of listings) if (changes) await sayChanges(name, changes);
      if (isFirst)
        notes.unshift(
          ...firstLines(url, `${extent(build)}, from ${nameOfSource(db)}`, took),
          ...listingLines(build),
          ...contractLines(build),
        );
      const made = [...build.result.sourceNotes, ...(build.made?.notes ?? [])];
      const isNew = (note: string) => !shownNotes.includes(note);
      notes.push(...made.filter(isNew).map((value) => ({ verb: "note", value })));
      if (notes.length > 0) sayLines(io, notes);
      isFirst = false;
      shownNotes = made;
      shownError = undefined;
    },
    async onTrouble({ error, files, settings, isServing }) {
      const wrong = error.message + (error instanceof InvalidRecordsError ? toJson(error.problems) : "");
      const isSame = shownError === wrong;
      if (files.length > 0) say(io, `${timeAndFiles(files)}${isSame ? "; the error is the same" : ""}`);
      shownError = wrong;
      if (isSame) return;
      const { problems, contract, query, listings } = settings ?? {};
      let failure = error;
      if (error instanceof InvalidRecordsError) {
        // The code for tables is loaded on demand.
        const { refuseInvalid } = await import("../program/problems.js");
        failure = refuseInvalid(error, { problems, contract, query, listings }, io, "nothing was built");
      }
      reportFailure(failure, io);
      const detail = isServing ? "still serves the last good build" : "serves nothing until the error is corrected";
      sayLines(io, [{ verb: "dev", value: origin, detail }]);
    },
  };

  async function sayChanges(name: string, changes: Diff): Promise<void> {
    const report = reportOf(changes);
    const parts = [contractText(report, paint)];
    for await (const part of changesText(report, MOST_CHANGES, paint, "")) parts.push(part);
    const text = parts.join("").replace(/^\n/, "");
    if (text !== "") say(io, name === "" ? text : `${paint("bold", name)}\n${text}`);
  }
}

function firstLines(url: string, detail: string, took: string): Line[] {
  return [
    { verb: "dev", value: url, detail },
    { verb: "ready", value: took, detail: "builds again when its files change; Ctrl-C ends it" },
  ];
}

/** A line for each listing, with the address of its JSON, and for several that of its page, which the first line has for one. */
function listingLines({ listings }: DevBuild): Line[] {
  return listings.map((listing) => {
    const { contract, snapshot } = listing.release;
    const json = snapshot.base_url + contract.listing.path;
    if (listing.name === "") return { verb: "json", value: json, detail: "the first page" };
    const page = listing.result.explorer ?? snapshot.base_url;
    return { verb: "", value: page, detail: `${extentOf(listing)}, as JSON: ${json}` };
  });
}

/** Lines about contracts that were made in memory, how to keep them, and about tables that are not shown. */
function contractLines({ made, others, db }: DevBuild): Line[] {
  if (made === undefined) return others.length > 0 ? [otherTables(others, shellSource(db))] : [];
  const { listings, left, command } = made;
  const [first] = listings;
  const isOne = first?.name === "";
  const lines: Line[] = [
    {
      verb: "contract",
      value: isOne ? `made from the ${first.kind} ${first.table}` : `made for ${count(listings.length, "listing")}`,
      detail: `to write and edit ${isOne ? "it" : "them"}: ${command}`,
    },
  ];
  const why = "seems private, or cannot be published; rollcall init says why";
  for (const { name, omitted } of listings.filter((listing) => listing.omitted.length > 0)) {
    const columns = listed(omitted, MOST_LISTED);
    // A name alone keeps the first column narrow.
    const line = name === "" ? { value: columns, detail: why } : { value: name, detail: `${columns}: ${why}` };
    lines.push({ verb: "omit", ...line });
  }
  lines.push(...left.map(({ table, why }) => ({ verb: "leave", value: table, detail: `not shown. ${why}` })));
  return lines;
}

/** Bytes of a source's files; 0 if they cannot be read, which the build reports. */
function sizeOf(db: SourcePath): number {
  const sizes = sourceFiles(db).map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

function otherTables(others: readonly string[], file: string): Line {
  return {
    verb: "tables",
    value: listed(others, MOST_LISTED),
    detail: `not shown; to publish them, too: rollcall init --from ${file} --all`,
  };
}

function extent({ listings }: DevBuild): string {
  const [first] = listings;
  return first?.name === "" ? extentOf(first) : count(listings.length, "listing");
}

function extentOf({ result, release }: DevListing): string {
  return `${count(result.records, release.contract.listing.words)} on ${count(result.pages, "page")}`;
}

/** Describes changes: `1 user added, 2 changed`, `orders: 1 order added; tags is a new listing: 2 tags on 1 page`, `no user differs`. */
function whatDiffers({ listings, removed }: DevBuild): string {
  const [first] = listings;
  if (first?.name === "") return differencesOf(first.changes, first.release.contract).join(", ");
  const parts = listings.flatMap((listing) => {
    const { name, changes, release, isNew } = listing;
    if (isNew && name !== "") return [`${visible(name)} is a new listing: ${extentOf(listing)}`];
    return changes ? [`${visible(name)}: ${differencesOf(changes, release.contract).join(", ")}`] : [];
  });
  for (const name of removed.filter((name) => name !== "")) parts.push(`${visible(name)} is no longer a listing`);
  return parts.length > 0 ? parts.join("; ") : "no record differs";
}

function differencesOf(changes: Diff | undefined, { listing: { words } }: Contract): string[] {
  const [first, ...kinds] = CHANGE_KINDS.filter((kind) => changes && changes[kind] > 0);
  if (!changes || !first) return [...otherChanges(changes), `no ${visible(words[0])} differs`];
  return [
    ...otherChanges(changes),
    `${visible(count(changes[first], words))} ${first}`,
    ...kinds.map((kind) => `${number(changes[kind])} ${kind}`),
  ];
}

function otherChanges(changes: Diff | undefined): string[] {
  if (!changes) return [];
  const settings = reportOf(changes).settings.map(
    ({ name, old, new: now }) => `${name} ${visible(old)} -> ${visible(now)}`,
  );
  return [...(changes.contract ? ["another contract"] : []), ...settings];
}
