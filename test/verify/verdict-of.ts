/** Verifies a host, as tests of one listing need it. */

import { type VerifyHostOptions, verifyHost } from "../../src/verify/url/listing.js";
import type { Verdict } from "../../src/verify/verdict.js";

/** The verdict on the host of one listing. */
export async function verdictOf(options: VerifyHostOptions): Promise<Verdict> {
  return (await verifyHost(options)).verdict;
}
