/** Reads and verifies SHA256SUMS.minisig, the minisign signature of SHA256SUMS, with WebCrypto. */
import { SIGNATURE } from "../core/contract/links.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import { toHex } from "./digests.js";
import { ListingError, quoted, usage } from "./errors.js";
import type { Bytes } from "./requests.js";
import { decodeText, encode } from "./utf8.js";
import type { Host } from "./view.js";

/** A minisign public key. */
export interface PublicKey {
  /** In minisign's notation: `B007A6B5C2EBD069`. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** The trusted comment of a signature. */
export interface TrustedComment {
  /** The release's id. */
  readonly id: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** When it was signed. */
  readonly time: Date;
}

/** An invalid key or signature. The message continues a sentence about it: `is damaged`. */
export class SignatureError extends Error {}

const OTHER_FORM = "is damaged, or not in Rollcall's form";
const OTHER_KEY = "is by the key";

/** Tolerance for signers' clocks that are ahead. */
const MOST_AHEAD_MS = 300_000;

/**
 * Verifies that one of the keys has signed a release for this base URL and id. @returns the time of the signature; an error if
 * another key has signed, since a retry would not change that
 * @throws ListingError (signature), or (usage) for a text that is not a key
 */
export async function signedAt(
  { baseUrl, keys: texts, options: { maxAgeMs } }: Host,
  sums: Bytes,
  { id, base_url }: Pick<Snapshot, "id" | "base_url">,
  signature: Bytes,
): Promise<Date | ListingError> {
  const url = `${baseUrl}/${SIGNATURE}`;
  const keys = texts.map((text) => {
    try {
      return parsePublicKey(text);
    } catch (error) {
      throw usage(baseUrl, `cannot be read with a publicKey that ${(error as Error).message}`);
    }
  });
  try {
    const said = await checkSignature({ sums, signature: decodeText(signature, url), keys });
    checkTrustedComment(said, { baseUrl, id, maxAgeMs });
    if (base_url !== baseUrl)
      throw new SignatureError(`signs a snapshot.json of ${quoted(base_url)}, not of ${baseUrl}`);
    return said.time;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { message } = error;
    const expected = `one by ${keys.map((key) => key.id).join(" or ")} of release ${id} of ${baseUrl}`;
    const why = new ListingError("signature", url, "is refused", expected, `one that ${message}`, error);
    if (message.startsWith(OTHER_KEY)) return why;
    throw why;
  }
}

/**
 * Parses a public key: its line of 56 characters (`RW...`), or the text of the .pub file that `minisign -G` writes.
 * @throws SignatureError for anything else. Its message does not repeat the text, which may be a secret key.
 */
export function parsePublicKey(text: string): PublicKey {
  const [, line = ""] =
    /^(?:untrusted comment:.*\n)?(RW[Q-T][A-Za-z0-9+/]{53})$/.exec(text.replace(/\r/g, "").trim()) ?? [];
  const bytes = decode(line);
  if (bytes.length !== 42) throw new SignatureError("is not a minisign public key (56 characters, RW first)");
  return { id: keyId(bytes), bytes: bytes.slice(10) };
}

/**
 * Writes a signature file. Readers refuse any other text, so that no bit can change unnoticed.
 * @param made "Ed", the key's id, the signature of the file.
 * @param all the signature of that signature and the comment.
 */
export function signatureText(made: Uint8Array, comment: string, all: Uint8Array): string {
  return `untrusted comment: signature of SHA256SUMS by rollcall\n${base64(made)}\ntrusted comment: ${comment}\n${base64(all)}\n`;
}

/** Appends the comment to the signature: the bytes of the second signature. */
export function withComment(signature: Uint8Array, comment: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...signature, ...encode(comment)]);
}

/** Verifies a signature, and returns its trusted comment. @throws SignatureError if none of the keys has signed */
export async function checkSignature({
  sums,
  signature,
  keys,
}: {
  sums: Uint8Array;
  signature: string;
  keys: readonly PublicKey[];
}): Promise<TrustedComment> {
  const [, first = "", line = "", last = ""] = signature.split("\n");
  const comment = line.slice("trusted comment: ".length);
  const made = decode(first);
  const all = decode(last);
  if (made.length !== 74 || !/^RW[Q-T]/.test(first) || signatureText(made, comment, all) !== signature)
    throw new SignatureError(OTHER_FORM);
  const id = keyId(made);
  const own = made.slice(10);
  const known = keys.filter((key) => key.id === id);
  if (known.length === 0)
    throw new SignatureError(`${OTHER_KEY} ${id}, but one of ${keys.map((key) => key.id).join(", ")} is required`);
  let why = "does not match SHA256SUMS: one of them is changed, or of another release";
  for (const { bytes } of known) {
    const key = await crypto.subtle
      .importKey("raw", new Uint8Array(bytes), "Ed25519", false, ["verify"])
      .catch((cause) => {
        throw new SignatureError("cannot be checked here: this runtime's WebCrypto has no Ed25519", { cause });
      });
    if (!(await crypto.subtle.verify("Ed25519", key, own, new Uint8Array(sums)))) continue;
    if (await crypto.subtle.verify("Ed25519", key, all, withComment(own, comment))) return parseComment(comment);
    why = "has a changed trusted comment";
  }
  throw new SignatureError(why);
}

/** Checks a trusted comment. @throws SignatureError if it is of another release, or older than `maxAgeMs` */
export function checkTrustedComment(
  said: TrustedComment,
  { baseUrl, id, maxAgeMs }: Pick<TrustedComment, "baseUrl" | "id"> & { readonly maxAgeMs?: number | undefined },
): void {
  const age = Date.now() - said.time.getTime();
  const when = said.time.toISOString();
  if (said.baseUrl !== baseUrl) throw new SignatureError(`is of a release of ${said.baseUrl}, not of ${baseUrl}`);
  if (said.id !== id) throw new SignatureError(`is of release ${said.id}, not of ${id}`);
  if (age < -MOST_AHEAD_MS) throw new SignatureError(`is of ${when}, which is in the future`);
  if (maxAgeMs !== undefined && age > maxAgeMs) throw new SignatureError(`is of ${when}, which is older than allowed`);
}

/** Writes the trusted comment of a release. */
export function trustedComment({ id, baseUrl, time }: TrustedComment): string {
  return `rollcall id:${id} base_url:${baseUrl} time:${time.toISOString()}`;
}

function parseComment(text: string): TrustedComment {
  const [, id = "", baseUrl = "", at = ""] = /^rollcall id:(\S+) base_url:(\S+) time:(\S+)$/.exec(text) ?? [];
  const said = { id, baseUrl, time: new Date(at) };
  if (Number.isNaN(said.time.getTime()) || trustedComment(said) !== text) throw new SignatureError(OTHER_FORM);
  return said;
}

/** Reads the id of a key or signature, which minisign prints as a little-endian number of eight bytes. */
export function keyId(bytes: Uint8Array): string {
  // Uint8Array.from, since the slice of a Buffer shares its memory.
  return toHex(Uint8Array.from(bytes.slice(2, 10)).reverse()).toUpperCase();
}

/** Decodes Base64; empty for invalid text. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
