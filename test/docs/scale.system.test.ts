/** docs/scale.md: the files for engines are made from one template, are what the engines take, and do what they say. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { ENGINES } from "../../src/shards/word.js";
import { CLI } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { blocksOf, expectTable } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";

const DOC = new URL("../../docs/scale.md", import.meta.url);
const SHARDS = 8;

/** What all engines are given: a command in place of each name. */
const ROLLCALL =
  "rollcall build --db /data/users.sqlite --base-url https://directory.example.com --out /data/dist --page-size 1000";
const COMMANDS = {
  shard: `${ROLLCALL} --shard auto/${SHARDS} --parts /data/parts`,
  join: `${ROLLCALL} --join /data/parts`,
};

const job = (name: string, spec: string, command: string) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
${spec}  template:
    spec:
      restartPolicy: Never
      containers:
        - name: rollcall
          image: registry.example.com/rollcall
          command: ${JSON.stringify(command.split(" ")).replaceAll('","', '", "')}
          resources:
            requests: { cpu: "2", memory: 1Gi }
          volumeMounts:
            - { name: data, mountPath: /data }
      volumes:
        - name: data
          persistentVolumeClaim: { claimName: rollcall }
`;

const batch = (command: string) => `'${JSON.stringify({ command: command.split(" ") })}'`;

/** By the heading and the language of the block. */
const FILES: [heading: string, language: string, text: string][] = [
  [
    "Kubernetes",
    "yaml",
    `${job("rollcall-shards", `  completionMode: Indexed\n  completions: ${SHARDS}\n  parallelism: ${SHARDS}\n  backoffLimitPerIndex: 3\n`, COMMANDS.shard)}---\n${job("rollcall-join", "  backoffLimit: 3\n", COMMANDS.join)}`,
  ],
  [
    "Slurm",
    "sh",
    `shards=$(sbatch --parsable --array=0-${SHARDS - 1} --requeue --cpus-per-task=2 --wrap='${COMMANDS.shard}')
sbatch --dependency=afterok:$shards --wrap='${COMMANDS.join}'
`,
  ],
  [
    "AWS Batch",
    "sh",
    `shards=$(aws batch submit-job --job-name rollcall-shards --job-queue rollcall --job-definition rollcall \\
  --array-properties size=${SHARDS} --retry-strategy attempts=3 --query jobId --output text \\
  --container-overrides ${batch(COMMANDS.shard)})
aws batch submit-job --job-name rollcall-join --job-queue rollcall --job-definition rollcall \\
  --depends-on jobId=$shards --container-overrides ${batch(COMMANDS.join)}
`,
  ],
];

test.each(FILES)("the file for %s is the template's", (heading, language, text) => {
  const doc = readFileSync(DOC, "utf8");
  const [block = ""] = blocksOf(doc, heading, language);
  expect(block).not.toBe("");
  if (process.env["UPDATE"])
    writeFileSync(
      DOC,
      doc.replace(block, () => text),
    );
  else expect(block).toBe(text);
});

test("the table of engines names the variables that are read", () => {
  const rows = ENGINES.map(({ name, number, count }) => [name, `\`${number}\``, count ? `\`${count}\`` : "`auto/8`"]);
  expectTable("docs/scale.md", "## Which share", [["engine", "number", "how many"], ...rows]);
});

test.skipIf(isMissing(engine("kubernetes-types"), engine("yaml")))(
  "both jobs are what Kubernetes' own types allow",
  () => {
    const [[, , text] = []] = FILES;
    const { parseAllDocuments } = loadEngine<typeof import("yaml")>("yaml");
    const jobs = parseAllDocuments(text ?? "").map((document) => document.toJSON());
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

test.each(ENGINES)("what is run by $name makes what one machine makes", async ({ number, count }) => {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(20));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "rollcall"), `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`, { mode: 0o755 });
  const run = (command: string, variables: NodeJS.ProcessEnv = {}) => {
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, ...variables };
    return execFileSync("sh", ["-c", `${command.replaceAll("/data", folder)} --page-size 3`], { env, stdio: "pipe" });
  };
  // Where the engine says how many there are, the word alone is enough.
  const shard = count ? COMMANDS.shard.replace(`auto/${SHARDS}`, "auto") : COMMANDS.shard;
  for (let at = 0; at < SHARDS; at++) run(shard, { [number]: `${at}`, ...(count && { [count]: `${SHARDS}` }) });
  run(COMMANDS.join);
  const baseUrl = "https://directory.example.com";
  const one = await build({ db, baseUrl, out: join(folder, "one"), pageSize: 3 });
  execFileSync("diff", ["-r", one.folder, join(folder, "dist/current/")]);
});
