/** Writes the title and the content of an entry: what each listing changed, in words. */
import type { ContractChanges } from "../../../core/contract/changes.js";
import type { Contract } from "../../../core/contract/contract.js";
import { count, number } from "../../../core/print/numbers.js";
import { listed } from "../../../core/print/text.js";
import { RECORDS_WORDS, type Site } from "../../../core/release/site.js";
import { html, type Markup } from "../../../explorer/markup/markup.js";
import type { FeedEntry } from "./file.js";
import { type ChangeKind, cut, type ListingNews, MOST_NAMES, type NamedRecord } from "./news.js";

/** How an entry begins that tells of no change. */
export type Beginning = "First release" | "Feed begins";

/** A listing of the new release. */
export interface ToldListing {
  /** Empty for the listing of a plain release. */
  name: string;
  settings: { contract: Contract };
  facts: { count: number };
  /** Undefined for a listing that the last release does not have. */
  news: ListingNews | undefined;
}

export interface ToldRelease {
  id: string;
  listings: readonly ToldListing[];
  /** The last release. */
  previous: Site | undefined;
  /** Given if there is no release to compare with. */
  beginning: Beginning | undefined;
}

/** What an entry says of a listing: in its title, and in its content with and without names. */
interface Told {
  name: string;
  phrase: string;
  full: Markup | undefined;
  short: Markup | undefined;
}

/** Maximum number of listings in a title. */
const MOST_PHRASES = 3;
/** Bytes of an entry after which further listings have no names. */
const NAMING_BYTES = 40_000;
const KINDS: readonly ChangeKind[] = ["added", "removed", "changed"];

/** Writes the title and the content of an entry, in about 100 kB at most. */
export function tellRelease({ id, listings, previous, beginning }: ToldRelease): Pick<FeedEntry, "title" | "content"> {
  const changed = beginning ? [] : [...listings.flatMap(tellChanges), ...tellRemoved(listings, previous)];
  const told = changed.length > 0 ? changed : listings.map(tellCount);
  const start = changed.length > 0 ? undefined : (beginning ?? "Feed begins");
  const phrases = told.slice(0, MOST_PHRASES).map(({ name, phrase }) => (name === "" ? phrase : `${name}: ${phrase}`));
  const more = told.length - phrases.length;
  if (more > 0) phrases.push(count(more, ["more listing", "more listings"]));
  const all = listings.reduce((sum, { facts }) => sum + facts.count, 0);
  const [first] = listings;
  const words = first?.name === "" ? first.settings.contract.listing.words : RECORDS_WORDS;
  return {
    title: [...(start === undefined ? [] : [start]), phrases.join("; ")].join(", "),
    content: html`${sectionsOf(told)}<p>Snapshot ${id}: ${count(all, words)}</p>`.source,
  };
}

function tellCount({ name, settings, facts }: ToldListing): Told {
  const told = tellPhrase(name, count(facts.count, settings.contract.listing.words));
  // The content of a plain release ends with its count.
  return name === "" ? { ...told, full: undefined, short: undefined } : told;
}

function tellPhrase(name: string, phrase: string): Told {
  const markup = html`<p>${phrase}</p>`;
  return { name, phrase, full: markup, short: markup };
}

function tellChanges(listing: ToldListing): Told[] {
  const { name, settings, facts, news } = listing;
  const { words } = settings.contract.listing;
  if (!news) return [tellPhrase(name, `new listing of ${count(facts.count, words)}`)];
  if ("why" in news)
    return [tellPhrase(name, `${count(facts.count, words)}, not compared with the last release, which is damaged`)];
  const { diff, names, hasOtherContract } = news;
  const kinds = KINDS.filter((kind) => diff[kind] > 0);
  const [first, ...others] = kinds;
  if (first === undefined && !hasOtherContract) return [];
  const counts =
    first === undefined
      ? []
      : [`${count(diff[first], words)} ${first}`, ...others.map((kind) => `${number(diff[kind])} ${kind}`)];
  const phrase = [...counts, ...(hasOtherContract ? ["contract changed"] : [])].join(", ");
  const full = [
    ...kinds.map((kind) => namesOf(count(diff[kind], words), kind, names[kind], diff[kind])),
    ...(hasOtherContract ? [tellContract(diff.contract)] : []),
  ];
  return [{ name, phrase, full: html`${full}`, short: html`<p>${phrase}</p>` }];
}

function namesOf(counted: string, kind: ChangeKind, names: readonly NamedRecord[], all: number): Markup {
  if (names.length === 0) return html`<p>${counted} ${kind}</p>`;
  const more = all - names.length;
  const linked = names.map(({ name, url }, at) => {
    const text = url === undefined ? html`${name}` : html`<a href="${url}">${name}</a>`;
    return html`${at === 0 ? "" : ", "}${text}`;
  });
  return html`<p>${counted} ${kind}: ${linked}${more > 0 ? ` and ${number(more)} more` : ""}</p>`;
}

function tellContract(changes: ContractChanges | undefined): Markup {
  const { added = [], removed = [], fields = [], hasOtherKey = false } = changes ?? {};
  const lists: readonly (readonly [what: string, paths: readonly string[]])[] = [
    ["Fields added", added],
    ["Fields removed", removed],
    ["Fields changed", [...new Set(fields.map(({ path }) => path))]],
  ];
  const sentences = lists
    .filter(([, paths]) => paths.length > 0)
    .map(([what, paths]) => ` ${what}: ${listed(paths.map(cut), MOST_NAMES)}.`);
  return html`<p>The contract changed.${hasOtherKey ? " The key is another field." : ""}${sentences.join("")}</p>`;
}

/** The listings that a site has no longer. */
function tellRemoved(listings: readonly ToldListing[], previous: Site | undefined): Told[] {
  const before = previous?.listings ?? [];
  const removed = before.filter(({ name }) => listings.every((listing) => listing.name !== name));
  return removed.map(({ name, release: { snapshot, contract } }) => {
    return tellPhrase(name, `listing of ${count(snapshot.count, contract.listing.words)} removed`);
  });
}

/** A section for each listing, with names as long as they are few bytes. */
function sectionsOf(told: readonly Told[]): Markup[] {
  let bytes = 0;
  return told.map(({ name, full, short }) => {
    // The content is escaped once more.
    bytes += Buffer.byteLength(html`${full?.source}`.source);
    const heading = name === "" ? undefined : html`<h3>${name}</h3>`;
    return html`${heading}${bytes > NAMING_BYTES ? short : full}`;
  });
}
