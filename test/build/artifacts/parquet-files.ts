/** Makes Parquet files of records in memory, and reads Parquet files with the values that they store. */
import { gunzipSync } from "node:zlib";
import stringify from "fast-json-stable-stringify";
import { type FileMetaData, parquetMetadata, parquetReadObjects } from "hyparquet";
import { PARQUET_FILE } from "../../../src/build/artifacts/parquet.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import type { ContractFile, FieldSchema } from "../../../src/core/contract/file/form.js";
import { RECORD_SEPARATOR } from "../../../src/core/contract/page.js";
import { mergeContext } from "../../support/merging.js";

/** A contract of things with these fields, ordered by `key`. */
export function thingsWith(properties: Record<string, FieldSchema>): ContractFile {
  return {
    type: "object",
    "x-listing": { words: ["thing", "things"], key: "key", order: ["key"], version: 1 },
    properties: { key: { type: "string" }, ...properties },
    required: ["key", ...Object.keys(properties)],
    additionalProperties: false,
  };
}

/** The file of some records. @param batch the number of pages that one collector makes before it hands them over */
export async function parquetOf(
  file: ContractFile,
  records: readonly object[],
  { pageSize = 100, batch = Number.POSITIVE_INFINITY } = {},
): Promise<Buffer> {
  const contract = contractOf(file);
  const parts: Uint8Array[] = [];
  const context = mergeContext(contract, records.length, () => {});
  context.sink.create = () => {
    let bytes = 0;
    return {
      get bytes() {
        return bytes;
      },
      write(part) {
        parts.push(Uint8Array.from(part));
        bytes += part.length;
      },
      finish() {},
      close() {},
    };
  };
  const merger = PARQUET_FILE.merger(context);
  let collector = PARQUET_FILE.collector(contract, pageSize);
  for (let first = 0; first < records.length; first += pageSize) {
    const some = records.slice(first, first + pageSize);
    const bytes = Buffer.from(some.map((record) => stringify(record)).join(RECORD_SEPARATOR));
    collector.collect({ first, bytes, text: bytes.toString("latin1") });
    if ((first / pageSize + 1) % batch !== 0) continue;
    merger.merge(collector.take());
    collector = PARQUET_FILE.collector(contract, pageSize);
  }
  merger.merge(collector.take());
  await merger.write(undefined);
  merger.close();
  return Buffer.concat(parts);
}

export interface ReadParquet {
  metadata: FileMetaData;
  /** Times are bigints of microseconds since 1970, and dates numbers of days. */
  rows: Record<string, unknown>[];
}

export async function readParquet(bytes: Buffer): Promise<ReadParquet> {
  const whole = Uint8Array.from(bytes).buffer;
  const metadata = parquetMetadata(whole);
  const file = { byteLength: whole.byteLength, slice: (start: number, end?: number) => whole.slice(start, end) };
  const rows = await parquetReadObjects({
    file,
    metadata,
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    parsers: { timestampFromMicroseconds: (micros) => micros, dateFromDays: (days) => days },
  });
  return { metadata, rows };
}
