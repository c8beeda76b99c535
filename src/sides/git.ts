/** A side of a diff that is committed in git: `git:REV:PATH`, read without a checkout. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { indexed } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { PAGES, pagePath, SNAPSHOT } from "../release/layout.js";
import { factsOfPages } from "./folder.js";
import { GitObjects } from "./git-objects.js";
import type { Watch } from "./progress.js";

/**
 * Copies the pages of a release in a revision into `scratch`. Links inside the revision are followed, as of `dist/current`.
 * @param spec `git:REV:PATH`; PATH is relative to the top of the repository that `cwd` is in, or with `./` to `cwd`.
 * @throws UserError when there is no such repository, revision or release.
 */
export async function openGitSide(
  spec: string,
  cwd: string,
  scratch: string,
  { onProgress, signal }: Watch,
): Promise<Side> {
  const [, revision, path = ""] = /^git:([^:\s]+):([^\n]*)$/.exec(spec) ?? [];
  if (revision === undefined)
    throw new UserError(`${spec} is not of the form git:REV:PATH, as in git:main:dist/current.`);
  const base = path.replace(/\/+$/, "");
  const objects = new GitObjects(cwd);
  const copy = async (file: string): Promise<boolean> => {
    const bytes = await objects.find(`${revision}:${base === "" ? "" : `${base}/`}${file}`);
    if (!bytes) return false;
    mkdirSync(dirname(join(scratch, file)), { recursive: true });
    writeFileSync(join(scratch, file), bytes);
    return true;
  };
  try {
    if (!(await objects.has(`${revision}^{tree}`)))
      throw new UserError(`git knows no revision ${JSON.stringify(revision)}; see "git log", or fetch it first.`);
    await copy(SNAPSHOT);
    if (!(await copy(pagePath(1))))
      throw new UserError(
        `${spec} holds no release: ${revision} has no ${pagePath(1)} below ${JSON.stringify(base)} that is a file.`,
      );
    const facts = await factsOfPages(scratch, spec);
    for (let page = 2; page <= facts.pages; page++) {
      signal?.throwIfAborted();
      if (!(await copy(pagePath(page))))
        throw new UserError(`${spec} is not whole: page ${page} of ${facts.pages} is missing in ${PAGES}.`);
      onProgress({ users: Math.min(page * facts.pageSize, facts.count), total: facts.count });
    }
    return await indexed(scratch, facts, scratch, signal);
  } finally {
    objects.close();
  }
}
