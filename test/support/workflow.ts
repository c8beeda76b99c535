/** Runs a GitHub workflow of the documentation, without GitHub. */
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
 * Runs the workflow's own commands in a merge of a pull request, which is what `work` does to a clone with sample users.
 * @param isQuick without npx, which takes longer than all that it starts.
 */
export function runWorkflow(workflow: string, work: (folder: string) => void, isQuick = true): Ran {
  const cwd = clone();
  const bin = scratch();
  const command = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  // The calls to GitHub that the job would make.
  const asked = join(bin, "asked");
  command("gh", `printf '%s\\n' "$@" > '${asked}'`);
  if (isQuick) command("npx", `shift; exec node '${cwd}/lib/cli.js' "$@"`);
  const [output, summary] = [join(bin, "output"), join(bin, "summary")];
  const env = {
    ...environment(),
    PATH: `${bin}:${process.env["PATH"]}`,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
  };
  merge(cwd, env, work);
  const ended: Record<string, number | null> = {};
  let failed = false;
  for (const step of stepsOf(workflow)) {
    const outputs = existsSync(output) ? readFileSync(output, "utf8") : "";
    if (step.run === undefined || step.run === "npm ci" || failed) continue;
    if (step.if !== undefined && !isTaken(step.if, outputs)) continue;
    const given = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, outputs)]);
    const { status } = sh(step.run, cwd, { ...env, ...Object.fromEntries(given) });
    ended[step.name ?? ""] = status;
    failed = status !== 0;
  }
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
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

function stepsOf(workflow: string): Step[] {
  const { jobs }: { jobs: Record<string, { steps: Step[] }> } = parse(workflow);
  return Object.values(jobs).flatMap((job) => job.steps);
}

/** Evaluates the workflow's expressions like GitHub. */
function evaluate(text: string, outputs: string): string {
  const values: Record<string, string> = {
    "github.token": "secret",
    "github.event.number": "7",
    "github.event.pull_request.head.repo.full_name": "example/users",
    "github.repository": "example/users",
    "steps.compare.outputs.code": /^code=(\d+)$/m.exec(outputs)?.[1] ?? "",
  };
  return text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_expression, name: string) => values[name] ?? `unknown ${name}`);
}

function isTaken(condition: string, outputs: string): boolean {
  const sides = condition.split(" == ").map((side) => {
    const [, literal] = /^'(.*)'$/.exec(side) ?? [];
    return literal ?? evaluate(`\${{ ${side} }}`, outputs);
  });
  return sides[0] === sides[1];
}
