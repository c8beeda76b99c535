/** Loads Amazon's SDK, which is an optional dependency, and configures a client. */
import type * as Sdk from "@aws-sdk/client-s3";
import { hasCode, UserError } from "../../errors.js";

/** With the pauses of the SDK between them, a store may be unreachable for about ten seconds. */
const ATTEMPTS = 8;
const CONNECT_MS = 10_000;
/** A connection without any data for this long is closed. */
const SILENCE_MS = 30_000;
/** For when none is configured: other stores than Amazon's ignore it, and Amazon's redirect to the right one. */
const REGION = "us-east-1";

/** The SDK throws all errors that matter, so its log is not needed. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** @throws UserError when the SDK is not installed. */
export async function openClient(endpoint: string | undefined): Promise<{ sdk: typeof Sdk; client: Sdk.S3Client }> {
  const sdk = await loadSdk();
  const configure = (region: { region: string } | undefined) =>
    new sdk.S3Client({
      ...region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      maxAttempts: ATTEMPTS,
      followRegionRedirects: true,
      // Not every store supports the newer checksums, and the signature covers the bytes anyway.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    });
  const client = configure(undefined);
  const hasRegion = await client.config.region().then(
    () => true,
    () => false,
  );
  return { sdk, client: hasRegion ? client : configure({ region: REGION }) };
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (cause) {
    if (!hasCode(cause, "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new UserError(
      'Publishing to s3:// needs the package @aws-sdk/client-s3, which is not installed; run "npm install @aws-sdk/client-s3" where Rollcall is.',
      { cause },
    );
  }
}
