/** Runs the explorer: shows the list or record in its URL from one verified snapshot, and reports a newer snapshot. */
import { SnapshotChangedError } from "../../client/errors.js";
import { byId, element } from "../markup/page/element.js";
import {
  addressOf,
  BEGINNING,
  decoded,
  type ListPlace,
  parseHash,
  type RecordPlace,
  type SeenPlace,
} from "./address.js";
import { readNames } from "./names.js";
import { createNotice, describeError, watchForNewer } from "./notice.js";
import { createOverview } from "./overview.js";
import { createProof } from "./proof.js";
import { createReader, type Reader } from "./reader.js";
import { nameReferences, noRecordView, recordView } from "./record.js";
import { countReferring } from "./references.js";
import { createResults, type Step } from "./results.js";
import { createSearch, type Facts } from "./search.js";

/** Maximum number of snapshot changes while one view is read. */
const MAX_CHANGES = 3;

const base = new URL(".", location.href);
const facts: Facts = JSON.parse(byId("facts", HTMLScriptElement).text);
const section = byId("explorer", HTMLElement);
const overview = byId("overview", HTMLElement);
const pageTitle = document.title;

const trouble = createNotice();
const search = createSearch(
  facts,
  (text) => {
    // The user has opened a record meanwhile.
    if ("key" in currentPlace && !hasFailed) return;
    go({ ...lastList, text, page: 1 }, "text");
  },
  (within) => go({ ...lastList, within, page: 1 }),
);
const listBox = element("div", { class: "split" });
const recordBox = element("div", {});
const proof = createProof();
const tryAgain = () => {
  if (hasFailed) void show();
};

/** If the first snapshot is another one than that of index.html, index.html came from a cache or is just outdated. */
const about = createOverview({ about: byId("about", HTMLElement), section: overview }, facts, () => {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  // Reload once, which bypasses caches.
  if (shownId === undefined && entry?.type !== "reload") location.reload();
});
const reader = createReader(base, about.show);
const newer = watchForNewer(reader.host, () => shownId, tryAgain);
// Until there are records, keep the height that index.html reserves.
listBox.style.minHeight = `${section.offsetHeight}px`;
section.replaceChildren(newer, search.element, trouble.element, listBox, recordBox, proof.element);
section.hidden = false;
const results = createResults(listBox, facts, go, (download) => void run(download), search.showFields);
let control = new AbortController();
/** The last place in the URL, without jumps within the page. */
let currentPlace: SeenPlace = BEGINNING;
/** What the last place was reached by, if by one of several steps, of which only the first adds a history entry. */
let lastStep: Step | undefined;
/** The last place in the list, the URL at which it is complete, and its scroll position. */
let lastList: ListPlace = BEGINNING;
let listedAt = "";
let scrolled = 0;
/** Key of the shown record. */
let opened: string | undefined;
let shownId: string | undefined;
let hasFailed = false;

/** Goes to a place. @param step of typing a text or choosing columns; it replaces the history entry of the step before. */
function go(place: ListPlace, step?: Step): void {
  const isSame = step !== undefined && step === lastStep;
  history[isSame ? "replaceState" : "pushState"](null, "", addressOf(place));
  currentPlace = place;
  lastStep = step;
  void show();
}

/** Handles a URL that was changed by a link, by hand or by going back. */
function follow(): void {
  const target = jumpTarget(location.hash);
  if (target) {
    // Restore the place in the URL, for a reload.
    history.replaceState(null, "", addressOf(currentPlace));
    // The browser jumps there by itself, but not into what a record hides.
    if (overview.contains(target)) overview.hidden = false;
    target.scrollIntoView();
    return;
  }
  currentPlace = parseHash(location.hash);
  lastStep = undefined;
  void show();
}

/** The element whose id is the fragment, as in the skip link. */
function jumpTarget(hash: string): HTMLElement | null {
  return document.getElementById(decoded(hash.slice(1)));
}

/** Shows the current place, and cancels the loading of any other. */
async function show(): Promise<void> {
  control.abort();
  control = new AbortController();
  const { signal } = control;
  const place = currentPlace;
  for (let moves = 0; ; moves++) {
    try {
      await ("key" in place ? showRecord(place, signal) : showList(place, signal));
      if (signal.aborted) return;
      const known = await reader.known();
      proof.show(known);
      shownId = known.snapshot.id;
      hasFailed = false;
      trouble.clear();
      if (moves > 0) trouble.say(MOVED, { "Reload the page": () => location.reload() });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SnapshotChangedError) || moves === MAX_CHANGES) return fail(error);
      reader.forget();
      listedAt = "";
    }
  }
}

/** Runs a download of the shown list. */
async function run(download: (reader: Reader, signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await download(reader, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof SnapshotChangedError)) return fail(error);
    reader.forget();
    listedAt = "";
    await show();
    trouble.say("A newer snapshot was published meanwhile, so nothing was saved. Save it again.");
  }
}

const MOVED = "A newer snapshot was published meanwhile, and the records were read again.";

function fail(error: unknown): void {
  const { text, details, isUnproved } = describeError(error);
  hasFailed = true;
  if (isUnproved) proof.fail(text);
  trouble.say(text, { "Try again": () => void show() }, { details, isAlarm: isUnproved });
}

async function showList(place: ListPlace, signal: AbortSignal): Promise<void> {
  const closed = opened;
  opened = undefined;
  lastList = place;
  search.show(place.text);
  document.title = pageTitle;
  for (const box of [search.element, listBox, overview]) box.hidden = false;
  recordBox.replaceChildren();
  if (closed !== undefined) scrollTo({ top: scrolled });
  const address = addressOf(place);
  if (listedAt !== address) {
    listedAt = "";
    const seen = await results.show(reader, place, signal);
    listedAt = addressOf(seen);
    if (listedAt !== address) history.replaceState(null, "", listedAt);
    currentPlace = lastList = seen;
  }
  if (closed !== undefined) results.focus(closed);
}

async function showRecord({ key }: RecordPlace, signal: AbortSignal): Promise<void> {
  if (opened === undefined) scrolled = scrollY;
  // A link to a record shows it without loading the list.
  if (listedAt === "") listBox.hidden = overview.hidden = true;
  const known = await reader.known();
  const row = await reader.find(key, signal);
  const near = row ? await reader.rows(known, Math.max(0, row.number - 1), 3, signal) : [];
  const back = addressOf(lastList);
  if (row) await readNames(known, known.contract.fields);
  const view = row
    ? await recordView(row, near, known, reader.host.baseUrl, back, facts.referrers)
    : noRecordView(key, known, back);
  if (signal.aborted) return;
  opened = key;
  recordBox.replaceChildren(view.article);
  for (const box of [search.element, listBox, overview]) box.hidden = true;
  document.title = `${view.heading.textContent} - ${pageTitle}`;
  view.article.scrollIntoView();
  view.heading.focus({ preventScroll: true });
  void nameReferences(view.article, known, signal);
  void countReferring(view.article, known, signal).then((why) => {
    if (why !== undefined && !signal.aborted) trouble.say(why);
  });
}

addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key !== "/" || isTyped) return;
  event.preventDefault();
  if ("key" in currentPlace) go(lastList);
  search.focus();
});
addEventListener("online", tryAgain);
if (!jumpTarget(location.hash)) currentPlace = parseHash(location.hash);
void show();
