/** Runs GitHub workflows of the documentation, without GitHub. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { clone, environment, sh } from "./docs.js";
import { scratch } from "./files.js";

interface Step {
  name?: string;
  if?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
}

interface Ran {
  /** Exit codes by the names of the steps that ran. */
  ended: Record<string, number | null>;
  /** review.md, review.html and the job's summary. */
  comment: string | undefined;
  html: string | undefined;
  summary: string | undefined;
  /** The calls of `gh`. */
  asked: string[] | undefined;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Runs the commands of a review's workflow in a merge of a pull request, which is what `work` does to a clone with sample users.
 * The clone's own Rollcall stands in for the one that the workflow installs.
 * @param isQuick without npx, which takes longer than all that it starts.
 */
export function runReview(workflow: string, work: (folder: string) => void, isQuick = true): Ran {
  const cwd = clone();
  const bin = scratch();
  const command = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  // The calls to GitHub that the job would make.
  const asked = join(bin, "asked");
  command("gh", `printf '%s\\n' "$@" > '${asked}'`);
  if (isQuick) command("npx", `shift; exec node '${cwd}/lib/cli/cli.js' "$@"`);
  const output = join(bin, "output");
  const summary = join(bin, "summary");
  const env = {
    ...environment(),
    PATH: `${bin}:${process.env["PATH"]}`,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
  };
  merge(cwd, env, work);
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
  const values = () => ({
    "github.token": "secret",
    "github.event.number": "7",
    "github.event.pull_request.head.repo.full_name": "example/users",
    "github.repository": "example/users",
    "steps.compare.outputs.code": /^code=(\d+)$/m.exec(read(output) ?? "")?.[1] ?? "",
  });
  const steps = stepsOf(workflow).filter(({ name }) => name !== "Install");
  const ended = runSteps(steps, cwd, env, values);
  return {
    ended,
    comment: read(join(cwd, "review.md")),
    html: read(join(cwd, "review.html")),
    summary: read(summary),
    asked: read(asked)?.trim().split("\n"),
    cwd,
    env,
  };
}

/**
 * Runs the commands of a workflow's steps until one fails. Steps that use an action are left out.
 * @param values those of expressions, asked before each step
 * @returns exit codes by the names of the steps that ran
 */
export function runSteps(
  steps: readonly Step[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  values: () => Record<string, string>,
): Record<string, number | null> {
  const ended: Record<string, number | null> = {};
  for (const step of steps) {
    const known = values();
    if (step.run === undefined) continue;
    if (step.if !== undefined && !isTaken(step.if, known)) continue;
    const given = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, known)]);
    const { status } = sh(evaluate(step.run, known), cwd, { ...env, ...Object.fromEntries(given) });
    ended[step.name ?? ""] = status;
    if (status !== 0) break;
  }
  return ended;
}

/** The base with sample users, and what `work` does to it merged. */
function merge(cwd: string, env: NodeJS.ProcessEnv, work: (folder: string) => void): void {
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8" });
  };
  sh("npx rollcall init", cwd, env);
  git("init", "-q", "-b", "main");
  writeFileSync(join(cwd, ".gitignore"), "node_modules\n");
  git("add", ".");
  git("commit", "-qm", "Base");
  git("switch", "-qc", "topic");
  work(cwd);
  git("commit", "-qam", "Change", "--allow-empty");
  git("switch", "-q", "main");
  git("merge", "-q", "--no-ff", "-m", "Merge", "topic");
}

/** The steps of all jobs of a workflow. */
export function stepsOf(workflow: string): Step[] {
  const { jobs }: { jobs: Record<string, { steps: Step[] }> } = parse(workflow);
  return Object.values(jobs).flatMap((job) => job.steps);
}

/** Evaluates the workflow's expressions like GitHub. */
function evaluate(text: string, values: Record<string, string>): string {
  return text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_expression, name: string) => values[name] ?? `unknown ${name}`);
}

function isTaken(condition: string, values: Record<string, string>): boolean {
  const sides = condition.split(" == ").map((side) => {
    const [, literal] = /^'(.*)'$/.exec(side) ?? [];
    return literal ?? evaluate(`\${{ ${side} }}`, values);
  });
  return sides[0] === sides[1];
}
