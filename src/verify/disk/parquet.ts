/** Checks that records.parquet has the contract's columns and exactly the values of the pages' records. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead, type SchemaElement } from "hyparquet";
import { GROUP_RECORDS } from "../../build/artifacts/parquet.js";
import { type ParquetColumn, parquetColumns, parquetSchema, rowLine } from "../../build/artifacts/parquet-columns.js";
import { codeOf } from "../../core/errors.js";
import { shorten } from "../../core/print/text.js";
import { PARQUET } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { openPlain } from "../../core/release/plain-files.js";
import type { AddFinding } from "./files.js";
import { isSound, PlainHash, requireAtMost, requireSame, WrongFile } from "./packed.js";

/** Bytes of a plain page for each byte of the text of all records: an integer of one digit has 8. */
const MOST_EXPANSION = 16;
/** Plain bytes that any page may have. */
const SMALL_PAGE = 2 ** 20;

/** Reads the file row group by row group, and compares its values with those of the pages. @param made their lines */
export async function checkParquet(
  { folder, contract, snapshot }: Release,
  made: PlainHash,
  add: AddFinding,
  signal: AbortSignal | undefined,
): Promise<void> {
  const fd = openPlain(join(folder, PARQUET));
  if (fd === undefined) return add(PARQUET, { found: "a file that is not a file", expected: "a Parquet file" });
  const columns = parquetColumns(contract);
  try {
    await isSound(PARQUET, add, async () => {
      const file = bufferOf(fd);
      const metadata = await asParquet(parquetMetadataAsync(file, { geoparquet: false }));
      requireForm(metadata, columns, snapshot.count);
      const found = new PlainHash();
      let rowStart = 0;
      for (const { num_rows: rows } of metadata.row_groups) {
        signal?.throwIfAborted();
        const rowEnd = rowStart + Number(rows);
        for (const row of await asParquet(readRows(file, metadata, made, { rowStart, rowEnd })))
          found.update(Buffer.from(`${rowLine(columns, row)}\n`));
        requireAtMost(found, made);
        rowStart = rowEnd;
      }
      requireSame(found, made);
    });
  } finally {
    closeSync(fd);
  }
}

/** Reads some rows. Times and dates stay the numbers that are stored. */
function readRows(
  file: AsyncBuffer,
  metadata: FileMetaData,
  made: PlainHash,
  rows: { rowStart: number; rowEnd: number },
): Promise<unknown[][]> {
  const most = SMALL_PAGE + MOST_EXPANSION * made.bytes;
  return new Promise((resolve, reject) => {
    parquetRead({
      ...rows,
      file,
      metadata,
      compressors: { GZIP: (bytes) => gunzipSync(bytes, { maxOutputLength: most }) },
      parsers: {
        timestampFromMicroseconds: (micros) => micros,
        dateFromDays: (days) => days,
        // The library's own drops a byte order mark at the beginning of a text.
        stringFromBytes: (bytes) => bytes && Buffer.from(bytes).toString(),
      },
      onComplete: resolve,
    }).catch(reject);
  });
}

function bufferOf(fd: number): AsyncBuffer {
  const byteLength = fstatSync(fd).size;
  return {
    byteLength,
    slice(start, end = byteLength) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      for (let at = 0; at < bytes.length; ) {
        const read = readSync(fd, bytes, { offset: at, position: start + at });
        if (read === 0) throw new WrongFile("a file that ends too early", "a Parquet file");
        at += read;
      }
      return bytes.buffer;
    },
  };
}

/** Waits for the reader of Parquet. @throws WrongFile if it refuses the file; the system's errors */
async function asParquet<Value>(read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    const code = codeOf(error);
    const isOfSystem = code !== undefined && /^E[A-Z]+$/.test(code);
    if (isOfSystem || error instanceof WrongFile) throw error;
    throw new WrongFile(
      `a file that cannot be read as Parquet (${shorten((error as Error).message, 200)})`,
      "a Parquet file",
    );
  }
}

/** Compares the footer with the contract and the number of records. */
function requireForm(
  { schema, num_rows: rows, row_groups: groups }: FileMetaData,
  columns: readonly ParquetColumn[],
  count: number,
): void {
  const wanted = parquetSchema(columns).map(formOf);
  const found = schema.map(formOf);
  const at = wanted.findIndex((form, at) => form !== found[at]);
  if (at >= 0) throw new WrongFile(`the column ${found[at] ?? "nothing"}`, `${wanted[at]}, as in the contract`);
  if (found.length > wanted.length)
    throw new WrongFile(`the column ${found[wanted.length]}`, "none, as in the contract");
  const all = groups.reduce((sum, group) => sum + group.num_rows, 0n);
  if (rows !== BigInt(count) || all !== BigInt(count))
    throw new WrongFile(`${all} rows in row groups, ${rows} in all`, `${count}, as in the pages`);
  const large = groups.find((group) => group.num_rows < 1n || group.num_rows > BigInt(GROUP_RECORDS));
  if (large) throw new WrongFile(`a row group of ${large.num_rows} rows`, `1 to ${GROUP_RECORDS}`);
}

/** The type and name of an element, for messages. */
function formOf(element: SchemaElement): string {
  const { name, type, converted_type: converted, logical_type: logical, repetition_type: repetition } = element;
  const isUtc = logical?.type === "TIMESTAMP" && logical.isAdjustedToUTC;
  const inside = element.num_children && `with ${element.num_children} inside`;
  const parts = [repetition, converted ?? type, isUtc && "in UTC", inside];
  return `${name} ${parts.filter(Boolean).join(" ")}`.trim();
}
