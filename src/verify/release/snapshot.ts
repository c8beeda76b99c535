/** Whether snapshot.json says what is there. */
import { basename } from "node:path";
import { pagesFor, parseBaseUrl } from "../../contract/links.js";
import { CONTRACT_VERSION } from "../../contract/user.js";
import type { WarningCounts } from "../../contract/warnings.js";
import { UserError } from "../../errors.js";
import { parseFolderName, SNAPSHOT } from "../../release/layout.js";
import { contentDigest, type Snapshot, snapshotId } from "../../release/snapshot.js";
import type { Findings } from "../findings.js";
import type { Manifest } from "./manifest.js";

/** Holds snapshot.json against the digests, the folder's name, and itself. */
export function checkSnapshot(folder: string, { snapshot, digests, others }: Manifest, findings: Findings): void {
  if (!snapshot) return;
  const expect = (key: string, found: unknown, expected: unknown, why: string) =>
    compare(findings, `${key} ${found}`, `${expected}, ${why}`, found === expected);
  const { id, ...facts } = snapshot;
  const pages = pagesFor(snapshot.count, snapshot.page_size);
  expect("pages", snapshot.pages, pages, `for ${snapshot.count} users, ${snapshot.page_size} a page`);
  expect("contract", snapshot.contract, CONTRACT_VERSION, "which this version of Rollcall checks against");
  expect("base_url", snapshot.base_url, normalised(snapshot.base_url), "an absolute URL in its normal form");
  // Where a digest is missing there is no id to compare with; the check of SHA256SUMS has said so.
  if (digests?.isComplete(snapshot.pages))
    expect("id", id, snapshotId(contentDigest(facts, { pages: digests, others })), "which its content gives");
  const named = parseFolderName(basename(folder))?.id;
  if (named !== undefined) expect("id", id, named, "which the folder's name says");
}

/** Holds the warnings of snapshot.json against those that its users give. */
export function checkWarnings({ warnings }: Snapshot, counted: WarningCounts, findings: Findings): void {
  const [said, there] = [new Map(Object.entries(warnings)), new Map(Object.entries(counted))];
  for (const kind of new Set([...said.keys(), ...there.keys()])) {
    const [found, expected] = [said.get(kind) ?? 0, there.get(kind) ?? 0];
    compare(findings, `${kind} ${found}`, `${expected}, as there are`, found === expected);
  }
}

function compare(findings: Findings, found: string, expected: string, isSame: boolean): void {
  if (!isSame) findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
}

function normalised(baseUrl: string): string {
  try {
    return parseBaseUrl(baseUrl);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}
