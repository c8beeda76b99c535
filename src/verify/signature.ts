/** The row `signature`: whether a release is signed with a given key, for its id and base URL, and recently enough. */
import {
  checkSignature,
  checkTrustedComment,
  type PublicKey,
  parsePublicKey,
  SignatureError,
} from "../client/signature.js";
import { usageError } from "../core/errors.js";
import { SIGNATURE } from "../core/release/layout.js";
import { isPublicKey, publicKeyOf } from "../core/settings/keys.js";
import { toMilliseconds } from "../core/settings/kinds.js";
import type { OptionsOf } from "../core/settings/settings.js";
import type { Finding, Findings } from "./verdict.js";

export const SIGNATURE_ROW = {
  name: "signature",
  rule: "SHA256SUMS is signed with one of the given keys, for this release and this base URL",
} as const;

/** The keys that may have signed, and the maximum age of a signature. */
export interface SignatureTrust {
  keys: readonly PublicKey[];
  maxAgeMs: number | undefined;
}

/** The signed parts of a release. Another row reports parts that cannot be read. */
export interface Signed {
  sums: Uint8Array | undefined;
  signature: string | undefined;
  id: string | undefined;
  baseUrl: string | undefined;
}

/**
 * Reads the keys; undefined if no key is given.
 * @param cwd the folder that paths of keys are resolved against.
 * @throws UserError if one is not a public key, or cannot be read. The message does not repeat its content.
 */
export function readTrust({ key, maxAge }: OptionsOf<"key" | "maxAge">, cwd: string): SignatureTrust | undefined {
  if (key !== undefined)
    return {
      keys: key.map((text) => readKey(text, cwd)),
      maxAgeMs: maxAge === undefined ? maxAge : toMilliseconds(maxAge),
    };
  if (maxAge === undefined) return undefined;
  throw usageError("--max-age (maxAge) is the maximum age of a signature: give --key (key), too.");
}

function readKey(given: string, cwd: string): PublicKey {
  const name = isPublicKey(given) ? "--key" : given;
  try {
    return parsePublicKey(publicKeyOf(given, cwd));
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw usageError(`${name} ${error.message}; give the key that minisign -G has printed, or its file minisign.pub.`);
  }
}

/** The cell of the report, and why there was nothing to check. */
export interface SignatureResult {
  cell: string;
  skipped?: string;
}

/**
 * Checks a signature, and adds findings.
 * @param place the path or the URL of the signature.
 */
export async function checkSigned(
  place: Pick<Finding, "path" | "url">,
  { sums, signature, id, baseUrl }: Signed,
  trust: SignatureTrust | undefined,
  findings: Findings,
): Promise<SignatureResult> {
  if (!trust && signature === undefined) return { cell: "none", skipped: "it has none" };
  if (!trust) return { cell: SIGNATURE, skipped: "there is one; --key verifies it" };
  const expected = `one with the key ${trust.keys.map((key) => key.id).join(" or ")}`;
  const add = (found: string) => findings.add({ check: SIGNATURE_ROW.name, ...place, found, expected });
  if (signature === undefined || sums === undefined) {
    add(signature === undefined ? "no signature" : "a signature without SHA256SUMS");
    return { cell: SIGNATURE };
  }
  try {
    const said = await checkSignature({ sums, signature, keys: trust.keys });
    checkTrustedComment(said, { id: id ?? said.id, baseUrl: baseUrl ?? said.baseUrl, maxAgeMs: trust.maxAgeMs });
    return { cell: `signed ${said.time.toISOString()}` };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    add(`one that ${error.message}`);
    return { cell: SIGNATURE };
  }
}
