/** Checks batches of pages, and collects the data for artifacts: in a worker thread, or inline. */
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Collector } from "../../build/artifacts/artifact.js";
import { artifactsOf } from "../../build/artifacts/artifacts.js";
import { parquetColumns, storedLineOf } from "../../build/artifacts/parquet-columns.js";
import { type Contract, contractOf } from "../../core/contract/contract.js";
import { envelopeDifferences, expectedEnvelope, readBody } from "../../core/contract/envelope.js";
import type { ContractFile } from "../../core/contract/file/form.js";
import type { Encoding } from "../../core/contract/headers.js";
import { AVATAR_PATH } from "../../core/contract/links.js";
import { csvColumns, csvLineOf } from "../../core/contract/record/csv.js";
import { recordsOf } from "../../core/contract/record/split.js";
import type { WarningCounts } from "../../core/contract/record/warnings.js";
import type { Snapshot } from "../../core/contract/snapshot.js";
import type { ViewForms } from "../../core/contract/views.js";
import { codeOf, hasCode, UserError } from "../../core/errors.js";
import { showValue } from "../../core/print/text.js";
import { PagePaths, SNAPSHOT, type Variant } from "../../core/release/layout.js";
import { MAX_PAGE, readPlain, sha256, TOO_LARGE } from "../../core/release/plain-files.js";
import { type DigestBytes, PageDigests } from "../../core/release/sums.js";
import { Findings } from "../verdict.js";
import { OrderCheck, type RecordChecker, recordChecker } from "./records.js";

/** What all batches of a release have in common. It can be sent to another thread. */
export interface PagesToCheck {
  folder: string;
  contract: ContractFile;
  snapshot: Snapshot;
  /** What to collect besides the list of records. */
  wanted: Wanted;
  /** The forms in which the folder has each page. */
  variants: readonly Variant[];
}

/** What to make again of all records: files of lookup, explorer and views, the lines of bulk parts and of the CSV file, the values of the Parquet file. */
type Wanted = Readonly<Record<"lookup" | "explorer" | "bulk" | "csv" | "parquet", boolean>> & {
  readonly views: ViewForms;
};

/** Collects a line for each record: its canonical text, or what `lineOf` makes of it. */
function lineCollector(lineOf: (record: string) => string = (record) => record): Collector {
  let lines: Buffer[] = [];
  return {
    collect(page) {
      let own = "";
      for (const [, begin, end] of recordsOf(page)) own += `${lineOf(page.bytes.toString("utf8", begin, end))}\n`;
      lines.push(Buffer.from(own));
    },
    take() {
      const all = new Uint8Array(Buffer.concat(lines));
      lines = [];
      return all;
    },
  };
}

/** The collectors of lines, of parts, of the CSV file and of the Parquet file, then those of artifacts. */
async function collectorsOf(contract: Contract, pageSize: number, wanted: Wanted): Promise<readonly Collector[]> {
  const { lookup, explorer, bulk, csv, parquet, views } = wanted;
  const artifacts = await artifactsOf({ lookup, explorer, views });
  const csvLine = csvLineOf(csvColumns(contract));
  const parquetLine = storedLineOf(parquetColumns(contract));
  return [
    ...(bulk ? [lineCollector()] : []),
    ...(csv ? [lineCollector((record) => csvLine(JSON.parse(record)))] : []),
    ...(parquet ? [lineCollector((record) => parquetLine(JSON.parse(record)))] : []),
    ...artifacts.map((artifact) => artifact.collector(contract, pageSize)),
  ];
}

/** Consecutive pages, with their digests. */
export interface DigestedPages {
  first: number;
  pages: number;
  digests: DigestBytes;
}

export interface CheckedPages extends Pick<OrderCheck, "first" | "last"> {
  /** Number of files that were hashed, of pages with an envelope, and of records. */
  hashed: number;
  read: number;
  records: number;
  /** The keys of each page as a JSON array: sending one string between threads is faster than many. */
  keys: { page: number; keys: string }[];
  warnings: WarningCounts;
  findings: ReturnType<Findings["toData"]>;
  /** One piece for each collector; undefined if a page of the batch is not valid. */
  pieces: Uint8Array<ArrayBuffer>[] | undefined;
}

type AddFinding = (check: string, found: string, expected: string, variant?: Variant) => void;

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };
const ENVELOPE_CHECKS = { count: "count", records: "page-size", previous: "links", next: "links" } as const;

/** Makes a function that checks batches of a release. @throws UserError, in a check, if a file cannot be read */
export function startChecks(release: PagesToCheck) {
  const { folder, wanted, variants, snapshot } = release;
  const contract = contractOf(release.contract);
  const paths = new PagePaths(contract.listing.path);
  const listed: readonly Variant[] = ["identity", ...snapshot.encodings];
  const checker = recordChecker(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  const pageSize = snapshot.page_size;
  let collectors: readonly Collector[] | undefined;
  return async ({ first, pages, digests: bytes }: DigestedPages): Promise<CheckedPages> => {
    collectors ??= await collectorsOf(contract, pageSize, wanted);
    const findings = new Findings();
    const digests = new PageDigests(pages, listed);
    digests.fill(1, bytes);
    const order = new OrderCheck(contract, findings);
    const warnings: WarningCounts = {};
    const keys: CheckedPages["keys"] = [];
    let hashed = 0;
    let read = 0;
    let records = 0;
    let usable = 0;
    for (let at = 1; at <= pages; at++) {
      const page = first + at - 1;
      const add: AddFinding = (check, found, expected, variant = "identity") =>
        findings.add({ check, path: paths.path(page, variant), page, found, expected });
      const open = (variant: Variant) => readPageFile(join(folder, paths.path(page, variant)));
      const files = checkVariants(variants, open, (variant) => digests.get(at, variant), add);
      hashed += files.hashed;
      const found = files.plain && checkPage(page, files.plain, snapshot, checker, warnings, add);
      if (!found) continue;
      read++;
      for (const flaw of found.flaws) findings.add({ ...flaw, path: paths.path(page), page });
      for (const key of found.keys) if (key) order.add({ page, key });
      keys.push({ page, keys: JSON.stringify(found.keys.flatMap((key) => key?.at(-1) ?? [])) });
      records += found.count;
      if (!found.place) continue;
      usable++;
      for (const collector of collectors) collector.collect(found.place);
    }
    const pieces = collectors.map((collector) => collector.take());
    const usablePieces = usable === pages ? pieces : undefined;
    const { first: firstRecord, last } = order;
    const counted = { hashed, read, records };
    return { ...counted, keys, first: firstRecord, last, warnings, findings: findings.toData(), pieces: usablePieces };
  };
}

/** Reads a page; undefined if it is not a regular file, which another check reports. */
export function readPageFile(path: string): Buffer | "too large" | undefined {
  try {
    return readPlain(path);
  } catch (cause) {
    if (hasCode(cause, TOO_LARGE)) return "too large";
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/** Compares the files of a page with their digests and with each other. @returns the number of hashed files, and the plain bytes, if any */
export function checkVariants(
  variants: readonly Variant[],
  open: (variant: Variant) => ReturnType<typeof readPageFile>,
  digestOf: (variant: Variant) => string | undefined,
  add: AddFinding,
): { hashed: number; plain: Buffer | undefined } {
  let hashed = 0;
  let plain: Buffer | undefined;
  for (const variant of variants) {
    const bytes = open(variant);
    if (bytes === "too large") add("pages", "a file that is too large", `at most ${MAX_PAGE} bytes`, variant);
    if (!bytes || bytes === "too large") continue;
    const found = sha256(bytes);
    hashed++;
    const listed = digestOf(variant);
    if (listed !== undefined && found !== listed) add("digests", found, listed, variant);
    if (variant === "identity") plain = bytes;
    else {
      const other = plain && differenceOf(bytes, plain, variant);
      if (other !== undefined) add("compressed", other, `the bytes of the plain page under ${variant}`, variant);
    }
  }
  return { hashed, plain };
}

function differenceOf(bytes: Buffer, plain: Buffer, coding: Encoding): string | undefined {
  try {
    // One byte more shows that there are too many, without filling the memory.
    const decoded = DECODERS[coding](bytes, { maxOutputLength: plain.length + 1 });
    if (decoded.equals(plain)) return undefined;
    return decoded.length === plain.length ? "other bytes" : `${decoded.length} bytes`;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code === "ERR_BUFFER_TOO_LARGE" ? "more bytes" : `what is not ${coding} (${code})`;
  }
}

/**
 * Checks the envelope of a page and, if it has the form of a page, its records.
 * @returns what was found, with `place` for the collectors if all is valid; undefined if the bytes are not a page
 */
function checkPage(
  page: number,
  bytes: Buffer,
  { count, pages, page_size: pageSize, base_url: baseUrl, links }: Snapshot,
  checker: RecordChecker,
  warnings: WarningCounts,
  add: AddFinding,
) {
  const body = readBody(bytes);
  if ("why" in body) return void add("pages", `a file that ${body.why}`, "a page");
  const { envelope } = body;
  const { path } = checker.contract.listing;
  const expected = expectedEnvelope({ page, count, pages, pageSize, baseUrl, path, links });
  for (const key of envelopeDifferences(envelope, expected)) {
    const right = `${JSON.stringify(expected[key])}${key === "count" ? `, as in ${SNAPSHOT}` : ""}`;
    add(ENVELOPE_CHECKS[key], `${key} ${JSON.stringify(envelope[key])}`, right);
  }
  if (!("frame" in body)) {
    add("pages", showValue(bytes.toString("utf8", 0, 80)), "sorted keys, one record a line, one final newline");
    return { count: body.results.length, keys: [], flaws: [], place: undefined };
  }
  const { records } = body.frame;
  const { keys, flaws, text } = checker.checkText(bytes, records, warnings);
  const isUsable = envelope.records === expected.records && flaws.length === 0 && !keys.includes(undefined);
  const first = (page - 1) * pageSize;
  const own = bytes.subarray(records[0]?.[0] ?? 0, records.at(-1)?.[1] ?? 0);
  return { count: keys.length, keys, flaws, place: isUsable ? { first, bytes: own, text } : undefined };
}
