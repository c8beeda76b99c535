/** Runs the explorer: shows the place in its address from one proved snapshot, and reports a newer one. */
import { SnapshotChangedError } from "../../client/errors.js";
import { byId, element } from "../../markup/page/element.js";
import {
  addressOf,
  BEGINNING,
  decoded,
  type ListPlace,
  parseHash,
  type RecordPlace,
  type SeenPlace,
} from "./address.js";
import { createNotice, troubleOf, watchForNewer } from "./notice.js";
import { createOverview } from "./overview.js";
import { createProof, keptKey } from "./proof.js";
import { createReader, type Reader } from "./reader.js";
import { noRecordView, recordView } from "./record.js";
import { createResults } from "./results.js";
import { createSearch, type Facts } from "./search.js";

/** How often the snapshot may change while one view is read. */
const MOST_MOVES = 3;

const base = new URL(".", location.href);
const facts: Facts = JSON.parse(byId("facts", HTMLScriptElement).text);
const [section, overview] = [byId("explorer", HTMLElement), byId("overview", HTMLElement)];
const pageTitle = document.title;

const trouble = createNotice();
const search = createSearch(facts, (text) => {
  // The reader has opened a record meanwhile.
  if ("key" in here) return;
  go({ ...listed, text, page: 1 }, isTyping);
  isTyping = true;
});
const listBox = element("div", { class: "split" });
const recordBox = element("div", {});
const proof = createProof(base, (key) => {
  reader = readBy(key);
  // The rows in the page were not proved by this key.
  listBox.replaceChildren();
  recordBox.replaceChildren();
  results = createResults(listBox, facts, go);
  listedAt = "";
  shownId = undefined;
  void show();
});
const tryAgain = () => {
  if (hasFailed) void show();
};
const newer = watchForNewer(base, () => shownId, tryAgain);
// Until there are records, the list is as high as index.html keeps room for.
listBox.style.minHeight = `${section.offsetHeight}px`;
section.replaceChildren(newer, search.element, trouble.element, listBox, recordBox, proof.element);
section.hidden = false;
let results = createResults(listBox, facts, go);

/** A page that is of another snapshot than the first that is read came from a cache, or just before a switch. */
const about = createOverview({ about: byId("about", HTMLElement), section: overview }, facts, () => {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  // One reload fetches it past caches. Another would give the same.
  if (shownId === undefined && entry?.type !== "reload") location.reload();
});
let reader = readBy(keptKey(base));
let control = new AbortController();
/** The last place in the address, leaving out jumps within the page. */
let here: SeenPlace = BEGINNING;
/** Whether the last place came by typing: the first letter makes a place to come back from, and the others change it. */
let isTyping = false;
/** Where in the list the reader was last, at which address it is shown in full, and how far down. */
let listed: ListPlace = BEGINNING;
let listedAt = "";
let scrolled = 0;
/** The record that is shown. */
let opened: string | undefined;
let shownId: string | undefined;
let hasFailed = false;

function readBy(key: string | undefined): Reader {
  if (key !== undefined) about.hide();
  const opened = createReader(base, key, (known) => {
    if (opened === reader) about.show(known);
  });
  return opened;
}

/** @param isSame whether the place replaces the last one in the history, as while typing. */
function go(place: ListPlace, isSame = false): void {
  history[isSame ? "replaceState" : "pushState"](null, "", addressOf(place));
  here = place;
  isTyping = false;
  void show();
}

/** The address was changed by a link, by hand, or by going back. */
function follow(): void {
  // The browser jumps there by itself. The address gets its place back, so that a reload shows it.
  if (isJump(location.hash)) {
    history.replaceState(null, "", addressOf(here));
    return;
  }
  here = parseHash(location.hash);
  isTyping = false;
  void show();
}

/** Whether a fragment names an element of the page, as that of the link that skips to the list. */
function isJump(hash: string): boolean {
  return hash.length > 1 && document.getElementById(decoded(hash.slice(1))) !== null;
}

/** Shows the current place, and cancels what was loading for another one. */
async function show(): Promise<void> {
  control.abort();
  control = new AbortController();
  const { signal } = control;
  const place = here;
  for (let moves = 0; ; moves++) {
    try {
      await ("key" in place ? showRecord(place, signal) : showList(place, signal));
      if (signal.aborted) return;
      const known = await reader.known();
      proof.show(known, reader.listing.proof);
      shownId = known.snapshot.id;
      hasFailed = false;
      trouble.clear();
      if (moves > 0) trouble.say(MOVED, { "Reload the page": () => location.reload() });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SnapshotChangedError) || moves === MOST_MOVES) return fail(error);
      reader.forget();
      listedAt = "";
    }
  }
}

const MOVED = "A newer snapshot was published while you were reading, and the records were read anew.";

function fail(error: unknown): void {
  const { text, details, isUnproved } = troubleOf(error);
  hasFailed = true;
  if (isUnproved) proof.fail(text);
  trouble.say(text, { "Try again": () => void show() }, { details, isAlarm: isUnproved });
}

async function showList(place: ListPlace, signal: AbortSignal): Promise<void> {
  const closed = opened;
  opened = undefined;
  listed = place;
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
    here = listed = seen;
  }
  if (closed !== undefined) results.focus(closed);
}

async function showRecord({ key }: RecordPlace, signal: AbortSignal): Promise<void> {
  if (opened === undefined) scrolled = scrollY;
  // A link to a record shows the record without the list before it.
  if (listedAt === "") listBox.hidden = overview.hidden = true;
  const known = await reader.known();
  const row = await reader.find(key, signal);
  const near = row ? await reader.rows(Math.max(0, row.number - 1), 3, signal) : [];
  const back = addressOf(listed);
  const view = row ? await recordView(row, near, known, reader.listing.baseUrl, back) : noRecordView(key, known, back);
  if (signal.aborted) return;
  opened = key;
  recordBox.replaceChildren(view.article);
  for (const box of [search.element, listBox, overview]) box.hidden = true;
  document.title = `${view.heading.textContent} - ${pageTitle}`;
  view.article.scrollIntoView();
  view.heading.focus({ preventScroll: true });
}

addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key !== "/" || isTyped) return;
  event.preventDefault();
  if ("key" in here) go(listed);
  search.focus();
});
addEventListener("online", tryAgain);
if (!isJump(location.hash)) here = parseHash(location.hash);
void show();
