/** Decides whether a bucket may be replaced: only if it holds a release that this `dist` has, or has put there. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseAs } from "../../contract/json.js";
import { isMissing, UserError } from "../../errors.js";
import { SNAPSHOT } from "../../release/layout.js";
import { releaseNames } from "../../release/list.js";
import { parseFolderName } from "../../release/name.js";
import { explainWrite } from "../../release/refusals.js";
import { replaceFile } from "../../release/write.js";

const recordSchema = z.object({
  /** Ids of releases that this `dist` has put there, or begun to, and that may still be there. */
  releases: z.array(z.string()),
  /** The run that was begun last, until it is complete. */
  run: z.string().optional(),
});

type HistoryRecord = z.infer<typeof recordSchema>;

/** What a `dist` remembers of one bucket. */
export class History {
  readonly #file: string;
  record: HistoryRecord;

  /** @param folder in `dist`, for this bucket alone. */
  constructor(folder: string) {
    this.#file = join(folder, "history.json");
    this.record = readRecord(this.#file);
  }

  begin(run: string, release: string): void {
    this.#write({ releases: [...new Set([...this.record.releases, release])], run });
  }

  end(release: string): void {
    this.#write({ releases: [release] });
  }

  #write(record: HistoryRecord): void {
    try {
      replaceFile(this.#file, `${JSON.stringify(record)}\n`);
    } catch (error) {
      throw explainWrite(this.#file, error);
    }
    this.record = record;
  }
}

/** @throws UserError when the bucket holds a release that somebody else has put there. */
export function requireKnown(
  snapshot: Buffer,
  target: string,
  { dist, published, expect }: { dist: string; published: readonly string[]; expect: string | undefined },
): void {
  const id = parseAs(idSchema, String(snapshot))?.id;
  const replace = "publish from where it was made, or replace it with --force.";
  if (id === undefined) throw new UserError(`${target}/${SNAPSHOT} is not Rollcall's; ${replace}`);
  if (expect !== undefined && id.startsWith(expect.toLowerCase())) return;
  const here = releaseNames(dist).map((name) => parseFolderName(name)?.id);
  if (published.includes(id) || here.includes(id)) return;
  throw new UserError(
    `${target} holds release ${id}, which is not in ${dist} and was not published from it; publish from where it was made, or allow to replace it with --expect ${id}, or any release with --force.`,
  );
}

const idSchema = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/** An empty record when there is none, or none that can be understood. */
function readRecord(file: string): HistoryRecord {
  try {
    return parseAs(recordSchema, readFileSync(file, "utf8")) ?? { releases: [] };
  } catch (error) {
    if (isMissing(error)) return { releases: [] };
    throw error;
  }
}
