/** docs/internals/scale.md: commands of the job files, Kubernetes' types, and builds with them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { CLI } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { docPage } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";

const { block } = docPage("docs/internals/scale.md");
const SHARDS = 8;

/** The commands that every job file must have. */
const ROLLCALL =
  "rollcall build --db /data/users.sqlite --base-url https://directory.example.com --dist /data/dist --page-size 1000";
const JOIN = `${ROLLCALL} --join /data/parts`;

/** The engines with a job file: its language, how it writes its variable, and the variable's name. */
const ENGINES = [
  ["Kubernetes", "yaml", "$(JOB_COMPLETION_INDEX)", "JOB_COMPLETION_INDEX"],
  ["Slurm", "sh", "$SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_ID"],
  ["AWS Batch", "sh", "$AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"],
] as const;
const shardOf = (number: string) => `${ROLLCALL} --shard ${number}/${SHARDS} --parts /data/parts`;

test.each(ENGINES)("the file for %s has both commands", (heading, language, number) => {
  const commands = block(heading, language)
    .replace(/", ?"/g, " ")
    .match(/rollcall build [^"']*/g);
  expect(commands).toEqual([shardOf(number), JOIN]);
});

test.skipIf(isMissing(engine("kubernetes-types"), engine("yaml")))(
  "both jobs are what Kubernetes' own types allow",
  () => {
    const { parseAllDocuments } = loadEngine<typeof import("yaml")>("yaml");
    const jobs = parseAllDocuments(block("Kubernetes", "yaml")).map((document) => document.toJSON());
    expect(jobs.map(({ metadata }) => metadata.name)).toEqual(["rollcall-shards", "rollcall-join"]);
    const judge = (job: object) => {
      const folder = scratch();
      const types = engine("kubernetes-types/batch/v1");
      writeFileSync(
        join(folder, "job.ts"),
        `import type { Job } from "${types}.js";\nexport const job: Job = ${JSON.stringify(job)};\n`,
      );
      const tsc = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
      try {
        const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
        return execFileSync(process.execPath, [tsc, ...flags, join(folder, "job.ts")], {
          encoding: "utf8",
          cwd: folder,
        });
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    };
    for (const job of jobs) expect(judge(job)).toBe("");
    expect(judge({ ...jobs[0], spec: { ...jobs[0].spec, completionsMode: "Indexed" } })).toContain("completionsMode");
  },
);

test.each(ENGINES)(
  "shards numbered by %s make the release of one machine",
  async (_heading, _language, number, variable) => {
    const folder = scratch();
    const db = writeUsers(join(folder, "users.sqlite"), plainRows(20));
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "rollcall"), `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`, { mode: 0o755 });
    const run = (command: string, variables: NodeJS.ProcessEnv = {}) => {
      const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, ...variables };
      execFileSync("sh", ["-c", `${command.replaceAll("/data", folder)} --page-size 3`], { env, stdio: "pipe" });
    };
    // Kubernetes replaces $(NAME) itself.
    const shard = shardOf(number).replace(/\$\((\w+)\)/, "$$$1");
    for (let at = 0; at < SHARDS; at++) run(shard, { [variable]: `${at}` });
    run(JOIN);
    const baseUrl = "https://directory.example.com";
    const one = await build({ db, baseUrl, dist: join(folder, "one"), pageSize: 3 });
    execFileSync("diff", ["-r", "--exclude=.release", one.folder, join(folder, "dist/current/")]);
  },
);
