/** Snapshots as every kind of side of a diff. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { USERS, type User } from "../../../src/core/contract/users.js";
import { withDefaults } from "../../../src/core/settings/settings.js";
import { build, type ContractFile, createServer } from "../../../src/index.js";
import { writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { toRow } from "../../support/users.js";

export const KINDS = ["release", "folder", "pages", "git", "host", "source"] as const;
export type Kind = (typeof KINDS)[number];

/** A contract that is not the built-in one. */
const CONTRACT: ContractFile = { ...USERS, "x-listing": { ...USERS["x-listing"], path: "/v1/people/" } };

/** Publishes both snapshots of users. @returns the names of each by kind, and what a diff of them needs. */
export async function publishBoth(users: Record<"old" | "new", readonly User[]>) {
  const baseUrl = "https://directory.example.com/people";
  const cwd = scratch();
  const dist = join(cwd, "dist");
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  git("init", "--quiet");
  // The copy of a release has the bytes of the repository.
  writeFileSync(join(cwd, ".gitattributes"), "*.json text eol=crlf\n");
  const snapshot = async (side: "old" | "new") => {
    const db = writeUsers(join(cwd, `${side}.sqlite`), users[side].map(toRow));
    const { id, folder } = await build({ db, baseUrl, dist, pageSize: 10, contract: CONTRACT });
    cpSync(folder, join(cwd, `unpacked-${side}`), { recursive: true });
    cpSync(join(folder, "v1"), join(cwd, `pages-${side}/v1`), { recursive: true });
    cpSync(join(folder, "contract.json"), join(cwd, `pages-${side}/contract.json`));
    git("add", "--force", "dist");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", side);
    git("tag", side);
    const host = await createServer({ dist: join(cwd, `unpacked-${side}`) });
    onTestFinished(() => host.close());
    const { url } = await host.listen({ port: 0 });
    const names: Record<Kind, string> = {
      release: id.slice(0, 8),
      folder: `unpacked-${side}`,
      pages: `./pages-${side}`,
      git: `git:${side}:dist/current`,
      host: url,
      source: `${side}.sqlite`,
    };
    return names;
  };
  const names = { old: await snapshot("old"), new: await snapshot("new") };
  return { names, effects: { cwd, dist, scratch: scratch(), source: withDefaults("diff", { pageSize: 10, baseUrl }) } };
}
