/** Ceph's RADOS Gateway on one small cluster in memory: a second store, which is independent of the first. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { until } from "../support/until.js";

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

export interface Ceph {
  /** The URL of the gateway, on loopback. */
  port: number;
  close(): void;
}

/**
 * Starts a monitor, a store and the gateway, with one user.
 * @returns undefined where a program is not installed.
 */
export async function startCeph(user: { accessKey: string; secretKey: string }): Promise<Ceph | undefined> {
  if (isMissing(...PROGRAMS)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "rollcall-ceph-"));
  const running: ChildProcess[] = [];
  const close = () => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    process.off("exit", close);
  };
  process.once("exit", close);
  const [mon, port] = [await freePort(), await freePort()];
  const [cluster, disk] = [randomUUID(), randomUUID()];
  const conf = join(folder, "ceph.conf");
  writeFileSync(conf, confOf({ folder, cluster, mon, port }));
  for (const name of ["osd", "rgw"]) mkdirSync(join(folder, name));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, ["--conf", conf, ...args], { stdio: "pipe" });
  const start = (program: string, ...args: string[]) =>
    running.push(spawn(program, ["--conf", conf, "--foreground", ...args], { stdio: "ignore" }));
  try {
    const map = join(folder, "monmap");
    execFileSync("monmaptool", ["--create", "--fsid", cluster, "--addv", "a", `[v2:127.0.0.1:${mon}]`, map]);
    run("ceph-mon", "--id", "a", "--mkfs", "--monmap", map);
    start("ceph-mon", "--id", "a");
    run("ceph", "osd", "new", disk);
    run("ceph-osd", "--id", "0", "--mkfs", "--osd-uuid", disk);
    start("ceph-osd", "--id", "0");
    const keys = ["--access-key", user.accessKey, "--secret-key", user.secretKey];
    run("radosgw-admin", "user", "create", "--uid", "tests", "--display-name", "tests", ...keys);
    start("radosgw", "--name", "client.rgw");
    await until(() => answers(port));
  } catch (error) {
    close();
    throw error;
  }
  return { port, close };
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    ({ ok }) => ok,
    () => false,
  );
}

interface Cluster {
  folder: string;
  cluster: string;
  mon: number;
  port: number;
}

/** One replica, at most 512 MiB of memory, and authentication only at the gateway. */
function confOf({ folder, cluster, mon, port }: Cluster): string {
  return `[global]
fsid = ${cluster}
mon_host = v2:127.0.0.1:${mon}/0
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc
mon_allow_pool_size_one = true
paxos_propose_interval = 0.1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_objectstore = memstore
memstore_device_bytes = ${512 * 2 ** 20}
mon_data = ${folder}/mon
osd_data = ${folder}/osd
rgw_data = ${folder}/rgw
run_dir = ${folder}
crash_dir = ${folder}
admin_socket = ${folder}/$name.asok
keyring = ${folder}/none
log_file =
mon_cluster_log_file =
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_enable_apis = s3
`;
}
