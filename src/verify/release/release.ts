/** `rollcall verify` of a release on disk: every byte of it, compared with everything that it says of itself. */
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf, UserError, usageError } from "../../errors.js";
import { RECORDS, SIGNATURE, SUMS } from "../../release/layout.js";
import { RecordLines } from "../../release/record/lines.js";
import { findUnreadable } from "../../release/sharing.js";
import { Remaker } from "../lookup/gather.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { foundOnPages, NO_WORDING, wordingOf } from "../rules.js";
import { checkSigned, type Demand, type Signed } from "../signature.js";
import { Findings, type Verdict } from "../verdict.js";
import { checkBulk } from "./bulk.js";
import { checkChanges } from "./changes.js";
import { checkDescription } from "./description.js";
import { checkAvatar, checkFiles, checkOtherDigests, readPlainBytes, readPlainFile } from "./files.js";
import { checkHosts } from "./hosts.js";
import { checkLookup, findUnproved, wantedOf } from "./lookup.js";
import { checkSnapshot, checkWarnings, type Manifest, readManifest } from "./manifest.js";
import { checkPages, type PagesToCheck } from "./pages.js";
import { toRows } from "./rows.js";
import { Tree } from "./tree.js";

interface DiskOptions extends Pick<VerifyOptions, "workers" | "cacheControl">, Omit<VerifyEffects, "cwd"> {
  /** The release's own folder, or a link to it such as `dist/current`. */
  folder: string;
  /** What its signature must be, where one is demanded. */
  demand?: Demand | undefined;
  /** Checks that may differ, each with the reason, if there is one. */
  allowed?: ReadonlyMap<string, string | undefined> | undefined;
}

/** Four lines, with a long base URL in one of them. */
const MOST_SIGNATURE = 2 ** 16;

/** @throws UserError when there is no release, or when it cannot be read. Whatever else is wrong with it is a finding. */
export async function verifyRelease(options: DiskOptions): Promise<Verdict> {
  const folder = await realpath(options.folder).catch((cause) => {
    const why = `There is no release at ${options.folder} (${codeOf(cause)})`;
    throw usageError(`${why}; name another, or run "rollcall build" first.`, cause);
  });
  const findings = new Findings();
  const tree = await Tree.read(folder);
  const manifest = await readManifest(folder, tree, findings);
  checkFiles(tree, manifest, findings);
  await checkOtherDigests(folder, tree, manifest, findings);
  checkSnapshot(folder, manifest, findings);
  const signed = await readSigned(folder, tree, manifest);
  const signature = await checkSigned({ path: SIGNATURE }, signed, options.demand, findings);
  await checkAvatar(folder, tree, findings);
  const hosts = await checkHosts({ folder, tree, manifest, cacheControl: options.cacheControl }, findings);
  const undescribed = await checkDescription(folder, tree, manifest, findings);
  const { snapshot } = manifest;
  const wording = manifest.contract ? wordingOf(manifest.contract) : NO_WORDING;
  const list = checkLength(folder, tree, snapshot?.count, findings);
  const { records, unproved } = await checkRecords({ folder, tree, manifest, list }, options, findings);
  await checkBulk(folder, tree, manifest, findings, options.signal);
  await checkChanges(folder, tree, manifest, findings, options.signal);
  const seen = {
    tree,
    manifest,
    signature,
    undescribed,
    records,
    unproved,
    hosts,
    barrier: findUnreadable(folder, tree.files()),
  };
  return {
    subject: `release ${basename(folder)}`,
    words: [wording.one, wording.many],
    rows: toRows(seen, findings, options.allowed),
  };
}

async function readSigned(folder: string, tree: Tree, { snapshot }: Manifest): Promise<Signed> {
  const signature = await readPlainFile(folder, tree, SIGNATURE, MOST_SIGNATURE);
  const sums = signature === undefined ? signature : await readPlainBytes(folder, tree, SUMS);
  return { sums, signature, id: snapshot?.id, baseUrl: snapshot?.base_url };
}

/** @returns the path of the list of records, if there is one that can be read. */
function checkLength(folder: string, tree: Tree, count: number | undefined, findings: Findings): string | undefined {
  const note = (found: string, expected: string) =>
    findings.add({ check: "record-list", path: RECORDS, found, expected });
  if (tree.get(RECORDS) !== "file") {
    note("no file to read", "a line for each record");
    return undefined;
  }
  const list = new RecordLines(join(folder, RECORDS));
  try {
    const { lines, rest } = list.measure();
    const found = `${lines} lines${rest === 0 ? "" : ` and ${rest} bytes`}`;
    if (count !== undefined && (lines !== count || rest > 0)) note(found, `${count} lines, one a record`);
    // Without any line there is nothing to compare.
    return lines > 0 ? join(folder, RECORDS) : undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    note("a line that is longer than a page", "a digest, two spaces and a key");
    return undefined;
  } finally {
    list.close();
  }
}

/** All that pages are read for: their records, what those are together, and what is made of them. */
async function checkRecords(pages: Omit<PagesToCheck, "remaker">, options: DiskOptions, findings: Findings) {
  const { folder, tree, manifest } = pages;
  const { snapshot, contract } = manifest;
  const unproved = findUnproved(tree, manifest);
  const wanted = wantedOf(manifest, unproved);
  const remaker = wanted && new Remaker(wanted);
  try {
    const { records, warnings } = await checkPages({ ...pages, remaker }, options, findings);
    if (snapshot && contract) {
      checkWarnings(manifest, warnings, findings);
      if (records !== snapshot.count) {
        const found = foundOnPages(records, wordingOf(contract));
        findings.add({ check: "count", found, expected: `${snapshot.count}, as in snapshot.json` });
      }
    }
    // Where records are not those that were published, nothing can be said of what is made of them.
    const isWhole = remaker?.pages === manifest.pages && records === snapshot?.count;
    const usable = isWhole && findings.of("page-size").count === 0 ? remaker : undefined;
    const { signal, onProgress } = options;
    const context = { folder, tree, manifest, unproved, remaker: usable, signal, onProgress };
    return { records, unproved: await checkLookup(context, findings) };
  } finally {
    remaker?.close();
  }
}
