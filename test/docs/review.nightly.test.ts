/** docs/guides/review.md against the program: what it says to type prints what it shows, and its workflow does what it says. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSql } from "../support/database.js";
import { clone, commandsOf, environment, sh } from "../support/docs.js";
import { runWorkflow } from "../support/workflow.js";

const FILE = new URL("../../docs/guides/review.md", import.meta.url).pathname;
const DOC = readFileSync(FILE, "utf8");
const FENCED = /^(`{3,})(\w+)\n(.*?)^\1$/gms;
const isUpdate = process.env["UPDATE"] === "1";

/** The fenced blocks of a language, in order. */
function blocks(language: string): string[] {
  return [...DOC.matchAll(FENCED)].filter(([, , name]) => name === language).map(([, , , text = ""]) => text);
}

const [WORKFLOW = ""] = blocks("yaml");
const [DAY = ""] = blocks("sql");

/** Releases are named by when they were made. */
function timeless(text: string): string {
  return text.replace(/\d{8}T\d{6}Z/g, "20260131T120000Z");
}

/** Ids count the explorer, which is another one with each change of its script; which are the same is what matters. */
function nameless(text: string): string {
  const ids = [...new Set(text.match(/(?<=Z-|\()[0-9a-f]{12}\b/g))];
  return ids.reduce((rest, id, at) => rest.replaceAll(id, `id ${at}`), timeless(text));
}

/** Holds what was printed against the block that shows it; with UPDATE=1 it becomes the block. */
function expectShown(language: string, at: number, printed: string): void {
  if (isUpdate) show(language, at, timeless(printed));
  else expect(nameless(printed)).toBe(nameless(blocks(language)[at] ?? ""));
}

function show(language: string, at: number, text: string): void {
  let count = 0;
  const doc = readFileSync(FILE, "utf8").replace(FENCED, (block, fence, name) =>
    name === language && count++ === at ? `${fence}${name}\n${text}${fence}` : block,
  );
  writeFileSync(FILE, doc);
}

/** The day's work that the page speaks of. */
function passDay(folder: string): void {
  change(folder, DAY);
}

function change(folder: string, sql: string): void {
  runSql(join(folder, "data/users.sqlite"), sql);
}

test("before it goes out: every command prints what is shown", { timeout: 60_000 }, () => {
  const [cwd, env] = [clone(), environment()];
  const type = (command: string) => sh(command, cwd, env);
  const [init = "", build = "", diff = "", gate = "", gatedBuild = "", lines = "", ...others] = commandsOf(DOC);
  expect(others).toEqual([]);

  expect([type(init).status, type(build).status]).toEqual([0, 0]);
  passDay(cwd);
  const changes = type(diff);
  expect([changes.status, changes.stderr]).toEqual([1, ""]);
  expectShown("text", 0, changes.stdout);

  const exceeded = type(gate);
  expect(exceeded.status).toBe(3);
  expectShown("text", 1, exceeded.stderr);
  const refused = type(gatedBuild);
  expect([refused.status, refused.stdout]).toEqual([3, ""]);
  expectShown("text", 2, refused.stderr);
  expectShown("json", 0, type(lines).stdout);
});

test("in a pull request: the workflow's commands, in a merge of two commits", { timeout: 120_000 }, () => {
  const { ended, comment, html, summary, asked, cwd, env } = runWorkflow(WORKFLOW, passDay, false);
  expect(ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0 });
  expectShown("markdown", 0, comment ?? "");
  expect(summary).toBe(comment);
  expect(asked).toEqual([..."pr comment 7 --body-file review.md --edit-last --create-if-none".split(" ")]);
  expect(html).toMatch(/^<!doctype html>.*Mira Okafor/is);

  // Releases that are committed themselves.
  const [, command = ""] = /`(npx rollcall diff git:[^`]+)`/.exec(DOC) ?? [];
  const commit = "git add -f public && git -c user.name=A -c user.email=a@example.com commit -qm Publish";
  mkdirSync(join(cwd, "public"));
  expect(sh(`cp -r before/current/. public && ${commit}`, cwd, env).status).toBe(0);
  expect(sh(`rm -r public && cp -r after/current/. public && ${commit}`, cwd, env).status).toBe(0);
  const committed = sh(command, cwd, env);
  expect(committed.status).toBe(1);
  const afterSides = (text: string) => text.slice(text.indexOf("| added |"));
  expect(afterSides(committed.stdout)).toBe(afterSides(comment ?? ""));
});

test("a gate fails the job once the comment is made, and trouble before", { timeout: 120_000 }, () => {
  const many = runWorkflow(WORKFLOW, (folder) => change(folder, "DELETE FROM users WHERE kyc_status = 'unknown'"));
  expect(many.ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0, Gate: 1 });
  expect(many.comment).toContain("**Gate exceeded**\n\n- `max-removed 1%: 30 of 1,000 users");
  expect(many.asked?.[0]).toBe("pr");

  const invalid = runWorkflow(WORKFLOW, (folder) => change(folder, "UPDATE users SET country = 'x'"));
  expect(invalid.ended).toEqual({ "Build base and head": 1 });
});

test("nothing changed is no failure", { timeout: 60_000 }, () => {
  const { ended, comment } = runWorkflow(WORKFLOW, () => {});
  expect(ended).toEqual({ "Build base and head": 0, Compare: 0, Comment: 0 });
  expect(comment).toContain("### Rollcall: no changes");
});
