/** docs/guides/review.md: its commands print what it shows, and its workflow does what it says. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSql } from "../support/database.js";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { runReview } from "../support/workflow.js";

const { text, block, blocks, expectShown } = docPage("docs/guides/review.md");

const WORKFLOW = block("In a pull request", "yaml");

/** Changes the sample users as the page does. */
function changeUsers(folder: string): void {
  change(folder, block("Before a release", "sql"));
}

function change(folder: string, sql: string): void {
  runSql(join(folder, "data/users.sqlite"), sql);
}

test("every command prints what is shown", { timeout: 60_000 }, () => {
  const [cwd, env] = [scratch(), readerEnvironment()];
  const type = (command: string) => sh(command, cwd, env);
  const [setUp = "", diff = ""] = blocks("Before a release");
  expect(type(setUp).status).toBe(0);
  changeUsers(cwd);
  const changes = type(diff);
  expect([changes.status, changes.stderr]).toEqual([1, ""]);
  expectShown("Before a release", "text", 0, changes.stdout);

  const [gate = "", build = ""] = blocks("Gates");
  const exceeded = type(gate);
  expect(exceeded.status).toBe(3);
  expectShown("Gates", "text", 0, exceeded.stderr);
  const kept = type(build);
  expect([kept.status, kept.stdout]).toEqual([3, ""]);
  expectShown("Gates", "text", 1, kept.stderr);

  for (const [at, command] of blocks("Formats").entries()) expectShown("Formats", "json", at, type(command).stdout);
});

test("in a pull request: the workflow's commands, in a merge of two commits", { timeout: 120_000 }, () => {
  const { ended, comment, html, summary, asked, cwd, env } = runReview(WORKFLOW, changeUsers, false);
  expect(ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0 });
  expectShown("In a pull request", "markdown", 0, comment ?? "");
  expect(summary).toBe(comment);
  expect(asked).toEqual([..."pr comment 7 --body-file review.md --edit-last --create-if-none".split(" ")]);
  expect(html).toMatch(/^<!doctype html>.*Mira Okafor/is);

  // Releases that are committed themselves.
  const [, command = ""] = /`(npx rollcall diff git:[^`]+)`/.exec(text) ?? [];
  const commit = "git add -f public && git -c user.name=A -c user.email=a@example.com commit -qm Publish";
  mkdirSync(join(cwd, "public"));
  expect(sh(`cp -r before/current/. public && ${commit}`, cwd, env).status).toBe(0);
  expect(sh(`rm -r public && cp -r after/current/. public && ${commit}`, cwd, env).status).toBe(0);
  const committed = sh(command, cwd, env);
  expect(committed.status).toBe(1);
  const afterSides = (report: string) => report.slice(report.indexOf("| added |"));
  expect(afterSides(committed.stdout)).toBe(afterSides(comment ?? ""));
});

test("a gate fails the job after the comment, and invalid data before it", { timeout: 120_000 }, () => {
  const many = runReview(WORKFLOW, (folder) => change(folder, "DELETE FROM users WHERE kyc_status = 'unknown'"));
  expect(many.ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0, Gate: 1 });
  expect(many.comment).toContain("**Gate exceeded**\n\n- `max-removed 1%: 30 of 1,000 users");
  expect(many.asked?.[0]).toBe("pr");

  const invalid = runReview(WORKFLOW, (folder) => change(folder, "UPDATE users SET country = 'x'"));
  expect(invalid.ended).toEqual({ "Build base and head": 1 });
});

test("a job without changes passes", { timeout: 60_000 }, () => {
  const { ended, comment } = runReview(WORKFLOW, () => {});
  expect(ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0 });
  expect(comment).toContain("### Rollcall: no changes");
});
