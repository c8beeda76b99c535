/** Reads a page's files: the plain one and its compressed variants, which must decompress to it. */
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Encoding } from "../../contract/headers.js";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { MAX_PAGE, readReleaseFileSync, sha256 } from "../../release/files.js";
import { pagePath, type Variant } from "../../release/layout.js";
import type { Findings } from "../verdict.js";

const DECODERS: Record<Encoding, (bytes: Buffer, limit: { maxOutputLength: number }) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/**
 * Compares a page's files with their digests and each other.
 * @param digestOf undefined where there is no digest to compare with.
 * @returns the plain bytes; undefined where there is no plain file.
 */
export function readVariants(
  folder: string,
  page: number,
  variants: readonly Variant[],
  digestOf: (variant: Variant) => string | undefined,
  findings: Findings,
): Buffer | undefined {
  let plain: Buffer | undefined;
  for (const variant of variants) {
    const path = pagePath(page, variant);
    const bytes = read(join(folder, path));
    if (bytes === "too large") {
      const expected = `at most ${MAX_PAGE} bytes`;
      findings.add({ check: "pages", path, page, found: "a file that is too large", expected });
      continue;
    }
    if (!bytes) continue;
    const [found, expected] = [sha256(bytes), digestOf(variant)];
    if (expected !== undefined && found !== expected) findings.add({ check: "digests", path, page, found, expected });
    if (variant === "identity") plain = bytes;
    else if (plain) checkSame(path, page, variant, bytes, plain, findings);
  }
  return plain;
}

/** Undefined where there is no plain file; the check of files has reported it. */
function read(path: string): Buffer | "too large" | undefined {
  try {
    return readReleaseFileSync(path);
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return "too large";
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

function checkSame(
  path: string,
  page: number,
  coding: Encoding,
  bytes: Buffer,
  plain: Buffer,
  findings: Findings,
): void {
  const expected = `the bytes of ${pagePath(page)} under ${coding}`;
  const note = (found: string) => findings.add({ check: "compressed", path, page, found, expected });
  try {
    // One byte more shows that there are too many; many more must not fill the memory.
    const decoded = DECODERS[coding](bytes, { maxOutputLength: plain.length + 1 });
    if (!decoded.equals(plain)) note(decoded.length === plain.length ? "other bytes" : `${decoded.length} bytes`);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    note(code === "ERR_BUFFER_TOO_LARGE" ? "more bytes" : `what is not ${coding} (${code})`);
  }
}
