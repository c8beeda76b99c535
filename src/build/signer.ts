/** Signs SHA256SUMS as minisign does. No message contains the secret key or its password. */
import { createPrivateKey, createPublicKey, type KeyObject, scrypt, sign } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { keyId, signatureText, type TrustedComment, trustedComment, withComment } from "../client/signature.js";
import { UserError, unreadableFile, usageError } from "../core/errors.js";

export interface Signer {
  /** The id of its key, as minisign shows it. */
  key: string;
  /** Signs the bytes of SHA256SUMS. @returns the text of SHA256SUMS.minisig. */
  sign(sums: Uint8Array, release: TrustedComment): string;
}

/** The password of a key, or a function that asks for it when it is needed. Bytes are overwritten afterwards. */
export type Password = PasswordText | (() => PasswordText | Promise<PasswordText>);
type PasswordText = string | Uint8Array;

/** The encryption of a secret key: scrypt's salt and limits. */
interface Lock {
  salt: Buffer;
  opsLimit: number;
  memLimit: number;
}

const PURPOSE = "--sign-key names the file of a secret key that minisign -G has made";

/** Maximum size of a key file. A comment and a line of Base64 are far shorter. */
const MOST_FILE_BYTES = 4096;
const KEY_BYTES = 158;
const SECRET_BYTES = 104;

/** Allowed scrypt limits: from minisign's smallest fallback to its default. Larger ones could take all memory, or hours. */
const OPS = { min: 2 ** 15, max: 2 ** 25 };
const MEMORY = { min: 2 ** 24, max: 2 ** 30 };
/** OpenSSL needs a little more memory than the key's own limit. */
const SPARE_BYTES = 2 ** 26;

/** Reads and decrypts a secret key. @throws UserError if the file is not a minisign secret key, or the password is wrong. */
export async function openSigner(path: string, password: Password | undefined): Promise<Signer> {
  const { lock, secret } = readSecretKey(path);
  try {
    if (lock) await unlock(path, lock, secret, password);
    const begin = Buffer.concat([Buffer.from("Ed"), secret.subarray(0, 8)]);
    const key = privateKeyOf(secret);
    if (!key) {
      const why = lock ? "the password is wrong, or the file is damaged" : "the file is damaged";
      throw new UserError(`${path} cannot be used: ${why}; nothing was built.`);
    }
    return {
      key: keyId(begin),
      sign(sums, release) {
        const own = sign(null, sums, key);
        const comment = trustedComment(release);
        const all = sign(null, withComment(own, comment), key);
        return signatureText(Buffer.concat([begin, own]), comment, all);
      },
    };
  } finally {
    secret.fill(0);
  }
}

/** Reads a key file. @returns the key's id (8 bytes), seed (32), public key (32) and checksum (32), encrypted if there is a `lock`. */
function readSecretKey(path: string): { secret: Buffer; lock: Lock | undefined } {
  const refuse = (why: string) => new UserError(`${path} ${why}; ${PURPOSE}.`);
  const text = readSmall(path, refuse);
  const [, line = ""] = text.split("\n");
  const key = Buffer.from(line, "base64");
  const mistake = findMistake(text, key);
  if (mistake !== undefined) throw refuse(mistake);
  const secret = key.subarray(KEY_BYTES - SECRET_BYTES);
  if (key.readUInt16BE(2) === 0) return { lock: undefined, secret };
  const opsLimit = Number(key.readBigUInt64LE(38));
  const memLimit = Number(key.readBigUInt64LE(46));
  if (opsLimit < OPS.min || opsLimit > OPS.max || memLimit < MEMORY.min || memLimit > MEMORY.max)
    throw refuse(`has scrypt limits that minisign does not use (${opsLimit} operations, ${memLimit} bytes)`);
  return { lock: { salt: key.subarray(6, 38), opsLimit, memLimit }, secret };
}

function readSmall(path: string, refuse: (why: string) => UserError): string {
  const reading = <T>(read: () => T): T => {
    try {
      return read();
    } catch (cause) {
      throw unreadableFile(path, PURPOSE, cause);
    }
  };
  // `statSync` follows links, since mounted secrets are links.
  const stats = reading(() => statSync(path));
  if (stats.isDirectory()) throw refuse("is a folder");
  if (!stats.isFile()) throw refuse("is not a plain file");
  if (stats.size > MOST_FILE_BYTES) throw refuse(`has ${stats.size} bytes, more than a minisign key`);
  return reading(() => readFileSync(path, "latin1"));
}

/** Why this is not a secret key, as the end of a sentence that begins with the file; undefined if it is one. */
function findMistake(text: string, key: Buffer): string | undefined {
  const begins = (letters: string) => key.toString("latin1", 0, letters.length) === letters;
  if (text === "") return "is empty";
  if (!text.startsWith("untrusted comment:")) return "is not in minisign's format, a comment and a line of Base64";
  if (key.length === 42 && begins("Ed")) return "is a public key";
  if (key.length === 74 && (begins("Ed") || begins("ED"))) return "is a signature";
  if (key.length !== KEY_BYTES) return "is truncated, or not a key";
  if (!begins("Ed")) return "is not an Ed25519 key";
  if (!begins("EdSc") && !begins("Ed\0\0")) return "is not encrypted with minisign's scrypt";
  return begins(`${key.toString("latin1", 0, 4)}B2`) ? undefined : "does not have minisign's BLAKE2b checksum";
}

/** Decrypts the secret in place. @throws UserError without a password, or without enough memory for scrypt. */
async function unlock(path: string, lock: Lock, secret: Buffer, password: Password | undefined): Promise<void> {
  if (password === undefined) throw usageError(`${path} has a password; give it as signPassword.`);
  const bytes = Buffer.from(typeof password === "function" ? await password() : password);
  try {
    const stream = await stretch(bytes, lock.salt, secret.length, costOf(lock));
    for (const [at, byte] of stream.entries()) secret[at] = (secret[at] ?? 0) ^ byte;
  } catch (cause) {
    throw new UserError(
      `${path} cannot be decrypted: minisign's scrypt needs ${lock.memLimit / 2 ** 30} GiB of memory; give this run that much, or make a key without a password (minisign -G -W).`,
      { cause },
    );
  } finally {
    bytes.fill(0);
  }
}

type Cost = Record<"N" | "r" | "p" | "maxmem", number>;

const stretch = promisify<Uint8Array, Uint8Array, number, Cost, Buffer>(scrypt);

/** scrypt's parameters, as libsodium derives them from its two limits. */
function costOf({ opsLimit, memLimit }: Lock): Cost {
  const r = 8;
  const isShort = opsLimit < memLimit / 32;
  const most = isShort ? opsLimit / (r * 4) : memLimit / (r * 128);
  let N = 2;
  while (N <= most / 2) N *= 2;
  const p = isShort ? 1 : Math.max(1, Math.floor(opsLimit / 4 / N / r));
  return { N, r, p, maxmem: memLimit + SPARE_BYTES };
}

/** The PKCS #8 header of an Ed25519 private key. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The key object of a decrypted secret; undefined if its public key does not match its seed. */
function privateKeyOf(secret: Buffer): KeyObject | undefined {
  const der = Buffer.concat([PKCS8, secret.subarray(8, 40)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  const own = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  return own.equals(secret.subarray(40, 72)) ? key : undefined;
}
