/** A real job engine, Slurm: an array of eight shards of which one is stopped and requeued, and the join as a job behind them. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLI } from "../support/command.js";
import { writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { draws } from "../support/random.js";
import { pause } from "../support/time.js";

const USERS = draws(1_000_000);
const SHARDS = 8;
const baseUrl = "https://directory.example.com";

const MANY = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ${USERS})
  INSERT INTO users (id, username, first_name, last_name, bio, date_joined)
  SELECT printf('00000000-0000-4000-8000-%012d', i), 'user' || i, 'Anna', 'Name' || i % 5000, 'Text ' || hex(i * 7919),
    strftime('%Y-%m-%dT%H:%M:%S.000000Z', 1700000000 - i * 31, 'unixepoch') FROM n;
  CREATE INDEX listed ON users (date_joined DESC, id)`;

test.skipIf(isMissing("slurmctld", "slurmd", "sbatch", "munged")).each([
  ["plain pages", ""],
  ["with everything", "--lookup --bulk --compress gzip"],
])(
  "an array of jobs, one of them requeued, makes what one machine makes: %s",
  { timeout: 1_800_000 },
  async (what, flags) => {
    const folder = scratch();
    const db = writeUsers(join(folder, "users.sqlite"), [], MANY);
    const slurm = await startSlurm(folder);
    const [parts, dist] = [join(folder, "parts"), join(folder, "dist")];
    const build = `${process.execPath} ${CLI} build --db ${db} --base-url ${baseUrl} ${flags}`;
    const rollcall = `${build} --dist ${dist}`;
    const shard = `${rollcall} --shard $SLURM_ARRAY_TASK_ID/${SHARDS} --parts ${parts}`;
    // The first run of one task stops as soon as it writes, and is never heard of again.
    const script = `#!/bin/sh
if [ "$SLURM_ARRAY_TASK_ID" != 3 ] || [ "\${SLURM_RESTART_COUNT:-0}" != 0 ]; then
  ${shard} && times >${folder}/shard-$SLURM_ARRAY_TASK_ID.times
  exit
fi
until [ -e ${folder}/stopped ]; do
  rm -rf ${parts}/3-of-*; ${shard} & task=$!
  until ls -d ${parts}/.3-of-* >${folder}/writing 2>/dev/null || ! kill -0 $task; do sleep 0.01; done
  kill -STOP $task && ls -d ${parts}/.3-of-* && touch ${folder}/stopped
done
wait
`;
    writeFileSync(join(folder, "shard.sh"), script);
    const array = ["--parsable", `--array=0-${SHARDS - 1}`, "--requeue", "-o", join(folder, "task-%a.log")];
    const id = slurm("sbatch", ...array, join(folder, "shard.sh")).trim();
    await until(() => existsSync(join(folder, "stopped")));
    slurm("scontrol", "requeue", `${id}_3`);
    const joining = ["--wait", `--dependency=afterok:${id}`, "-o", join(folder, "join.log")];
    slurm("sbatch", ...joining, `--wrap=${rollcall} --join ${parts} && times >${folder}/join.times`);

    // The killed run has left what it had begun, and nothing of it counts.
    const names = readdirSync(parts);
    expect(names.filter((name) => name.startsWith(".3-of-"))).toHaveLength(1);
    expect(names.filter((name) => !name.startsWith("."))).toHaveLength(SHARDS);
    execFileSync("sh", ["-c", `${build} --dist ${folder}/one --quiet && times >${folder}/one.times`]);
    expect(JSON.parse(readFileSync(join(folder, "one/current/snapshot.json"), "utf8"))).toMatchObject({ count: USERS });
    execFileSync("diff", ["-r", "--exclude=.release", join(folder, "one/current/"), join(dist, "current/")]);

    const seconds = (name: string) => secondsIn(readFileSync(join(folder, `${name}.times`), "utf8"));
    const shards = Array.from({ length: SHARDS }, (_, at) => seconds(`shard-${at}`));
    const all = shards.reduce((one, other) => one + other);
    const figures = { one: seconds("one"), all, slowest: Math.max(...shards), join: seconds("join") };
    // docs/internals/scale.md has these.
    const texts = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(1)}`);
    console.info(`${USERS} records, ${what}, seconds of CPU: ${texts.join(", ")}`);
  },
);

/** What the shell's `times` says of the processes that it has started: user and system. */
function secondsIn(times: string): number {
  const [, children = ""] = times.split("\n");
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return parts.reduce((one, other) => one + other, 0);
}

/** A Slurm of one node, with everything of it in a folder. @returns what runs its commands. */
async function startSlurm(folder: string): Promise<(command: string, ...args: readonly string[]) => string> {
  const own = join(folder, "slurm");
  for (const name of ["", "state", "spool"]) mkdirSync(join(own, name));
  const [host, { username }] = [hostname(), userInfo()];
  const config = join(own, "slurm.conf");
  const socket = join(own, "munge.socket");
  writeFileSync(join(own, "munge.key"), randomBytes(1024), { mode: 0o400 });
  chmodSync(own, 0o755);
  writeFileSync(
    config,
    `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/munge
AuthInfo=socket=${socket},cred_expire=5
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
StateSaveLocation=${own}/state
SlurmdSpoolDir=${own}/spool
SlurmctldPidFile=${own}/slurmctld.pid
SlurmdPidFile=${own}/slurmd.pid
SlurmctldLogFile=${own}/slurmctld.log
SlurmdLogFile=${own}/slurmd.log
ReturnToService=2
KillWait=2
MpiDefault=none
SwitchType=switch/none
NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
  );
  const env = { ...process.env, SLURM_CONF: config };
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { encoding: "utf8", cwd: folder, env });
  const daemons: [string, string[]][] = [
    ["munged", ["--force", `--socket=${socket}`, `--key-file=${own}/munge.key`, `--pid-file=${own}/munged.pid`]],
    ["slurmctld", ["-f", config]],
    ["slurmd", ["-f", config]],
  ];
  daemons[0]?.[1].push(`--log-file=${own}/munged.log`, `--seed-file=${own}/munged.seed`);
  onTestFinished(async () => {
    for (const [name] of daemons.reverse()) await end(join(own, `${name}.pid`));
  });
  for (const [name, args] of daemons) execFileSync(`/usr/sbin/${name}`, args, { stdio: "ignore", env });
  await until(() => /idle/.test(run("sinfo", "-h", "-o", "%T")));
  return run;
}

/** Ends a daemon by the file that has its number, and waits until it is gone. */
async function end(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  process.kill(pid, "SIGTERM");
  await until(() => !existsSync(`/proc/${pid}`));
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await pause(100);
}
