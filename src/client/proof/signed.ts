/** The signature of SHA256SUMS, where one is demanded. */
import type { Snapshot } from "../../contract/snapshot.js";
import { textOf } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import { checkSignature, checkTrustedComment, type PublicKey, parsePublicKey, SignatureError } from "../signature.js";
import type { Bytes } from "../transfer.js";
import { type Host, readProof, type Try } from "./files.js";

/** Lies beside SHA256SUMS, which does not list it. */
const SIGNATURE = "SHA256SUMS.minisig";
const SIGNATURE_BYTES = 4096;

/**
 * When a release was signed: with one of the keys, for this base URL and this id.
 * @throws ListingError (signature), or (usage) for a key that is none.
 */
export async function readSigned(host: Host, sums: Bytes, { id, base_url }: Snapshot, how: Try): Promise<Date> {
  const { baseUrl, maxAgeMs } = host;
  const url = `${baseUrl}/${SIGNATURE}`;
  const keys = host.keys.map((key) => keyOf(key, baseUrl));
  try {
    const signature = textOf(await readProof(host, SIGNATURE, SIGNATURE_BYTES, how), url);
    const said = await checkSignature({ sums, signature, keys });
    checkTrustedComment(said, { baseUrl, id, maxAgeMs });
    if (base_url === baseUrl) return said.time;
  } catch (error) {
    if (error instanceof SignatureError)
      throw new ListingError("signature", url, error.message, undefined, undefined, error);
    if (!(error instanceof ListingError) || error.code !== "unproved") throw error;
    throw new ListingError("signature", url, "is not there, where a signature is demanded", "200", error.received);
  }
  const why = "is signed, but its snapshot.json is of another base URL";
  throw new ListingError("signature", url, why, baseUrl, quoted(base_url));
}

function keyOf(text: string, baseUrl: string): PublicKey {
  try {
    return parsePublicKey(text);
  } catch (error) {
    const why = error instanceof SignatureError ? error.message : String(error);
    throw new ListingError("usage", baseUrl, `is to be read with a publicKey that ${why}`);
  }
}
