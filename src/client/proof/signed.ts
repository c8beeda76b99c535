/** The signature of SHA256SUMS, where one is demanded. */
import type { Snapshot } from "../../contract/snapshot.js";
import { textOf } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import { checkSignature, checkTrustedComment, type PublicKey, parsePublicKey, SignatureError } from "../signature.js";
import type { Bytes } from "../transfer.js";
import type { Host } from "./view.js";

/** What was read of a release, to be checked. */
interface Signed {
  sums: Bytes;
  snapshot: Snapshot;
  /** The signature's own URL and bytes. */
  url: string;
  signature: Bytes;
}

/**
 * When a release was signed: with one of the keys, for this base URL and this id. An error where another key has signed,
 * which another try would not change.
 * @throws ListingError (signature), or (usage) for a key that is none.
 */
export async function signedAt(host: Host, { sums, snapshot, url, signature }: Signed): Promise<Date | ListingError> {
  const { baseUrl, maxAgeMs } = host;
  const keys = host.keys.map((key) => keyOf(key, baseUrl));
  const { id, base_url } = snapshot;
  try {
    const said = await checkSignature({ sums, signature: textOf(signature, url), keys });
    checkTrustedComment(said, { baseUrl, id, maxAgeMs });
    if (base_url !== baseUrl)
      throw new SignatureError(`signs a snapshot.json of ${quoted(base_url)}, not of ${baseUrl}`);
    return said.time;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { message } = error;
    const demanded = `one by ${keys.map((key) => key.id).join(" or ")} of release ${id} of ${baseUrl}`;
    const why = new ListingError("signature", url, "is refused", demanded, `one that ${message}`, error);
    if (message.startsWith("is of the key")) return why;
    throw why;
  }
}

function keyOf(text: string, baseUrl: string): PublicKey {
  try {
    return parsePublicKey(text);
  } catch (error) {
    throw new ListingError("usage", baseUrl, `is to be read with a publicKey that ${(error as Error).message}`);
  }
}
