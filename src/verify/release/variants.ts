/** Reads a page's files: the plain one and its compressed variants, which must decompress to it. */
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Encoding } from "../../contract/headers.js";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { MAX_PAGE, readReleaseFileSync, sha256 } from "../../release/files.js";
import type { PagePaths, Variant } from "../../release/layout.js";
import type { Findings } from "../verdict.js";

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };

/** Compares a page's files with their digests, where those are known, and each other. @returns the plain bytes, if any. */
export function readVariants(
  { folder, paths }: { folder: string; paths: PagePaths },
  page: number,
  variants: readonly Variant[],
  digestOf: (variant: Variant) => string | undefined,
  findings: Findings,
): Buffer | undefined {
  let plain: Buffer | undefined;
  for (const variant of variants) {
    const path = paths.path(page, variant);
    const note = (check: string, found: string, expected: string) =>
      findings.add({ check, path, page, found, expected });
    const bytes = readPlain(join(folder, path));
    if (bytes === "too large") note("pages", "a file that is too large", `at most ${MAX_PAGE} bytes`);
    if (!bytes || bytes === "too large") continue;
    const [found, listed] = [sha256(bytes), digestOf(variant)];
    if (listed !== undefined && found !== listed) note("digests", found, listed);
    if (variant === "identity") plain = bytes;
    else {
      const other = plain && differenceOf(bytes, plain, variant);
      if (other !== undefined) note("compressed", other, `the bytes of ${paths.path(page)} under ${variant}`);
    }
  }
  return plain;
}

/** Undefined where there is no plain file; the check of files has reported it. */
export function readPlain(path: string): Buffer | "too large" | undefined {
  try {
    return readReleaseFileSync(path);
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return "too large";
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

function differenceOf(bytes: Buffer, plain: Buffer, coding: Encoding): string | undefined {
  try {
    // One byte more shows that there are too many; many more must not fill the memory.
    const decoded = DECODERS[coding](bytes, { maxOutputLength: plain.length + 1 });
    if (decoded.equals(plain)) return undefined;
    return decoded.length === plain.length ? "other bytes" : `${decoded.length} bytes`;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code === "ERR_BUFFER_TOO_LARGE" ? "more bytes" : `what is not ${coding} (${code})`;
  }
}
