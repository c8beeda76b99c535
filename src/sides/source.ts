/** A side of a diff that is a source: what publishing it would make, built aside. */
import { build } from "../build/build.js";
import type { BuildOptions } from "../build/options.js";
import { InvalidUsersError } from "../build/problems.js";
import { openReleaseSide } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { openRelease } from "../release/open.js";
import type { Watch } from "./progress.js";

/** How a source is to be read and published; without a base URL, as the other side is. */
export type SourceSideOptions = Partial<
  Pick<BuildOptions, "baseUrl" | "pageSize" | "table" | "query" | "defaultAvatar" | "links" | "skipInvalid" | "workers">
>;

/**
 * Builds the release of `db` in `scratch`, where nobody serves it.
 * @throws UserError as a build does.
 */
export async function openSourceSide(
  db: string,
  options: SourceSideOptions & Pick<BuildOptions, "baseUrl">,
  scratch: string,
  { onProgress, signal }: Watch,
): Promise<Side> {
  try {
    // No need of compressed pages: they are never compared.
    const { folder } = await build({ ...options, db, out: scratch, keep: 0, encodings: [] }, { onProgress, signal });
    return await openReleaseSide(await openRelease(folder), `source ${db}`, scratch, signal);
  } catch (error) {
    if (!(error instanceof InvalidUsersError)) throw error;
    throw new UserError(
      `${db} could not be published: ${error.problems.users} of ${error.total} users are not valid. See why with "rollcall build --db ${db}", or leave them out with skipInvalid.`,
      { cause: error },
    );
  }
}
