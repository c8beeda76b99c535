/** `rollcall verify` of a release on disk: every byte of it, compared with everything that it says of itself. */
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import type { WarningCounts, WarningKind } from "../../contract/warnings.js";
import { codeOf, usageError } from "../../errors.js";
import { OLD_RECORDS, RECORDS } from "../../release/layout.js";
import { findUnreadable } from "../../release/readable.js";
import { RecordLines } from "../../release/record-lines.js";
import { ThreadPool, threadsFor } from "../../workers/pool.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { AllUsersCheck } from "../order.js";
import { Findings, type Verdict } from "../verdict.js";
import { batches, startChecks } from "./batch.js";
import { checkFiles, checkOtherDigests, readTree } from "./files.js";
import { checkSnapshot, checkWarnings, readManifest } from "./manifest.js";
import { type Seen, toRows } from "./rows.js";

interface DiskOptions extends Pick<VerifyOptions, "workers">, Omit<VerifyEffects, "cwd"> {
  /** The release's own folder, or a link to it such as `dist/current`. */
  folder: string;
}

/** Below this many users, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

/** @throws UserError when there is no release, or when it cannot be read. Whatever else is wrong with it is a finding. */
export async function verifyRelease(options: DiskOptions): Promise<Verdict> {
  const folder = await realpath(options.folder).catch((cause) => {
    const why = `There is no release at ${options.folder} (${codeOf(cause)})`;
    throw usageError(`${why}; name another, or run "rollcall build" first.`, cause);
  });
  const findings = new Findings();
  const tree = await readTree(folder);
  const manifest = await readManifest(folder, tree, findings);
  checkFiles(tree, manifest, findings);
  await checkOtherDigests(folder, tree, manifest, findings);
  checkSnapshot(folder, manifest, findings);
  const { users, warnings } = await checkUsers(folder, { tree, manifest }, options, findings);
  const { snapshot } = manifest;
  if (snapshot) {
    checkWarnings(snapshot, warnings, findings);
    if (users !== snapshot.count) {
      const found = `${users} users on all pages`;
      findings.add({ check: "count", found, expected: `${snapshot.count}, as in snapshot.json` });
    }
    checkLength(folder, findList(tree), snapshot.count, findings);
  }
  const files = [...tree.keys()].filter((path) => tree.get(path) === "file");
  const seen = { tree, manifest, users, barrier: findUnreadable(folder, files) };
  return { subject: `release ${basename(folder)}`, rows: toRows(seen, findings) };
}

/** The name of the list of records. */
function findList(tree: Seen["tree"]): string | undefined {
  return [RECORDS, OLD_RECORDS].find((name) => tree.get(name) === "file");
}

function checkLength(folder: string, list: string | undefined, count: number, findings: Findings): void {
  if (list === undefined) return;
  const read = new RecordLines(join(folder, list));
  const { lines, rest } = read.measure();
  read.close();
  if (lines === count && rest === 0) return;
  const found = `${lines} lines${rest === 0 ? "" : ` and ${rest} bytes`}`;
  findings.add({ check: "user-index", path: list, found, expected: `${count} lines, one a record` });
}

async function checkUsers(
  folder: string,
  { tree, manifest: { snapshot, paths, pages, variants, digests } }: Pick<Seen, "tree" | "manifest">,
  { workers, onProgress, signal }: DiskOptions,
  findings: Findings,
) {
  const warnings: WarningCounts = {};
  const list = findList(tree);
  const users = new AllUsersCheck(findings, paths);
  const pool = new ThreadPool({
    size: threadsFor(snapshot?.count ?? 0, workers, WORTHWHILE),
    file: new URL("./worker.js", import.meta.url),
    data: { folder, listing: paths.listing, variants, snapshot, list: list && join(folder, list) },
    start: startChecks,
    signal,
  });
  try {
    // Pages behind a symbolic link are outside the release. The check of files has reported the link.
    const isInside = [...tree.keys()].some((path) => path.startsWith(`${paths.folder}/`));
    await pool.run(batches(isInside ? pages : 0, digests), (checked, { first, pages }) => {
      users.add(first, pages, checked.users);
      findings.merge(checked.findings);
      for (const [kind, count] of Object.entries(checked.warnings) as [WarningKind, number][])
        warnings[kind] = (warnings[kind] ?? 0) + count;
      onProgress?.({ users: users.count, total: Math.max(users.count, snapshot?.count ?? 0) });
    });
    users.finish();
  } finally {
    await pool.end();
    users.close();
  }
  return { users: users.count, warnings };
}
