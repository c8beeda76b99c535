/** Who has signed a release, when, and for which base URL: the row `signature`, on disk and by URL alike. */
import {
  checkSignature,
  checkTrustedComment,
  type PublicKey,
  parsePublicKey,
  SignatureError,
} from "../client/signature.js";
import { usageError } from "../errors.js";
import { SIGNATURE } from "../release/layout.js";
import { isPublicKey, publicKeyOf } from "../settings/keys.js";
import { toMilliseconds } from "../settings/kinds.js";
import type { OptionsOf } from "../settings/settings.js";
import type { Finding, Findings } from "./verdict.js";

export const SIGNATURE_ROW = {
  name: "signature",
  rule: "SHA256SUMS is signed with one of the given keys, for this release and this base URL",
} as const;

/** What is demanded of a signature. */
export interface Demand {
  keys: readonly PublicKey[];
  maxAgeMs: number | undefined;
}

/** What is there of a signed release. Where something of it cannot be read, another row says so. */
export interface Signed {
  sums: Uint8Array | undefined;
  signature: string | undefined;
  id: string | undefined;
  baseUrl: string | undefined;
}

/**
 * Undefined where no key is given.
 * @param cwd that paths of keys start from.
 * @throws UserError when one of them is no public key, or cannot be read; none of its content is repeated.
 */
export function readDemand({ key, maxAge }: OptionsOf<"key" | "maxAge">, cwd: string): Demand | undefined {
  if (key !== undefined)
    return {
      keys: key.map((text) => readKey(text, cwd)),
      maxAgeMs: maxAge === undefined ? maxAge : toMilliseconds(maxAge),
    };
  if (maxAge === undefined) return undefined;
  throw usageError("--max-age (maxAge) says how old a signature may be: give --key (key), too.");
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

/** Undefined where a finding says what is wrong. */
export type SignatureResult = { skipped: string } | { signedAt: Date } | undefined;

/** What was checked, as a cell of the report. */
export function describeSigned(result: SignatureResult): string {
  if (result && "signedAt" in result) return `signed ${result.signedAt.toISOString()}`;
  return result?.skipped === UNSIGNED ? "none" : SIGNATURE;
}

const UNSIGNED = "it has none";

/** Why there was nothing to check; undefined where there was. */
export function whySkipped(result: SignatureResult): string | undefined {
  return result && "skipped" in result ? result.skipped : undefined;
}

/**
 * @param place of the signature: its path, or its URL.
 * @returns why there was nothing to check, and else what was found out.
 */
export async function checkSigned(
  place: Pick<Finding, "path" | "url">,
  { sums, signature, id, baseUrl }: Signed,
  demand: Demand | undefined,
  findings: Findings,
): Promise<SignatureResult> {
  if (!demand) return { skipped: signature === undefined ? UNSIGNED : "there is one; --key proves it" };
  const expected = `one with the key ${demand.keys.map((key) => key.id).join(" or ")}`;
  const add = (found: string) => findings.add({ check: SIGNATURE_ROW.name, ...place, found, expected });
  if (signature === undefined || sums === undefined) {
    add(signature === undefined ? "no signature" : "a signature, and no SHA256SUMS that it could be of");
    return undefined;
  }
  try {
    const said = await checkSignature({ sums, signature, keys: demand.keys });
    checkTrustedComment(said, { id: id ?? said.id, baseUrl: baseUrl ?? said.baseUrl, maxAgeMs: demand.maxAgeMs });
    return { signedAt: said.time };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    add(`one that ${error.message}`);
    return undefined;
  }
}
