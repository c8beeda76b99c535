/**
 * Checks the numbers in a Parquet file by which a reader allocates memory or repeats something, before one reads it: lengths of
 * pages and lists, nesting, counts of values and of runs. The file may come from a stranger.
 */
import { gunzipSync } from "node:zlib";
import { WrongFile } from "./packed.js";

/** @throws WrongFile */
export function refuse(what: string): never {
  throw new WrongFile(`a file that cannot be read as Parquet (${what})`, "a Parquet file");
}

/** What the members of a struct say, by their numbers. Lists, texts and larger numbers are left out. */
interface Struct {
  [member: number]: number | boolean | Struct | undefined;
}

/** The types of the compact form of Thrift. A boolean member is its type. */
const TYPES = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
} as const;
/** Maximum structs and lists inside each other. A footer has 5. */
const MOST_NESTED = 16;
/** Maximum bytes of a number of 64 bits. */
const MOST_VARINT = 10;

/** Reads the compact form of Thrift, in which footers and headers of pages are written. */
class ThriftReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  /** Reads a struct. @throws WrongFile if it does not end, or has more inside than there are bytes */
  struct(depth = 0): Struct {
    if (depth > MOST_NESTED) refuse("too many structs inside each other");
    const members: Struct = {};
    let member = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      const step = head >> 4;
      member = step === 0 ? this.#integer() : member + step;
      members[member] = this.#value(head & 0x0f, depth);
    }
    return members;
  }

  #value(type: number, depth: number): number | boolean | Struct | undefined {
    switch (type) {
      case TYPES.true:
      case TYPES.false:
        return type === TYPES.true;
      case TYPES.byte:
        return this.#byte();
      case TYPES.i16:
      case TYPES.i32:
      case TYPES.i64:
        return this.#integer();
      case TYPES.double:
        return this.#skip(8);
      case TYPES.binary:
        return this.#skip(this.#varint());
      case TYPES.list:
        return this.#list(depth + 1);
      case TYPES.struct:
        return this.struct(depth + 1);
      default:
        return refuse(`values of the type ${type}`);
    }
  }

  #list(depth: number): undefined {
    if (depth > MOST_NESTED) refuse("too many lists inside each other");
    const head = this.#byte();
    const type = head & 0x0f;
    const length = head >> 4 === 0x0f ? this.#varint() : head >> 4;
    if (length > this.bytes.length - this.at) refuse(`a list of ${length} items`);
    const isBoolean = type === TYPES.true || type === TYPES.false;
    // In a list, a boolean is a byte.
    for (let item = 0; item < length; item++) this.#value(isBoolean ? TYPES.byte : type, depth);
    return undefined;
  }

  /** Signed; only as exact as a double. */
  #integer(): number {
    const zigzag = this.#varint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  #varint(): number {
    let value = 0;
    for (let read = 0; read < MOST_VARINT; read++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * read);
      if (byte < 0x80) return value;
    }
    return refuse("a number of more than 64 bits");
  }

  #skip(length: number): undefined {
    if (length > this.bytes.length - this.at) refuse(`a value of ${length} bytes`);
    this.at += length;
    return undefined;
  }

  #byte(): number {
    return this.bytes[this.at++] ?? refuse("it ends too early");
  }
}

/** Bytes after the footer: its length, and the mark. */
export const FOOTER_END = 8;

/** Checks the form of a footer. @throws WrongFile */
export function checkFooter(footer: Uint8Array): void {
  new ThriftReader(footer).struct();
}

/** The pages of one column in a row group. */
interface ColumnChunk {
  bytes: Uint8Array;
  isCompressed: boolean;
  /** Whether values are of one bit, in runs. */
  isBoolean: boolean;
  /** Bits of the levels that say which values are null or absent, and which begin a list. */
  levels: { definition: number; repetition: number };
  rows: number;
}

/** What a row group may still have. */
export interface Allowance {
  /** Bytes of its pages, uncompressed. */
  bytes: number;
  /** Values of one column. */
  values: number;
}

/** Numbers of members of parquet.thrift: of PageHeader, DictionaryPageHeader and DataPageHeaderV2. */
const PAGE = { type: 1, plainBytes: 2, bytes: 3, dictionary: 7, dataV2: 8 } as const;
const DICTIONARY = { values: 1 } as const;
const DATA = {
  values: 1,
  nulls: 2,
  rows: 3,
  encoding: 4,
  definitionBytes: 5,
  repetitionBytes: 6,
  isCompressed: 7,
} as const;
/** Numbers of types of pages. */
const DICTIONARY_PAGE = 2;
const DATA_PAGE_V2 = 3;
/** Numbers of encodings. */
const PLAIN = 0;
const RLE = 3;
const RLE_DICTIONARY = 8;
/** Bytes of a length before runs. */
const LENGTH = 4;

/**
 * Checks the pages of a column, of the two kinds that Rollcall writes.
 * @param allowance loses the bytes of the pages. @throws WrongFile
 */
export function checkColumn(chunk: ColumnChunk, allowance: Allowance): void {
  let values = 0;
  let rows = 0;
  let hasDictionary = false;
  for (let at = 0; at < chunk.bytes.length; ) {
    const reader = new ThriftReader(chunk.bytes, at);
    const header = reader.struct();
    const page = chunk.bytes.subarray(reader.at, reader.at + sizeOf(header, PAGE.bytes));
    if (page.length < sizeOf(header, PAGE.bytes)) refuse("a page that ends too late");
    at = reader.at + page.length;
    const plain = sizeOf(header, PAGE.plainBytes);
    allowance.bytes -= plain;
    if (allowance.bytes < 0) refuse(`pages of ${plain} bytes and more`);
    if (header[PAGE.type] === DICTIONARY_PAGE) {
      const terms = sizeOf(structOf(header, PAGE.dictionary), DICTIONARY.values);
      if (hasDictionary || values > 0) refuse("a dictionary after a page");
      if (terms > allowance.values) refuse(`a dictionary of ${terms} values`);
      unpacked(page, plain, chunk.isCompressed);
      hasDictionary = true;
    } else if (header[PAGE.type] === DATA_PAGE_V2) {
      const inside = structOf(header, PAGE.dataV2);
      values += sizeOf(inside, DATA.values);
      rows += sizeOf(inside, DATA.rows);
      if (values > allowance.values || rows > chunk.rows) refuse(`pages of ${values} values in ${rows} rows`);
      checkPage(chunk, page, plain, inside, hasDictionary);
    } else refuse(`a page of the kind ${header[PAGE.type]}`);
  }
  if (rows !== chunk.rows) refuse(`${rows} rows in the pages of a column, and ${chunk.rows} in the row group`);
}

function checkPage(chunk: ColumnChunk, page: Uint8Array, plain: number, header: Struct, hasDictionary: boolean): void {
  const count = sizeOf(header, DATA.values);
  const rows = sizeOf(header, DATA.rows);
  const present = count - sizeOf(header, DATA.nulls);
  const { levels } = chunk;
  const definition = sizeOf(header, DATA.definitionBytes);
  const repetition = sizeOf(header, DATA.repetitionBytes);
  if (present < 0 || definition + repetition > Math.min(page.length, plain)) refuse("sizes that do not fit together");
  if (levels.repetition > 0) checkRuns(page.subarray(0, repetition), levels.repetition, count);
  else if (count !== rows) refuse(`${count} values in ${rows} rows`);
  if (levels.definition > 0) checkRuns(page.subarray(repetition, repetition + definition), levels.definition, count);
  const size = plain - definition - repetition;
  const data = unpacked(
    page.subarray(repetition + definition),
    size,
    chunk.isCompressed && header[DATA.isCompressed] !== false,
  );
  const encoding = header[DATA.encoding];
  if (encoding === RLE && chunk.isBoolean) checkRuns(data.subarray(LENGTH), 1, present);
  else if (encoding === RLE_DICTIONARY && hasDictionary) checkRuns(data.subarray(1), data[0] ?? 0, present);
  else if (encoding !== PLAIN) refuse(`the encoding ${encoding}`);
}

/** Maximum bits of a number in a run. */
const MOST_BITS = 32;

/** Checks runs of numbers: repeated ones, and groups of eight. @throws WrongFile unless they are of `count` numbers */
function checkRuns(bytes: Uint8Array, bits: number, count: number): void {
  if (bits > MOST_BITS) refuse(`numbers of ${bits} bits`);
  let at = 0;
  for (let left = count; left > 0; ) {
    let head = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = bytes[at++] ?? refuse("runs that end too early");
      head += (byte & 0x7f) * 2 ** shift;
    }
    const isPacked = head % 2 === 1;
    const length = Math.floor(head / 2);
    if (length === 0 || length > (isPacked ? Math.ceil(left / 8) : left)) refuse(`a run of ${length}`);
    at += isPacked ? length * bits : Math.ceil(bits / 8);
    left -= isPacked ? 8 * length : length;
    if (at > bytes.length) refuse("runs that end too early");
  }
}

function unpacked(bytes: Uint8Array, size: number, isCompressed: boolean): Uint8Array {
  if (!isCompressed) return bytes;
  const plain = gunzipSync(bytes, { maxOutputLength: Math.max(1, size) });
  return plain.length === size ? plain : refuse(`a page of ${plain.length} bytes instead of ${size}`);
}

function structOf(struct: Struct, member: number): Struct {
  const found = struct[member];
  return typeof found === "object" ? found : refuse("a page without a header");
}

/** A size or a count of a header. */
function sizeOf(struct: Struct, member: number): number {
  const found = struct[member];
  return typeof found === "number" && found >= 0 && found < 2 ** 31 ? found : refuse(`a header with the size ${found}`);
}
