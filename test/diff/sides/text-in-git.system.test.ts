/** Runs the last section of docs/guides/review.md: a CSV file in git, and a change of it in review. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLI } from "../../support/command.js";
import { docPage } from "../../support/docs.js";
import { scratch } from "../../support/files.js";

const commands = docPage("docs/guides/review.md").blocks("A list kept as text in git").join("");
const [init = "", add = "", diff = ""] = commands.split("\n");

test("a list kept as CSV in git is reviewed as docs/guides/review.md says", () => {
  const cwd = scratch();
  const git = (...words: string[]) => execFileSync("git", words, { cwd, stdio: "pipe" });
  const run = (line: string) =>
    spawnSync(process.execPath, [CLI, ...line.split(" ").slice(1)], { cwd, encoding: "utf8" });
  const csv = (...lines: string[]) => writeFileSync(join(cwd, "members.csv"), `id,name,joined\n${lines.join("\n")}\n`);

  git("init", "-q", "-b", "main");
  csv("1,Ann,2020-01-01", "2,Bob,2021-01-01", "3,Cy,2022-01-01");
  expect(run(init)).toMatchObject({ status: 0 });
  git(...add.split(" ").slice(1));
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "List members");
  git("update-ref", "refs/remotes/origin/main", "main");

  csv("1,Anna,2020-01-01", "3,Cy,2022-01-01", "4,Di,2026-01-01");
  const { status, stderr } = run(diff);
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: expect.stringContaining("gate exceeded: max-removed 5%: 1 of 3 members removed"),
  });
  expect(readFileSync(join(cwd, "diff.md"), "utf8")).toContain("1 member added, 1 removed, 1 changed");

  csv("1,Anna,soon", "2,Bob,2021-01-01", "3,Cy,2022-01-01");
  expect(run(diff)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('member 1, line 2: joined "soon" must be a real date, like 2026-01-31'),
  });
});
