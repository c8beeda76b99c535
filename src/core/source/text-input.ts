/** Opens CSV, TSV and NDJSON files: tells their format by name and first bytes, unpacks gzip, and decodes their text. */
import { type BigIntStats, createReadStream, createWriteStream, fstatSync, openSync } from "node:fs";
import { basename, join } from "node:path";
import { stdin } from "node:process";
import { pipeline } from "node:stream";
import { pipeline as pipelineDone } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { codeOf, UserError } from "../errors.js";
import { shellWord } from "../print/text.js";
import { type SettingsOfFile, STDIN } from "../settings/kinds.js";
import { flagOf, variableOf } from "../settings/names.js";
import { DB_PURPOSE } from "./errors.js";
import { BEGINNING_BYTES, encodingOf, foreignContent, foreignError, readBeginning, readJson } from "./foreign.js";
import { isSameFile, isUntouched, requireFile } from "./stats.js";
import { nameOfSource, type TextFormat } from "./text-format.js";

export type Text = AsyncGenerator<string, void>;

const GZIP_MAGIC = Buffer.of(0x1f, 0x8b);

/** A text file. It can be read several times. */
export class TextInput {
  private constructor(
    /** Its name in messages. */
    readonly name: string,
    private readonly path: string,
    readonly format: TextFormat,
    readonly settings: SettingsOfFile,
    readonly stats: BigIntStats,
    private readonly isPacked: boolean,
    private readonly encoding: string,
    private readonly isOfSeveral: boolean,
  ) {}

  /** The name of a setting of this file alone: a flag, or for one of several files a key of the config file. */
  nameOf(key: keyof SettingsOfFile): string {
    return this.isOfSeveral ? `files.${basename(this.path)}.${key}` : flagOf(key);
  }

  /** The setting with a value, as a user gives it. Without a config file, a variable has those of one of several files. */
  wayToSet(key: keyof SettingsOfFile, value: string): string {
    if (!this.isOfSeveral) return `${this.nameOf(key)} ${shellWord(value)}`;
    const own = { [basename(this.path)]: { [key]: value } };
    return `${variableOf("files")}=${shellWord(JSON.stringify(own))}`;
  }

  /**
   * Opens a text file.
   * @param spool a folder, to which standard input is copied.
   * @param isOfSeveral whether a flag would count for other files, too
   * @throws UserError if it cannot be read, or if its first bytes are not those of such a file
   */
  static async open(
    given: string,
    format: TextFormat,
    settings: SettingsOfFile,
    spool: string,
    isOfSeveral = false,
  ): Promise<TextInput> {
    const isStdin = given === STDIN;
    const path = isStdin ? join(spool, "stdin") : given;
    if (isStdin) await pipelineDone(stdin, createWriteStream(path));
    const name = nameOfSource(given);
    const purpose = isStdin ? "a command must write the records to it" : DB_PURPOSE;
    const stats = requireFile(path, purpose, name);
    const start = readBeginning(path);
    const isPacked = start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    let plain = start;
    if (isPacked) {
      plain = Buffer.alloc(0);
      for await (const bytes of bytesOf(path, name, true)) {
        plain = bytes.subarray(0, BEGINNING_BYTES);
        break;
      }
    }
    const found = foreignContent(name, plain, format, isPacked ? undefined : () => readJson(path));
    if (found !== undefined) throw foreignError(found);
    const encoding = settings.encoding ?? encodingOf(plain);
    return new TextInput(name, path, format, settings, stats, isPacked, encoding, isOfSeveral);
  }

  /** Whether a reading was of another file, which the path led to for a while: a link to a folder may change and change back. */
  #hasReadAnother = false;

  /** Whether the file has not been replaced or written to since it was opened. */
  isUnchanged(): boolean {
    return !this.#hasReadAnother && isUntouched(this.path, this.stats);
  }

  /**
   * Reads the text in pieces, without a byte order mark.
   * @param onRead called with the number of bytes that were read from the file so far.
   * @throws UserError with the line if it is not text in the encoding
   */
  async *read(onRead: (bytes: number) => void = () => {}): Text {
    const decoder = new TextDecoder(this.encoding, { fatal: true });
    let lines = 1;
    const decode = (bytes?: Buffer) => {
      try {
        return decoder.decode(bytes, { stream: bytes !== undefined });
      } catch (cause) {
        const text = new TextDecoder(this.encoding).decode(bytes);
        const [valid = ""] = text.split("\uFFFD");
        throw this.#undecodable(lines + countLines(valid), text, cause);
      }
    };
    const onOpen = (opened: BigIntStats) => {
      if (!isSameFile(opened, this.stats)) this.#hasReadAnother = true;
    };
    for await (const bytes of bytesOf(this.path, this.name, this.isPacked, { onOpen, onRead })) {
      const text = decode(bytes);
      yield text;
      lines += countLines(text);
    }
    yield decode();
  }

  /** @param text that holds the line, with U+FFFD for what does not fit */
  #undecodable(line: number, text: string, cause: unknown): UserError {
    const encoding = this.encoding.toUpperCase();
    const step =
      this.settings.encoding === undefined
        ? `save it as UTF-8, or name its encoding, as in ${this.#waysToSetEncoding(likelyEncoding(text))}; then compare some letters`
        : `name another encoding with ${this.nameOf("encoding")}`;
    return new UserError(`${this.name} is not text in ${encoding}, from line ${line} on; ${step}.`, { cause });
  }

  #waysToSetEncoding(encoding: string): string {
    const own = this.wayToSet("encoding", encoding);
    return this.isOfSeveral ? `${flagOf("encoding")} ${encoding} if all files have it, or ${own} for this one` : own;
  }
}

/** An encoding to try: UTF-16 has NUL beside each letter of English, and Excel for Mac ends lines with CR. */
function likelyEncoding(text: string): string {
  if (text.includes("\0")) return "utf-16le";
  return text.includes("\r") && !text.includes("\n") ? "macintosh" : "windows-1252";
}

interface Reading {
  /** Called with the stat of the file that was opened. */
  onOpen?: (stats: BigIntStats) => void;
  /** Called with the packed bytes that were read so far. */
  onRead?: (bytes: number) => void;
}

/** Reads the bytes of a file, unpacked. */
async function* bytesOf(
  path: string,
  name: string,
  isPacked: boolean,
  { onOpen, onRead }: Reading = {},
): AsyncGenerator<Buffer, void> {
  const fd = openSync(path, "r");
  const file = createReadStream(path, { fd });
  onOpen?.(fstatSync(fd, { bigint: true }));
  // An error of one stream ends both, and the loop throws it.
  const gunzip = isPacked ? createGunzip() : undefined;
  const plain = gunzip ? pipeline(file, gunzip, () => {}) : file;
  try {
    for await (const bytes of plain as AsyncIterable<Buffer>) {
      onRead?.(file.bytesRead);
      yield bytes;
    }
    if (gunzip) await requireNoRest(path, name, gunzip.bytesWritten);
  } catch (cause) {
    if (!codeOf(cause)?.startsWith("Z_")) throw cause;
    throw new UserError(`${name} is a damaged gzip file (${(cause as Error).message}); get it again.`, { cause });
  } finally {
    file.destroy();
  }
}

/**
 * zlib ignores everything from a NUL behind a member on, which may be another member.
 * @throws UserError if it is more than padding
 */
async function requireNoRest(path: string, name: string, from: number): Promise<void> {
  for await (const bytes of createReadStream(path, { start: from }) as AsyncIterable<Buffer>)
    if (bytes.some((byte) => byte !== 0))
      throw new UserError(`${name} is a damaged gzip file (other bytes follow NULs behind its data); get it again.`);
}

function countLines(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
