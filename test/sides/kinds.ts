/** Snapshots as every kind of side of a diff. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { build, createServer } from "../../src/index.js";
import { withDefaults } from "../../src/settings/settings.js";
import { scratch } from "../support/files.js";

export const KINDS = ["release", "folder", "pages", "git", "host", "source"] as const;
export type Kind = (typeof KINDS)[number];

/** A snapshot to publish: where its pages are, and what writes its source. */
interface Given {
  /** The first folder of the listing's path. */
  top: string;
  contract?: NonNullable<Parameters<typeof build>[0]["contract"]>;
  write: Record<"old" | "new", (file: string) => string>;
}

/** Publishes both snapshots below a base URL. @returns the names of each by kind, and what a diff of them needs. */
export async function publishBoth(baseUrl: string, { top, contract, write }: Given) {
  const cwd = scratch();
  const dist = join(cwd, "dist");
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  git("init", "--quiet");
  // The copy of a release has the bytes of the repository.
  writeFileSync(join(cwd, ".gitattributes"), "*.json text eol=crlf\n");
  const snapshot = async (side: "old" | "new") => {
    const db = write[side](join(cwd, `${side}.sqlite`));
    const { id, folder } = await build({ db, baseUrl, dist, pageSize: 10, ...(contract && { contract }) });
    cpSync(folder, join(cwd, `unpacked-${side}`), { recursive: true });
    cpSync(join(folder, top), join(cwd, `pages-${side}`, top), { recursive: true });
    if (contract) cpSync(join(folder, "contract.json"), join(cwd, `pages-${side}/contract.json`));
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
