/** Checks that records.parquet has the contract's columns and exactly the values of the pages' records. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type FileMetaData, parquetMetadataAsync, parquetRead, type RowGroup, type SchemaElement } from "hyparquet";
import { GROUP_RECORDS, GROUP_TEXT } from "../../build/artifacts/parquet.js";
import { type ParquetColumn, parquetColumns, parquetSchema, rowLine } from "../../build/artifacts/parquet-columns.js";
import { codeOf } from "../../core/errors.js";
import { shorten } from "../../core/print/text.js";
import { PARQUET } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { openPlain } from "../../core/release/plain-files.js";
import type { AddFinding } from "./files.js";
import { isSound, PlainHash, requireAtMost, requireSame, WrongFile } from "./packed.js";
import { checkColumn, checkFooter, FOOTER_END, refuse } from "./parquet-form.js";

/** Bytes of plain pages for each byte of the text of their records: an integer of one digit has 8, and an empty text 4. */
const MOST_EXPANSION = 16;
/** Bytes of plain pages that any row group may have. */
const SMALL_GROUP = 2 ** 20;
/** Bytes that a footer may have for a row group, without names, and for each column of one. */
const FOOTER_OF_GROUP = 2 ** 16;
const FOOTER_OF_COLUMN = 2 ** 10;
/** A full row group has more records or more bytes. */
const FULL_GROUP = { records: GROUP_RECORDS / 2, bytes: GROUP_TEXT / 2 };
/** Bytes of the mark at the beginning. */
const MARK_BYTES = 4;

/** Reads the file row group by row group, and compares its values with those of the pages. @param made their lines */
export async function checkParquet(
  release: Release,
  made: PlainHash,
  add: AddFinding,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, contract, snapshot } = release;
  const fd = openPlain(join(folder, PARQUET));
  if (fd === undefined) return add(PARQUET, { found: "a file that is not a file", expected: "a Parquet file" });
  const columns = parquetColumns(contract);
  try {
    await isSound(PARQUET, add, async () => {
      const file = bufferOf(fd);
      const metadata = await asParquet(async () => {
        checkFooter(readFooter(file, mostFooterBytes(release, columns.length, made.bytes)));
        const read = await parquetMetadataAsync(file, { geoparquet: false });
        requireForm(read, columns, snapshot.count);
        return read;
      });
      const found = new PlainHash();
      let rowStart = 0;
      for (const group of metadata.row_groups) {
        signal?.throwIfAborted();
        const rowEnd = rowStart + Number(group.num_rows);
        await asParquet(async () => {
          checkGroup(file, group, columns, made.bytes);
          for (const row of await readRows(file, metadata, { rowStart, rowEnd }))
            found.update(Buffer.from(`${rowLine(columns, row)}\n`));
        });
        requireAtMost(found, made);
        rowStart = rowEnd;
      }
      requireSame(found, made);
    });
  } finally {
    closeSync(fd);
  }
}

/** The maximum bytes of the footer. @param text the bytes of all values */
function mostFooterBytes({ contract, snapshot }: Release, columns: number, text: number): number {
  // Names are in the text of records, and not in that of values.
  const names = contract.text.length;
  const bytes = 2 * text + snapshot.count * names;
  const groups = Math.ceil(snapshot.count / FULL_GROUP.records) + Math.ceil(bytes / FULL_GROUP.bytes);
  return (1 + groups) * (FOOTER_OF_GROUP + FOOTER_OF_COLUMN * columns + names);
}

/** Reads the footer. @throws WrongFile if it has more bytes than the file, or than `most` */
function readFooter(file: OpenBuffer, most: number): Uint8Array {
  const end = file.byteLength - FOOTER_END;
  if (end < MARK_BYTES) refuse("it is too short");
  const length = Buffer.from(file.slice(end, end + 4)).readUInt32LE();
  if (length > end - MARK_BYTES || length > most) refuse(`a footer of ${length} bytes`);
  return new Uint8Array(file.slice(end - length, end));
}

/** Checks the pages of a row group before they are read. @param text the bytes of all values */
function checkGroup(
  file: OpenBuffer,
  { columns: chunks, num_rows: rowsOfGroup }: RowGroup,
  columns: readonly ParquetColumn[],
  text: number,
): void {
  const rows = Number(rowsOfGroup);
  // Only a group of one record has more.
  const ownText = rows === 1 ? text : Math.min(text, GROUP_TEXT);
  const allowance = { bytes: SMALL_GROUP + MOST_EXPANSION * ownText, values: rows + ownText };
  if (chunks.length !== columns.length) refuse(`${chunks.length} columns in a row group`);
  let left = allowance.bytes;
  for (const [at, { schema }] of columns.entries()) {
    const { meta_data: facts } = chunks[at] ?? {};
    const leaf = schema.at(-1);
    const path = schema.map(({ name }) => name);
    if (!facts || facts.type !== leaf?.type || facts.path_in_schema.join("\0") !== path.join("\0"))
      refuse(`a row group without the column ${path[0]}`);
    if (facts.codec !== "GZIP" && facts.codec !== "UNCOMPRESSED") refuse(`the codec ${facts.codec}`);
    const begin = Number(facts.dictionary_page_offset ?? facts.data_page_offset);
    const bytes = Number(facts.total_compressed_size);
    if (begin < MARK_BYTES || bytes < 0 || begin + bytes > file.byteLength || bytes > left)
      refuse(`a column of ${bytes} bytes from ${begin} on`);
    left -= bytes;
    const isList = schema.length > 1;
    const optional = schema.filter(({ repetition_type: repetition }) => repetition === "OPTIONAL").length;
    checkColumn(
      {
        bytes: new Uint8Array(file.slice(begin, begin + bytes)),
        isCompressed: facts.codec === "GZIP",
        isBoolean: leaf.type === "BOOLEAN",
        levels: { definition: bitsOf(optional + Number(isList)), repetition: Number(isList) },
        rows,
      },
      allowance,
    );
  }
}

/** The bits of the numbers up to `most`. */
function bitsOf(most: number): number {
  return 32 - Math.clz32(most);
}

/** Reads some rows. Times and dates stay the numbers that are stored. */
function readRows(
  file: OpenBuffer,
  metadata: FileMetaData,
  rows: { rowStart: number; rowEnd: number },
): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    parquetRead({
      ...rows,
      file,
      metadata,
      // `checkGroup` has bounded each page.
      compressors: { GZIP: (bytes) => gunzipSync(bytes) },
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

/** A file whose parts are read at once. */
interface OpenBuffer {
  byteLength: number;
  slice(start: number, end?: number): ArrayBuffer;
}

function bufferOf(fd: number): OpenBuffer {
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

/** Runs a step that reads Parquet. @throws WrongFile if the file is refused; the system's errors */
async function asParquet<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    const code = codeOf(error);
    const isOfSystem = code !== undefined && /^E[A-Z]+$/.test(code);
    if (isOfSystem || error instanceof WrongFile) throw error;
    return refuse(shorten((error as Error).message, 200));
  }
}

/** Compares the footer with the contract and the number of records. */
function requireForm(
  { schema, num_rows: rows, row_groups: groups }: FileMetaData,
  columns: readonly ParquetColumn[],
  count: number,
): void {
  const elements = parquetSchema(columns);
  const wanted = elements.map(formOf);
  const found = schema.map(formOf);
  const at = wanted.findIndex((form, at) => form !== found[at] || elements[at]?.type !== schema[at]?.type);
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
