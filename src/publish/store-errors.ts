/** Explains errors of an S3 store. Messages repeat only error names and status codes of the store. */
import { codeOf, hasCode, UserError } from "../core/errors.js";

const OTHER_REGION = "the bucket is in another region; set AWS_REGION to it.";
const GO_ON = "then run this again: it goes on where it stopped.";

const REFUSALS: ReadonlyMap<string, string> = new Map([
  [
    "CredentialsProviderError",
    `there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, ${GO_ON}`,
  ],
  ["ExpiredToken", `the credentials have expired; renew them, ${GO_ON}`],
  ["InvalidAccessKeyId", `it does not know the access key; check the credentials, ${GO_ON}`],
  ["SignatureDoesNotMatch", `the secret key does not belong to the access key; check the credentials, ${GO_ON}`],
  ["AccessDenied", `access is denied; allow s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject, ${GO_ON}`],
  ["NoSuchBucket", "there is no such bucket; make it, or name another one."],
  ["PermanentRedirect", OTHER_REGION],
  ["AuthorizationHeaderMalformed", OTHER_REGION],
  ["RequestTimeTooSkewed", "this machine's clock is wrong; set it, then run this again."],
  ["ENOTFOUND", "its host name does not exist; check --endpoint and AWS_REGION."],
]);

/** Turns an error of the SDK into a UserError with advice; returns other errors as they are. */
export function explainStore(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const known = REFUSALS.get(error.name) ?? REFUSALS.get(codeOf(error) ?? "");
  if (known) return new UserError(`Cannot publish to ${name}: ${known}`, { cause: error });
  const status = statusOf(error);
  if (status !== undefined) {
    const answer = `the store answered ${status} ${error.name}`;
    return new UserError(`Cannot publish to ${name}: ${answer}; fix that, ${GO_ON}`, { cause: error });
  }
  if (error.name !== "TimeoutError" && !hasCode(error, ...NETWORK)) return error;
  const code = codeOf(error) ?? error.name;
  return new UserError(`Cannot publish to ${name}: the store cannot be reached (${code}); wait, ${GO_ON}`, {
    cause: error,
  });
}

/** The HTTP status that a store answered with, if it answered. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode;
}

const NETWORK: readonly string[] = [
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
];
