/** `rollcall verify` for a release on disk: one listing, or several with the files at their top. */
import { basename, join } from "node:path";
import type { AnyRecord } from "../../core/contract/contract.js";
import { parseJson } from "../../core/contract/json.js";
import { valueAt } from "../../core/contract/record/value.js";
import { referencesOf } from "../../core/contract/references.js";
import { count } from "../../core/print/numbers.js";
import { showValue } from "../../core/print/text.js";
import { FEED, SNAPSHOT, SUMS } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { inspectSite, RECORDS_WORDS, type Site } from "../../core/release/site.js";
import { TemporaryDatabase } from "../../core/scratch/database.js";
import { createTurns } from "../../core/workers/turns.js";
import { SIGNATURE_ROW } from "../signature.js";
import { checkRow, Findings, type Verdict } from "../verdict.js";
import { checkSitePackage } from "./data-package.js";
import { checkFeed } from "./feed.js";
import { type AddFinding, checkDigests, checkFiles } from "./files.js";
import { checkSignatureIn, type DiskOptions, verifyRelease } from "./listing.js";
import { readPageFile } from "./page-check.js";
import { shownId } from "./records.js";
import { FEED_ROW } from "./rows.js";

const SITE = { name: "site", rule: "the files at the top agree with the listings, and there are no others" } as const;
const REFERENCES = {
  name: "references",
  rule: "each value of a field with x-references is a key of that listing",
} as const;

/** Verifies a release. @throws UserError if there is no release, or it cannot be read. Everything else is a finding. */
export async function verifySite(options: DiskOptions): Promise<Verdict> {
  const { site, names, problems, root } = await inspectSite(options.folder);
  if (names === undefined) return verifyRelease(options);
  const { trust, signal } = options;
  const listings: Record<string, Verdict> = {};
  const broken = new Set(problems.filter(({ check }) => check === SITE.name).map(({ path }) => path));
  for (const name of names) {
    // Without its own snapshot.json, a listing is a finding of the site.
    if (broken.has(`${name}/${SNAPSHOT}`)) continue;
    const verdict = await verifyRelease({ ...options, folder: join(root, name), findings: new Findings() });
    listings[name] = { ...verdict, subject: name };
  }
  const findings = new Findings();
  for (const problem of problems) if (problem.check === SITE.name) findings.add(problem);
  const found = { subject: `release ${basename(root)}`, words: RECORDS_WORDS, listings };
  if (!site?.top) return { ...found, rows: [checkRow(findings, SITE, count(names.length, "listing"))] };
  const add: AddFinding = (path, difference) => findings.add({ check: SITE.name, path, ...difference });
  const { sums, isSigned } = site.top;
  await checkFiles(root, { sums }, add, names);
  checkDigests(root, sums.others, (path, difference) => {
    // `inspectSite` compares these.
    if (!path.endsWith(`/${SUMS}`)) add(path, difference);
  });
  checkSitePackage(site, add);
  const signature = await checkSignatureIn(root, isSigned, site, trust, findings);
  const hasFeed = sums.others.has(FEED);
  if (hasFeed) {
    const listings = site.listings.map(({ name, release }) => ({ name, sums: release.sums }));
    checkFeed({ folder: root, baseUrl: site.baseUrl, listings }, (path, difference) =>
      findings.add({ check: FEED_ROW.name, path, ...difference }),
    );
  }
  const references = await checkReferences(site, findings, signal);
  const { values, unread } = references;
  const none = values === 0 ? "there are none" : undefined;
  const unknown = unread > 0 ? `${count(unread, "page")} could not be read` : none;
  const rows = [
    checkRow(findings, SITE, count(names.length, "listing")),
    checkRow(findings, SIGNATURE_ROW, signature.cell, signature),
    checkRow(findings, FEED_ROW, FEED, { skipped: hasFeed ? undefined : `it has no ${FEED}` }),
    checkRow(findings, REFERENCES, count(values, "value"), { skipped: unknown }),
  ];
  return { ...found, rows };
}

/** Pages that are read before the event loop gets a turn. */
const AT_ONCE = 20;

/** Checks that each reference leads to a record. @returns the number of values that were checked, and of pages that could not be read */
async function checkReferences({ listings }: Site, findings: Findings, signal?: AbortSignal) {
  const referring = listings
    .map(({ name, release }) => ({
      name,
      release,
      references: referencesOf(release.contract).filter(({ isObserved }) => !isObserved),
    }))
    .filter(({ references }) => references.length > 0);
  if (referring.length === 0) return { values: 0, unread: 0 };
  const targets = new Set(referring.flatMap(({ references }) => references.map(({ to }) => to)));
  const turn = createTurns(AT_ONCE, signal);
  const unread = new Set<string>();
  const keys = new TemporaryDatabase({
    tables: "CREATE TABLE keys (listing TEXT, key TEXT, PRIMARY KEY (listing, key)) WITHOUT ROWID",
    memory: 65_536,
  });
  try {
    const insert = keys.db.prepare("INSERT OR IGNORE INTO keys VALUES (?, ?)");
    for (const { name, release } of listings.filter(({ name }) => targets.has(name)))
      for (const { record } of recordsOf(release, unread)) {
        await turn();
        keys.run(() => insert.run(name, textOf(valueAt(record, release.contract.key))));
      }
    const find = keys.db.prepare("SELECT 1 FROM keys WHERE listing = ? AND key = ?");
    let values = 0;
    for (const { name, release, references } of referring)
      for (const { record, page } of recordsOf(release, unread)) {
        await turn();
        for (const { field, to } of references) {
          const value = valueAt(record, field);
          if (value === null || value === undefined) continue;
          values++;
          if (find.get(to, textOf(value))) continue;
          const path = `${name}/${release.paths.path(page)}`;
          const found = `${field.path} ${showValue(value)}`;
          const who = shownId(valueAt(record, release.contract.key));
          findings.add({ check: REFERENCES.name, path, page, ...who, found, expected: `the key of a record of ${to}` });
        }
      }
    return { values, unread: unread.size };
  } finally {
    keys.close();
  }
}

/** A key as text. In a damaged page it may be of any type. */
function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/**
 * The records of a listing's valid pages, whose other flaws have checks of their own.
 * @param unread gets the paths of the other pages
 */
function* recordsOf(
  { folder, paths, sums }: Release,
  unread: Set<string>,
): Generator<{ record: AnyRecord; page: number }> {
  for (let page = 1; page <= sums.pages.pages; page++) {
    const path = join(folder, paths.path(page));
    const bytes = readPageFile(path);
    const read = Buffer.isBuffer(bytes) ? parseJson(String(bytes)) : { why: "" };
    const results: unknown = "why" in read ? undefined : Object(read.value).results;
    if (!Array.isArray(results)) unread.add(path);
    else for (const record of results) yield { record: Object(record), page };
  }
}
