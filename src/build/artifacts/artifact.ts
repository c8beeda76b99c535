/** The interface of artifacts: files of a release, other than pages, that are made of all records. Build, join and verify use it. */
import { join } from "node:path";
import * as z from "zod";
import type { Contract } from "../../core/contract/contract.js";
import type { Collection } from "../../core/contract/page.js";
import type { PageRecords } from "../../core/contract/record/split.js";
import type { Referrer } from "../../core/contract/references.js";
import type { View } from "../../core/contract/views.js";
import type { ViewPaths } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { readPlain, sha256 } from "../../core/release/plain-files.js";
import type { PageDigests } from "../../core/release/sums.js";
import type { CountedValue } from "../../core/release/views.js";

/** Collects data from pages, in the thread that makes them. */
export interface Collector {
  /** Adds a page. Pages of a batch come in order. */
  collect(page: PageRecords): void;
  /** Ends a batch. @returns its data for the merger, in memory that can be transferred to another thread */
  take(): Uint8Array<ArrayBuffer>;
}

/** Writes files from collected data, on the main thread. Close it in a `finally`. */
export interface Merger {
  /** Adds the data of a batch. Batches come in published order. */
  merge(piece: Uint8Array): void;
  /** Writes the remaining files. @throws UserError if the temporary folder is full */
  write(signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

/** Receives files of a release: a build writes them, verify compares them with existing ones. */
export interface Sink {
  put(path: string, bytes: Buffer): Promise<void> | void;
  /** Begins a file that is written in parts. */
  create(path: string): SinkFile;
  /** The SHA-256 of a file that is complete; undefined for any other. */
  digestOf(path: string): string | undefined;
}

/** Close it in a `finally`. */
export interface SinkFile {
  /** Bytes written so far. */
  readonly bytes: number;
  write(bytes: Uint8Array): void;
  /** Call it after the last bytes. */
  finish(): void;
  close(): void;
}

export interface MergeContext {
  contract: Contract;
  collection: Collection;
  sink: Sink;
  /** Whether listings of the same site refer to this one, so that the explorer writes the names of its records. */
  isReferredTo?: boolean;
  /**
   * What the explorer's page links to: paths of optional files, fields of listings of the same site that refer to this one, and the feed.
   * Without it, only files that depend on records alone are written.
   */
  page?: { files: readonly string[]; referrers: readonly Referrer[]; feed: string | undefined };
  /** Makes the pages of views. Only the artifact of views needs it. */
  views?: ViewPages;
}

/** A view whose records are sorted. */
export interface SortedView {
  view: View;
  /** The values in the order of their pages; undefined for a view without values. */
  values: readonly CountedValue[] | undefined;
  paths: ViewPaths;
  /** The numbers of the records of all pages, from 0, in the order of the pages. */
  numbers: Uint32Array;
}

/** Makes the pages of views: a build writes them, verify compares them with existing ones. Close it in a `finally`. */
export interface ViewPages {
  /** The name of the listing in its site; empty for a plain release. */
  readonly listing: string;
  /** The SHA-256 of records.sha256, which is written before. */
  readonly state: string;
  /** Takes all views over from the last release, if it has the same ones of the same records. @returns whether it did */
  reuse(views: readonly View[], signal: AbortSignal | undefined): Promise<boolean>;
  /** Makes the pages of a view. @returns their digests; undefined if they are not known */
  make(sorted: SortedView, signal: AbortSignal | undefined): Promise<PageDigests | undefined>;
  close(): Promise<void>;
}

export interface Artifact {
  /** Also the name of its file in the part of a shard. */
  name: string;
  collector(contract: Contract, pageSize: number): Collector;
  merger(context: MergeContext): Merger;
}

const LENGTH = 4;

/** Joins pieces of bytes into one, each after its length, to pass them from collector to merger. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = pieces.reduce((sum, piece) => sum + LENGTH + piece.length, 0);
  const joined = Buffer.from(new ArrayBuffer(bytes));
  let at = 0;
  for (const piece of pieces) {
    at = joined.writeUInt32LE(piece.length, at);
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Splits what `joinPieces` joined. @returns views of the same memory */
export function splitPieces({ buffer, byteOffset, length }: Uint8Array): Buffer[] {
  const joined = Buffer.from(buffer, byteOffset, length);
  const pieces: Buffer[] = [];
  for (let at = 0; at < length; ) {
    const begin = at + LENGTH;
    at = begin + joined.readUInt32LE(at);
    pieces.push(joined.subarray(begin, at));
  }
  return pieces;
}

/** Sets the operating system in a gzip header to "unknown", so that the bytes are equal on every machine. */
export function hideSystem(gzip: Uint8Array): void {
  gzip[9] = 0xff;
}

/** Reads a file of a release, if its digest matches SHA256SUMS; otherwise undefined. */
export function readIntact({ folder, sums }: Pick<Release, "folder" | "sums">, path: string): string | undefined {
  const listed = sums.others.get(path);
  const bytes = listed === undefined ? undefined : readPlain(join(folder, path));
  return bytes && sha256(bytes) === listed ? String(bytes) : undefined;
}

/** A SHA-256 in hexadecimal. */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in hexadecimal" });
export const countSchema = z.int().min(0);
