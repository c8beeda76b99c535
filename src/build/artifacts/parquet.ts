/** records.parquet: a row for each record in published order, with a column for each field. */
import { deserialize, serialize } from "node:v8";
import type { RowGroup } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Contract } from "../../core/contract/contract.js";
import { PAGE_BYTES } from "../../core/contract/page.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import { valueAt } from "../../core/contract/record/value.js";
import { PARQUET, RECORDS } from "../../core/release/layout.js";
import {
  type Artifact,
  type Collector,
  joinPieces,
  type MergeContext,
  type Merger,
  type SinkFile,
  splitPieces,
} from "./artifact.js";
import { compressed, pagesTogether } from "./bulk.js";
import { type ParquetColumn, parquetColumns, parquetSchema } from "./parquet-columns.js";

export const PARQUET_FILE: Artifact = {
  name: PARQUET,
  collector: (contract, pageSize) => new GroupCollector(contract, pageSize),
  merger: (context) => new GroupMerger(context),
};

/** Maximum records of a row group, and maximum bytes of their canonical text. A larger record has its own group. */
export const GROUP_RECORDS = 20_000;
export const GROUP_TEXT = 2 ** 25;
/** Bytes of the mark with which each file begins. */
const MARK_BYTES = 4;

/** Number of pages whose records are in one row group, counted from page 1: a multiple of the pages that other files compress together. */
export function pagesOfGroup(pageSize: number): number {
  const together = pagesTogether(pageSize);
  return together * Math.floor(GROUP_RECORDS / (together * pageSize));
}

/** The data of a row group for the footer. Its offsets count from the beginning of a file that has only this group. */
interface GroupFooter {
  group: RowGroup;
  indexes: ParquetWriter["pendingIndexes"];
}

function writerOf(contract: Contract, writer: ByteWriter, state?: string): ParquetWriter {
  return new ParquetWriter({
    writer,
    schema: parquetSchema(parquetColumns(contract)),
    codec: "GZIP",
    compressors: { GZIP: compressed },
    createdBy: "rollcall",
    ...(state !== undefined && { kvMetadata: [{ key: "rollcall.state", value: state }] }),
  });
}

/** Encodes records as row groups. Their ends depend only on records and page numbers, so that builds are reproducible. */
class GroupCollector implements Collector {
  readonly #recordsTogether: number;
  readonly #columns: readonly (ParquetColumn & { data: unknown[] })[];
  #groups: Uint8Array[] = [];
  #rows = 0;
  #text = 0;

  constructor(
    private readonly contract: Contract,
    pageSize: number,
  ) {
    this.#recordsTogether = pagesOfGroup(pageSize) * pageSize;
    this.#columns = parquetColumns(contract).map((column) => ({ ...column, data: [] }));
  }

  collect(page: PageRecords): void {
    if (page.first % this.#recordsTogether === 0) this.#cut();
    // Parsing the records of a page together is faster, but large ones would take much memory.
    const isSmall = page.bytes.length <= PAGE_BYTES;
    const parsed: unknown[] = isSmall ? JSON.parse(`[${page.bytes}]`) : [];
    for (const [number, begin, end] of recordsOf(page)) {
      if (this.#text + end - begin > GROUP_TEXT) this.#cut();
      const record = isSmall ? parsed[number - page.first] : JSON.parse(page.bytes.toString("utf8", begin, end));
      for (const { field, store, data } of this.#columns) data.push(store(valueAt(record, field)));
      this.#rows++;
      this.#text += end - begin;
    }
  }

  take(): Uint8Array<ArrayBuffer> {
    this.#cut();
    return joinPieces(this.#groups.splice(0));
  }

  #cut(): void {
    if (this.#rows === 0) return;
    const bytes = new ByteWriter();
    const writer = writerOf(this.contract, bytes);
    const columnData = this.#columns.map(({ field, schema, data }) => ({
      name: field.path,
      data: data.splice(0),
      // Statistics hold the whole least and greatest text of JSON, whatever its length.
      statistics: schema[0]?.converted_type !== "JSON",
    }));
    writer.write({ columnData, rowGroupSize: this.#rows });
    const footer = { group: writer.row_groups[0], indexes: writer.pendingIndexes };
    this.#groups.push(serialize(footer), bytes.getBytes().subarray(MARK_BYTES));
    this.#rows = 0;
    this.#text = 0;
  }
}

/** Joins row groups to a file. */
class GroupMerger implements Merger {
  readonly #file: SinkFile;
  readonly #groups: GroupFooter[] = [];

  constructor(private readonly context: MergeContext) {
    this.#file = context.sink.create(PARQUET);
    this.#file.write(this.#begun().bytes.getBytes());
  }

  merge(piece: Uint8Array): void {
    const pieces = splitPieces(piece);
    for (let at = 0; at < pieces.length; at += 2) {
      const [footer, bytes] = pieces.slice(at, at + 2);
      if (!footer || !bytes) throw new Error("A row group has no bytes.");
      const moved: GroupFooter = deserialize(footer);
      move(moved, this.#file.bytes - MARK_BYTES);
      this.#groups.push(moved);
      this.#file.write(bytes);
    }
  }

  async write(): Promise<void> {
    const { bytes, writer } = this.#begun();
    // The mark is already in the file. What follows is the footer.
    bytes.index = 0;
    bytes.offset = this.#file.bytes;
    for (const { group, indexes } of this.#groups) {
      writer.row_groups.push(group);
      writer.pendingIndexes.push(...indexes);
      writer.num_rows += group.num_rows;
    }
    writer.finish();
    this.#file.write(bytes.getBytes());
    this.#file.finish();
  }

  close(): void {
    this.#file.close();
  }

  /** A writer that has written the mark. */
  #begun(): { bytes: ByteWriter; writer: ParquetWriter } {
    const { contract, sink } = this.context;
    const bytes = new ByteWriter();
    return { bytes, writer: writerOf(contract, bytes, sink.digestOf(RECORDS)) };
  }
}

/** Adds a number of bytes to all offsets of a row group. */
function move({ group, indexes }: GroupFooter, by: number): void {
  const bytes = BigInt(by);
  for (const chunk of group.columns) {
    chunk.file_offset += bytes;
    const { meta_data: facts } = chunk;
    if (!facts) continue;
    facts.data_page_offset += bytes;
    if (facts.dictionary_page_offset !== undefined) facts.dictionary_page_offset += bytes;
  }
  for (const { offsetIndex } of indexes)
    for (const location of offsetIndex?.page_locations ?? []) location.offset += bytes;
}
