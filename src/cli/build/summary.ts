/** Text output of a build: one aligned line for each stage. */
import type { BuildResult, ListingResult } from "../../build/result.js";
import type { Contract } from "../../core/contract/contract.js";
import { PAGE_BYTES } from "../../core/contract/page.js";
import { count, duration, number, size } from "../../core/print/numbers.js";
import { align, type Line, type Paint } from "../../core/print/style.js";
import { CHANGES, FEED, SIGNATURE } from "../../core/release/layout.js";
import { RECORDS_WORDS } from "../../core/release/site.js";

/** The facts about a build that its result does not have. */
interface BuildRun {
  db: string;
  /** The contract of the only listing; undefined for several. */
  contract: Contract | undefined;
  pageSize: number;
  problemsFile: string | undefined;
  /** The command that serves the release. */
  next: string;
  milliseconds: number;
}

/** Describes a build. */
export function describeBuild(result: BuildResult, run: BuildRun, paint: Paint): string {
  const { id, switched, records, skipped, pruned, signedWith, notes } = result;
  const { words } = run.contract?.listing ?? { words: RECORDS_WORDS };
  const listings = Object.entries(result.listings ?? { "": result });
  const lines: Line[] = [
    { verb: "read", value: count(records + skipped, words), detail: run.db },
    ...sourceLines(result),
    writeLine(result),
    ...listings.flatMap(([name, listing]) => [
      ...(name === "" ? [] : [listingLine(name, listing)]),
      ...largePageLines(listing, run.pageSize),
      ...(name === "" ? lookupLines(listing) : []),
      ...viewLines(name, listing),
      ...(name === "" ? explorerLines(listing) : []),
      ...(result.new ? changesLines(listing) : []),
      ...warningLines(listing, run.contract),
    ]),
    ...(result.listings ? explorerLines(result) : []),
    ...(result.new ? feedLines(result) : []),
  ];
  if (signedWith !== undefined) lines.push({ verb: "sign", value: SIGNATURE, detail: `key ${signedWith}` });
  for (const [name, listing] of listings) lines.push(...gateLines(name, listing));
  if (pruned.length > 0) lines.push({ verb: "prune", value: count(pruned.length, "old release") });
  lines.push(...skippedLines(result, run));
  for (const value of notes) lines.push({ verb: "note", value, loud: true });
  const detail = switched ? `${id} is current; next: ${run.next}` : `${id} stays current`;
  return align([...lines, { verb: "done", value: `in ${duration(run.milliseconds)}`, detail }], paint);
}

/** A line for each note on how the source was read. */
function sourceLines({ sourceNotes }: Pick<BuildResult, "sourceNotes">): Line[] {
  return sourceNotes.map((value) => ({ verb: "note", value, loud: true }));
}

/** The line about one of several listings. */
function listingLine(name: string, { records, pages, bytes, linked, unreferenced }: ListingResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  const without = unreferenced > 0 ? `; ${number(unreferenced)} left out, which refer to records that were` : "";
  return {
    verb: "",
    value: name,
    detail: `${number(records)} on ${count(pages, "page")}, ${size(bytes)}${note}${without}`,
  };
}

/** A line for each kind of warning. @param contract undefined for one of several listings */
export function warningLines({ warnings }: Pick<ListingResult, "warnings">, contract: Contract | undefined): Line[] {
  const words = contract?.listing.words ?? RECORDS_WORDS;
  return Object.entries(warnings).map(([kind, records]) => {
    return { verb: "warn", value: `${count(records, words)}: ${warningText(kind, contract)}` };
  });
}

/** The line about invalid records that were left out, if any, and one for each listing that has none left. */
export function skippedLines(
  { skipped, records, problems, listings }: BuildResult,
  { contract, problemsFile }: Pick<BuildRun, "contract" | "problemsFile">,
): Line[] {
  if (skipped === 0) return [];
  const words = contract?.listing.words ?? RECORDS_WORDS;
  const [one, many] = words;
  const value = `${count(skipped, [`invalid ${one}`, `invalid ${many}`])} LEFT OUT`;
  const all = problemsFile === undefined ? "--problems FILE writes them all" : `all in ${problemsFile}`;
  const detail = `${count(records, words)} published; ${count(problems.count, "problem")}, ${all}`;
  const emptied = Object.entries(listings ?? {}).filter(([, listing]) => listing.records === 0 && listing.skipped > 0);
  return [
    { verb: "skip", value, detail, loud: true },
    ...emptied.map(([name, listing]): Line => {
      return {
        verb: "empty",
        value: name,
        detail: `none left of ${count(listing.skipped, RECORDS_WORDS)}`,
        loud: true,
      };
    }),
  ];
}

/** The text of a kind of warning, which is a field's path or a condition's name. */
function warningText(kind: string, contract: Contract | undefined): string {
  return !contract || contract.fields.some(({ path }) => path === kind) ? `${kind} outside what was observed` : kind;
}

function writeLine({ new: isNew, switched, pages, bytes, linked, folder: detail }: BuildResult): Line {
  const note = linked > 0 ? ` (${number(linked)} linked)` : "";
  if (isNew) return { verb: "write", value: `${count(pages, "page")}, ${size(bytes)}${note}`, detail };
  return { verb: "same", value: switched ? "an older release has all of it" : "nothing changed", detail };
}

/** The line about a page that readers do not take by default, if any. */
function largePageLines({ largestPage, records }: ListingResult, pageSize: number): Line[] {
  const { page, bytes } = largestPage;
  if (bytes <= PAGE_BYTES) return [];
  const onPage = Math.min(pageSize, records - (page - 1) * pageSize);
  const fitting = Math.floor((onPage * PAGE_BYTES) / bytes);
  // Rounded down to one digit, since other records may be larger.
  const unit = 10 ** (String(fitting).length - 1);
  const detail = fitting < 1 ? "one record is too large" : `use --page-size ${Math.floor(fitting / unit) * unit}`;
  const value = `page ${number(page)} has ${size(bytes)}; by default, readers take up to ${size(PAGE_BYTES)}`;
  return [{ verb: "warn", value, detail, loud: true }];
}

function lookupLines({ lookup }: ListingResult): Line[] {
  if (!lookup) return [];
  const { by, files, bytes } = lookup;
  return [{ verb: "lookup", value: `by ${by.join(", ")}`, detail: `${count(files, "file")}, ${size(bytes)}` }];
}

/** A line for each view, and one for each whose largest page readers do not take by default. @param name of the listing in its site */
function viewLines(listing: string, { views = [] }: ListingResult): Line[] {
  const above = listing === "" ? "" : `${listing}/`;
  return views.flatMap(({ name, values, pages, bytes, linked, largest }): Line[] => {
    const ofValues = values === undefined ? "" : `${count(values, "value")} on `;
    const note = linked > 0 ? ` (${number(linked)} linked)` : "";
    const detail = `${ofValues}${count(pages, "page")}, ${size(bytes)}${note}`;
    const line: Line = { verb: "view", value: above + name, detail };
    if (largest.bytes <= PAGE_BYTES) return [line];
    const value = `${above}${largest.path} has ${size(largest.bytes)}; by default, readers take up to ${size(PAGE_BYTES)}`;
    return [line, { verb: "warn", value, detail: "use a smaller --page-size", loud: true }];
  });
}

function explorerLines({ explorer }: ListingResult): Line[] {
  return explorer === undefined ? [] : [{ verb: "explorer", value: explorer }];
}

function changesLines({ changes }: ListingResult): Line[] {
  if (!changes) return [];
  const { put, remove, bytes, steps, none } = changes;
  const value = none === undefined ? `${number(put)} put, ${number(remove)} removed, ${size(bytes)}` : `none: ${none}`;
  return [{ verb: "changes", value, detail: `${count(steps, "step")} in ${CHANGES}` }];
}

function feedLines({ feed }: Pick<BuildResult, "feed">): Line[] {
  // Titles are long, so they are in the last column.
  return feed ? [{ verb: "feed", value: FEED, detail: feed.entry ?? "no new entry: the records are the same" }] : [];
}

function gateLines(name: string, { gates }: ListingResult): Line[] {
  if (!gates) return [];
  const { previous, added, removed, changed } = gates;
  if (previous === undefined) return [{ verb: "gates", value: "no previous release" }];
  const figures = `${number(added)} added, ${number(removed)} removed, ${number(changed)} changed`;
  return [{ verb: "gates", value: name === "" ? figures : `${name}: ${figures}`, detail: "within the gates" }];
}
