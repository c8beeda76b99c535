/** Signs SHA256SUMS as minisign does, with a key whose password is tried before anything is signed. */
import { createPrivateKey, createPublicKey, type KeyObject, scrypt, sign } from "node:crypto";
import { promisify } from "node:util";
import { keyId, signatureText, type TrustedComment, trustedComment, withComment } from "../../client/signature.js";
import { UserError, usageError } from "../../errors.js";
import { type LockedKey, readSecretKey } from "./file.js";

export interface Signer {
  /** The id of its key, as minisign shows it. */
  key: string;
  /** @returns the text of SHA256SUMS.minisig. */
  sign(sums: Uint8Array, release: TrustedComment): string;
}

/** The password of a key, or what gives it when it is needed. Bytes are overwritten afterwards, as text cannot be. */
export type Password = PasswordText | (() => PasswordText | Promise<PasswordText>);
type PasswordText = string | Uint8Array;

/** @throws UserError when the file holds no secret key of minisign's, or the password is not its own. */
export async function openSigner(path: string, password: Password | undefined): Promise<Signer> {
  const locked = readSecretKey(path);
  const { secret } = locked;
  try {
    await unlock(locked, password);
    const begin = Buffer.concat([Buffer.from("Ed"), secret.subarray(0, 8)]);
    const key = privateKeyOf(secret);
    if (!key) {
      const why = locked.lock ? "the password is wrong, or the file is damaged" : "the file is damaged";
      throw new UserError(`${locked.name} cannot be used: ${why}; nothing was built.`);
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

/** OpenSSL needs a little more than the key's own limit. */
const SPARE_BYTES = 2 ** 26;

async function unlock({ name, lock, secret }: LockedKey, password: Password | undefined): Promise<void> {
  if (!lock) return;
  const { salt, opsLimit, memLimit } = lock;
  if (password === undefined) throw usageError(`${name} has a password; give it as signPassword.`);
  const bytes = Buffer.from(typeof password === "function" ? await password() : password);
  try {
    const stream = await stretch(bytes, salt, secret.length, {
      ...costOf(opsLimit, memLimit),
      maxmem: memLimit + SPARE_BYTES,
    });
    for (const [at, byte] of stream.entries()) secret[at] = (secret[at] ?? 0) ^ byte;
    stream.fill(0);
  } catch (cause) {
    const gibibytes = memLimit / 2 ** 30;
    throw new UserError(
      `${name} cannot be unlocked, for which minisign's scrypt needs ${gibibytes} GiB of memory; give this run that much, or make a key without a password (minisign -G -W).`,
      { cause },
    );
  } finally {
    bytes.fill(0);
  }
}

interface Cost {
  N: number;
  r: number;
  p: number;
}

const stretch = promisify<Uint8Array, Uint8Array, number, Cost & { maxmem: number }, Buffer>(scrypt);

/** What libsodium makes of its two limits. */
function costOf(opsLimit: number, memLimit: number): Cost {
  const r = 8;
  const most = opsLimit < memLimit / 32 ? opsLimit / (r * 4) : memLimit / (r * 128);
  let N = 2;
  while (N <= most / 2) N *= 2;
  return { N, r, p: opsLimit < memLimit / 32 ? 1 : Math.max(1, Math.floor(opsLimit / 4 / N / r)) };
}

/** What stands before the 32 bytes of a private key in PKCS #8. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Undefined when the second half of the key is not its public key: then the first half is not the seed. */
function privateKeyOf(secret: Buffer): KeyObject | undefined {
  const der = Buffer.concat([PKCS8, secret.subarray(8, 40)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  const own = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  return own.equals(secret.subarray(40, 72)) ? key : undefined;
}
