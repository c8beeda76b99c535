/** Reads the file of a minisign secret key. Its bytes are overwritten where they are not needed any more, and no message repeats them. */
import { constants, fstatSync, openSync, readSync } from "node:fs";
import { UserError, unreadable } from "../../errors.js";
import { closing } from "../files.js";

/** A key as it is in its file: its own bytes may be hidden by a password. */
export interface LockedKey {
  /** The file, as messages name it. */
  name: string;
  /** How the password becomes what the bytes are hidden by; undefined for a key without a password. */
  lock: { salt: Buffer; opsLimit: number; memLimit: number } | undefined;
  /** The key's id (8 bytes), the seed (32), the public key (32) and a checksum (32). */
  secret: Buffer;
}

/** A comment and a line of Base64, with much space to spare. */
const MOST_BYTES = 4096;
const KEY_BYTES = 158;
const PURPOSE = "--sign-key names the file of a secret key that minisign -G has made";

/**
 * What minisign asks for itself, and the least that it falls back to where memory is short. More would take the memory
 * and the time of whoever is given such a file.
 */
const OPS = { min: 2 ** 15, max: 2 ** 25 };
const MEMORY = { min: 2 ** 24, max: 2 ** 30 };

/** @throws UserError for anything that is no secret key of minisign's. */
export function readSecretKey(name: string): LockedKey {
  const refuse = (why: string) => new UserError(`${name} ${why}; ${PURPOSE}.`);
  const text = readSmall(name, refuse);
  const key = decodeLine(text);
  try {
    const mistake = whyNoKey(text, key);
    if (mistake !== undefined) throw refuse(mistake);
    const secret = Buffer.alloc(104);
    key.copy(secret, 0, 54);
    if (key.readUInt16BE(2) === 0) return { name, lock: undefined, secret };
    const [opsLimit, memLimit] = [Number(key.readBigUInt64LE(38)), Number(key.readBigUInt64LE(46))];
    if (!isWithin(opsLimit, OPS) || !isWithin(memLimit, MEMORY))
      throw refuse(`asks for other work than minisign's own keys do (${opsLimit} operations, ${memLimit} bytes)`);
    return { name, lock: { salt: Buffer.from(key.subarray(6, 38)), opsLimit, memLimit }, secret };
  } finally {
    text.fill(0);
    key.fill(0);
  }
}

function readSmall(path: string, refuse: (why: string) => UserError): Buffer {
  let file: number;
  try {
    // A link is followed, as that of a mounted secret is; a pipe is not waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw unreadable(path, PURPOSE, cause);
  }
  return closing(file, () => {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw refuse("is a folder");
    if (!stats.isFile()) throw refuse("is no plain file");
    if (stats.size > MOST_BYTES) throw refuse(`has ${stats.size} bytes, which no key of minisign's has`);
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes));
  });
}

/** As the rest of a sentence about the file. */
function whyNoKey(text: Buffer, key: Buffer): string | undefined {
  const begins = (letters: string) => key.toString("latin1", 0, letters.length) === letters;
  if (text.length === 0) return "is empty";
  if (!text.toString("latin1", 0, 18).startsWith("untrusted comment:"))
    return "is not of minisign's form, a comment and a line of Base64";
  if (key.length === 42 && begins("Ed")) return "is a public key";
  if (key.length === 74 && (begins("Ed") || begins("ED"))) return "is a signature";
  if (key.length !== KEY_BYTES) return "is cut, or no key";
  if (!begins("Ed")) return "is a key of another algorithm than Ed25519";
  if (!begins("EdSc") && !begins("Ed\0\0")) return "is protected in another way than minisign's scrypt";
  return begins(`${key.toString("latin1", 0, 4)}B2`) ? undefined : "has another checksum than minisign's BLAKE2b";
}

function isWithin(value: number, { min, max }: { min: number; max: number }): boolean {
  return value >= min && value <= max;
}

const LETTERS = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const [NEWLINE, RETURN, PADDING] = [0x0a, 0x0d, 0x3d];

/**
 * Decodes the second line of a file. Bytes become bytes, since a text in between could not be overwritten.
 * @returns no bytes where another letter than those of Base64 is in it, or another line follows.
 */
function decodeLine(text: Buffer): Buffer {
  const bytes = Buffer.alloc(text.length);
  let [bits, held, length] = [0, 0, 0];
  let at = text.indexOf(NEWLINE) + 1;
  for (; at > 0 && at < text.length; at++) {
    const value = LETTERS.indexOf(text.readUInt8(at));
    if (value < 0) break;
    [bits, held] = [(bits << 6) | value, held + 6];
    if (held < 8) continue;
    held -= 8;
    bytes[length++] = bits >> held;
    bits &= (1 << held) - 1;
  }
  const isEnd = text.subarray(at).every((letter) => [NEWLINE, RETURN, PADDING].includes(letter));
  return bytes.subarray(0, isEnd ? length : 0);
}
