/** Finds the pages of a table or an index in a SQLite file (https://www.sqlite.org/fileformat2.html). */
import { fstatSync, readSync } from "node:fs";

/** An open SQLite file. Can be sent to another thread of this process. */
export interface DatabaseFile {
  /** The descriptor. */
  file: number;
  /** Bytes of a page. */
  pageSize: number;
  /** Pages in the file. */
  pages: number;
  /** Bytes of a page that SQLite uses; extensions may keep some for themselves. */
  usable: number;
}

const HEADER = 100;

/** @param file the descriptor of a SQLite file that nobody writes to. */
export function readHeader(file: number): DatabaseFile {
  const header = Buffer.alloc(HEADER);
  readSync(file, header, 0, HEADER, 0);
  const pageSize = header.readUInt16BE(16);
  // 65,536 does not fit in there.
  const bytes = pageSize === 1 ? 65_536 : pageSize;
  const pages = Math.floor(fstatSync(file).size / bytes);
  return { file, pageSize: bytes, pages, usable: bytes - header.readUInt8(20) };
}

const [TABLE_INTERIOR, INDEX_INTERIOR, TABLE_LEAF, INDEX_LEAF] = [5, 2, 13, 10];
/** As deep as SQLite itself goes. */
const MAX_DEPTH = 20;

/**
 * The page numbers (from 1) of a b-tree, level by level from its root down; the last level is the leaves.
 * @throws RangeError when the file is no b-tree there.
 */
export function* levels(db: DatabaseFile, root: number): Generator<Uint32Array> {
  const memory = Buffer.alloc(db.pageSize);
  let level = Uint32Array.of(root);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    yield level;
    const type = readPage(db, level[0] ?? 0, memory)[0];
    if (type === TABLE_LEAF || type === INDEX_LEAF) return;
    if (type !== TABLE_INTERIOR && type !== INDEX_INTERIOR) break;
    level = nextLevel(db, level, memory);
  }
  throw new RangeError(`page ${root} is no root of a b-tree`);
}

/** Reads one page into `memory`. */
export function readPage({ file, pageSize }: DatabaseFile, page: number, memory: Buffer): Buffer {
  const bytes = readSync(file, memory, 0, pageSize, (page - 1) * pageSize);
  if (bytes < pageSize) throw new RangeError(`page ${page} is not there`);
  return memory.subarray(0, pageSize);
}

/** Four bytes a page, since the leaves of many millions of rows are a long list: counted first, then listed. */
function nextLevel(db: DatabaseFile, level: Uint32Array, memory: Buffer): Uint32Array<ArrayBuffer> {
  let count = 0;
  for (const page of level) count += readPage(db, page, memory).readUInt16BE(3) + 1;
  if (count > db.pages) throw new RangeError("more pages than a file has");
  const next = new Uint32Array(count);
  let at = 0;
  for (const page of level) {
    const bytes = readPage(db, page, memory);
    const cells = bytes.readUInt16BE(3);
    for (let cell = 0; cell < cells; cell++)
      next[at++] = bytes.readUInt32BE(bytes.readUInt16BE(12 + 2 * cell));
    next[at++] = bytes.readUInt32BE(8);
  }
  return next;
}

/** The rows of a table's leaf. */
export interface Leaf {
  rowids: number[];
  /** False when a row is continued on other pages. */
  isWhole: boolean;
}

/** @throws RangeError when the page is no table's leaf, or has row ids beyond what numbers can say. */
export function readLeaf(page: Buffer, usable: number): Leaf {
  if (page[0] !== TABLE_LEAF) throw new RangeError("not a table's leaf");
  const leaf: Leaf = { rowids: [], isWhole: true };
  const cells = page.readUInt16BE(3);
  for (let cell = 0; cell < cells; cell++) {
    const size = readVarint(page, page.readUInt16BE(8 + 2 * cell));
    const rowid = readVarint(page, size.end);
    if (!Number.isSafeInteger(rowid.value)) throw new RangeError("a row id beyond 2^53");
    leaf.rowids.push(rowid.value);
    if (size.value > usable - 35) leaf.isWhole = false;
  }
  return leaf;
}

/** Seven bits a byte, the first byte first; a ninth byte has eight. Negative numbers come out as huge ones. */
function readVarint(page: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  for (let byte = 0; byte < 8; byte++) {
    const bits = page.readUInt8(at + byte);
    value = value * 128 + (bits & 127);
    if (bits < 128) return { value, end: at + byte + 1 };
  }
  return { value: value * 256 + page.readUInt8(at + 8), end: at + 9 };
}
