/** SHA256SUMS.minisig: minisign's signature of SHA256SUMS, read and checked in any runtime that has WebCrypto. */

import { encode } from "./bytes.js";
import { toHex } from "./checked.js";

/** A minisign public key. */
export interface PublicKey {
  /** As minisign prints it: `B007A6B5C2EBD069`. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** What the signer says of the release that was signed. */
export interface TrustedComment {
  /** The release's id. */
  readonly id: string;
  readonly baseUrl: string;
  /** When it was signed. */
  readonly time: Date;
}

export interface SignedSums {
  /** The bytes of SHA256SUMS. */
  readonly sums: Uint8Array;
  /** The text of SHA256SUMS.minisig. */
  readonly signature: string;
  /** Any one of them may have signed. */
  readonly keys: readonly PublicKey[];
}

export interface SignedRelease {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly id: string;
  /** An older signature is refused. */
  readonly maxAgeMs?: number | undefined;
}

/** A key that is none, or a signature that proves nothing. The message is the rest of a sentence about it: `is cut or changed`. */
export class SignatureError extends Error {}

const OTHER_FORM = "is cut, changed or of another form than Rollcall's";

/** A signer's clock may be ahead by so much. */
const MOST_AHEAD_MS = 300_000;

/**
 * Reads a public key: its line of 56 letters (`RW...`), or the text of the .pub file that `minisign -G` writes.
 * @throws SignatureError for anything else. Its message does not repeat the text, which may be a secret key.
 */
export function parsePublicKey(text: string): PublicKey {
  const [, line = ""] =
    /^(?:untrusted comment:.*\n)?(RW[Q-T][A-Za-z0-9+/]{53})$/.exec(text.replace(/\r/g, "").trim()) ?? [];
  const bytes = decode(line);
  if (bytes.length !== 42) throw new SignatureError("is no public key of minisign's: 56 letters, RW first");
  return { id: keyId(bytes), bytes: bytes.slice(10) };
}

/**
 * The text of a signature file, letter by letter: any other text is refused, so that no bit of it can change unnoticed.
 * @param made "Ed", the key's id, the signature of the file.
 * @param all the signature of that signature and the comment.
 */
export function signatureText(made: Uint8Array, comment: string, all: Uint8Array): string {
  return `untrusted comment: signature of SHA256SUMS by rollcall\n${base64(made)}\ntrusted comment: ${comment}\n${base64(all)}\n`;
}

/** What all that is signed together with the comment is made of. */
export function withComment(signature: Uint8Array, comment: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...signature, ...encode(comment)]);
}

/** @throws SignatureError, with the rest of a sentence about SHA256SUMS.minisig, when none of the keys has signed. */
export async function checkSignature({ sums, signature, keys }: SignedSums): Promise<TrustedComment> {
  const [, first = "", line = "", last = ""] = signature.split("\n");
  const comment = line.slice("trusted comment: ".length);
  const [made, all] = [decode(first), decode(last)];
  if (made.length !== 74 || !/^RW[Q-T]/.test(first) || signatureText(made, comment, all) !== signature)
    throw new SignatureError(OTHER_FORM);
  const [id, own] = [keyId(made), made.slice(10)];
  const known = keys.filter((key) => key.id === id);
  if (known.length === 0)
    throw new SignatureError(`is of the key ${id}, where one of ${keys.map((key) => key.id).join(", ")} is demanded`);
  let why = "does not fit SHA256SUMS: either is changed, or of another release";
  for (const { bytes } of known) {
    const key = await importKey(bytes);
    if (!(await crypto.subtle.verify("Ed25519", key, own, new Uint8Array(sums)))) continue;
    if (await crypto.subtle.verify("Ed25519", key, all, withComment(own, comment))) return parseComment(comment);
    why = "has a changed trusted comment";
  }
  throw new SignatureError(why);
}

function importKey(bytes: Uint8Array) {
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), "Ed25519", false, ["verify"]).catch((cause) => {
    throw new SignatureError("cannot be checked here: this runtime's WebCrypto has no Ed25519", { cause });
  });
}

/** @throws SignatureError when the signature is of another release than the one that is expected, or too old. */
export function checkTrustedComment(said: TrustedComment, expected: SignedRelease): void {
  const { baseUrl, id, maxAgeMs } = expected;
  const [age, when] = [Date.now() - said.time.getTime(), said.time.toISOString()];
  if (said.baseUrl !== baseUrl) throw new SignatureError(`is of a release of ${said.baseUrl}, not of ${baseUrl}`);
  if (said.id !== id) throw new SignatureError(`is of release ${said.id}, not of ${id}`);
  if (age < -MOST_AHEAD_MS) throw new SignatureError(`is of ${when}, which is in the future`);
  if (maxAgeMs !== undefined && age > maxAgeMs)
    throw new SignatureError(`is of ${when}, which is longer ago than is allowed`);
}

/** The trusted comment of a release. */
export function trustedComment({ id, baseUrl, time }: TrustedComment): string {
  return `rollcall id:${id} base_url:${baseUrl} time:${time.toISOString()}`;
}

function parseComment(text: string): TrustedComment {
  const [, id = "", baseUrl = "", at = ""] = /^rollcall id:(\S+) base_url:(\S+) time:(\S+)$/.exec(text) ?? [];
  const said = { id, baseUrl, time: new Date(at) };
  if (Number.isNaN(said.time.getTime()) || trustedComment(said) !== text) throw new SignatureError(OTHER_FORM);
  return said;
}

/** The id in a key or signature, behind its two letters: minisign shows the eight bytes as a number whose first byte is the least. */
export function keyId(bytes: Uint8Array): string {
  // A copy, which the slice of a Buffer is not.
  return toHex(Uint8Array.from(bytes.slice(2, 10)).reverse()).toUpperCase();
}

/** No bytes where the text is not Base64. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
